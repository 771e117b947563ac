"""Put the figures and tables that come from `results/` into README and docs.

.venv/bin/python docs/make.py            writes them
.venv/bin/python docs/make.py --check    says whether anything would change (the tests do this)
"""

import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import exact_tables
import protocol_tables
import reproduced
import step_tables
import text_tables

from lengthwise.analysis.figures import (
    accuracy_by_language_figure,
    clusters_figure,
    receptive_field_figure,
    to_svg,
)
from lengthwise.evaluation.scores import percent
from lengthwise.experiments.chi2023.table1 import PUBLISHED

ROOT = Path(__file__).parent.parent


def main_job_table(rows: list[dict[str, Any]]) -> str:
    """A row for each language and model: mean and worst length over seeds, beside the paper."""
    lines = [
        "| language | model | supervision, words | mean % | worst length % | shortcut % "
        "| paper % |",
        "|---|---|---|---|---|---|---|",
    ]
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["language"], row["model"]), []).append(row)
    for (language, model), runs in cells.items():
        means = [run["mean_accuracy"] for run in runs]
        worst = min(run["worst_accuracy"] for run in runs)
        shortcut = max(100 * max(run["shortcuts"].values()) for run in runs)
        printed = PUBLISHED[language, "regular-gpt C=2"]
        lines.append(
            f"| {language} | `{model}` | {runs[0]['supervision']}, {runs[0]['protocol']} "
            f"| {_range(means)} | {percent(worst)} | {shortcut:.1f} "
            f"| {printed.best} / {printed.mean} |"
        )
    return "\n".join(lines)


def clusters_table(rows: list[dict[str, Any]]) -> str:
    """A row for each language: how well its elements are told apart by the vectors."""
    lines = [
        "| language | mean accuracy on 41..500 % | elements | vectors | purity % | gap | spread "
        "| gap / spread | variance of 2 components % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        record = row["clusters"]
        lines.append(
            f"| {row['language']} | {percent(row['mean_accuracy'])} "
            f"| {len(record['elements'])} | {record['points']} | {percent(record['purity'])} "
            f"| {record['gap']:.2f} | {record['spread']:.2f} | {record['gap_to_spread']:.2f} "
            f"| {100 * sum(record['explained'][:2]):.1f} |"
        )
    return "\n".join(lines)


def receptive_field_table(rows: list[dict[str, Any]]) -> str:
    """A row for each language: how the gradient is spread over the positions."""
    lines = [
        "| language | half of the gradient lies in the last | farthest from the straight line "
        "| least share of a position |",
        "|---|---|---|---|",
    ]
    for row in rows:
        for curve in row["receptive-field"]["curves"]:
            lines.append(
                f"| {row['language']} | {curve['half']} of {curve['length']} symbols "
                f"| {curve['deviation']:.3f} | {curve['least']:.3f} / {curve['length']} |"
            )
    return "\n".join(lines)


def certificates_table(rows: list[dict[str, Any]], tested: list[int]) -> str:
    """A row for each language: how many runs were proved, and what that took."""
    lines = [
        "| language | proved | steps | seconds | codes | monoid | distance |",
        "|---|---|---|---|---|---|---|",
    ]
    for language, runs in _grouped(rows, "language").items():
        proved = [run for run in runs if run["verdict"] == "equivalent"]
        distances = [run["sureness"]["sign_distance"] for run in proved]
        lines.append(
            f"| {language} | {len(proved)} of {len(runs)} | {_between(proved, 'steps')} "
            f"| {_between(proved, 'seconds_to_train')} | {_between(proved, 'elements')} "
            f"| {runs[0]['monoid']} | {min(distances, default=0):.2g} |"
        )
    missed = sum(run["worst_accuracy"] < 1 for run in rows if run["verdict"] == "equivalent")
    first, last, step = tested
    lines += [
        "",
        f"Of the proved runs {missed or 'none'} missed a word of lengths {first}..{last}"
        f" (512 words at each of {len(range(first, last + 1, step))} lengths).",
    ]
    return "\n".join(lines)


def variants_table(rows: list[dict[str, Any]], most_steps: int) -> str:
    """A row for each variant: runs proved within the steps, of all, and steps (median)."""
    names = list(dict.fromkeys(row["language"] for row in rows if row["variant"] != "default"))
    seeds = {row["seed"] for row in rows if row["variant"] != "default"}
    lines = [f"| training | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for variant, runs in _grouped(rows, "variant").items():
        cells = []
        for name in names:
            of_language = [r for r in runs if r["language"] == name and r["seed"] in seeds]
            proved = [
                run["steps"]
                for run in of_language
                if run["verdict"] == "equivalent" and run["steps"] <= most_steps
            ]
            median = f", {statistics.median(proved):.0f} steps" if proved else ""
            cells.append(f"{len(proved)} of {len(of_language)}{median}")
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _grouped(rows: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def _between(runs: list[dict[str, Any]], key: str) -> str:
    values = sorted(round(run[key]) for run in runs)
    if not values:
        return ""
    return str(values[0]) if values[0] == values[-1] else f"{values[0]:,} to {values[-1]:,}"


def _range(shares: list[float]) -> str:
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _rows(name: str, key: str = "rows") -> list[dict[str, Any]]:
    text = (ROOT / "results" / f"{name}.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)[key]
    return rows


def wanted() -> dict[Path, str]:
    """Every generated file, or file with a generated part, and what it should hold."""
    results = json.loads((ROOT / "results" / "main_job.json").read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = put(readme, "main-job", main_job_table(results["rows"]))
    curves: dict[str, dict[str, list[dict[int, float]]]] = {}
    for row in results["rows"]:
        by_model = curves.setdefault(row["language"], {})
        by_model.setdefault(row["model"], []).append(
            {int(n): share for n, share in row["accuracy_by_length"].items()}
        )
    analysis = json.loads((ROOT / "results" / "analysis.json").read_text(encoding="utf-8"))["rows"]
    page = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
    page = put(page, "clusters", clusters_table(analysis))
    page = put(page, "receptive-field", receptive_field_table(analysis))
    images = ROOT / "docs" / "img"
    proofs = json.loads((ROOT / "results" / "certificates.json").read_text(encoding="utf-8"))
    proof_page = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    default = [row for row in proofs["rows"] if row["variant"] == "default"]
    proof_page = put(
        proof_page, "certificates", certificates_table(default, proofs["test_lengths"])
    )
    readme = put(readme, "certificates", certificates_table(default, proofs["test_lengths"]))
    proof_page = put(
        proof_page, "variants", variants_table(proofs["rows"], proofs["most_steps_of_variants"])
    )
    reproducing = (ROOT / "docs" / "reproducing.md").read_text(encoding="utf-8")
    exact_page = (ROOT / "docs" / "constructions.md").read_text(encoding="utf-8")
    exact_page = put(exact_page, "ranges", exact_tables.ranges_table(_rows("ranges")))
    automata = exact_tables.automata_table(_rows("constructions"))
    exact_page = put(exact_page, "automata", automata)
    readme = put(readme, "automata", automata)
    task_page = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    task_page = put(
        task_page,
        "protocols",
        protocol_tables.protocols_table(
            _rows("chi2023-table1", "records"), _rows("chi2023-table1-audited", "records")
        ),
    )
    task_page = put(
        task_page, "audited-classes", protocol_tables.classes_table(_rows("audited_classes"))
    )
    text_page = (ROOT / "docs" / "language_models.md").read_text(encoding="utf-8")
    text_page = put(
        text_page, "long-context", text_tables.long_context_table(_rows("long_context"))
    )
    step_page = (ROOT / "docs" / "steps.md").read_text(encoding="utf-8")
    step_page = put(step_page, "weak", step_tables.weak_table(_rows("weak_supervision")))
    grid = step_tables.grid_table(_rows("steps2022-table1", "records"))
    step_page = put(step_page, "grid", grid)
    others = step_tables.tasks_table(_rows("steps2022-other-tasks", "records"))
    step_page = put(step_page, "tasks", others)
    drawn = reproduced.pictures(ROOT / "results")
    return {
        ROOT / "docs" / "reproducing.md": put(
            reproducing, "experiments", reproduced.sections(ROOT / "results")
        ),
        **{images / name: svg for name, svg in drawn.items()},
        ROOT / "docs" / "verification.md": proof_page,
        ROOT / "docs" / "analysis.md": page,
        images / "figure3.svg": to_svg(clusters_figure([row["clusters"] for row in analysis])),
        images / "figure4a.svg": to_svg(
            receptive_field_figure([row["receptive-field"] for row in analysis])
        ),
        ROOT / "docs" / "constructions.md": exact_page,
        ROOT / "docs" / "tasks.md": task_page,
        ROOT / "docs" / "language_models.md": text_page,
        ROOT / "docs" / "steps.md": step_page,
        ROOT / "README.md": readme,
        ROOT / "docs" / "img" / "main_job.svg": to_svg(
            accuracy_by_language_figure(curves, trained=40)
        ),
    }


def put(text: str, name: str, content: str) -> str:
    """Replace what stands between the two markers of a name."""
    pattern = rf"(<!-- {name} -->\n)(?:.*?\n)?(<!-- end {name} -->)"
    found = re.subn(pattern, lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL)
    assert found[1] == 1, f"the markers of {name} stand once"
    return found[0]


def main() -> int:
    """Write or check all files; 1 if a check finds a difference."""
    stale = []
    for path, content in wanted().items():
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale.append(path)
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, encoding="utf-8")
    for path in stale:
        print(path.relative_to(ROOT), file=sys.stderr)
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
