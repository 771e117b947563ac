"""Make `analysis.json`: what is inside RegularGPT after Parity and Cycle Navigation.

    .venv/bin/python results/analysis.py          (about 3 minutes on two cores; resumes)

Figures 3 and 4a of Chi et al. (2023), on words that no run was trained or selected on. The same
numbers come from `lengthwise analyse` in the run folders.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from main_job import COMMIT

from lengthwise.analysis.analyses import ANALYSES, analyse
from lengthwise.experiments.demo import TEST_LENGTHS
from lengthwise.experiments.measure import measure
from lengthwise.files import write_json
from lengthwise.languages.spec import parse
from lengthwise.training.train import make_plan, processor, train

HERE = Path(__file__).parent
RUNS = HERE.parent / "runs" / "analysis"
LANGUAGES = ("parity", "cycle-navigation")
MODEL = "regular-gpt"
SEED = 0
PRESET = "laptop"


def analysed(spec: str) -> dict[str, Any]:
    """One run, trained, tested and analysed; its row is kept beside it, so that we can resume."""
    out = RUNS / f"{spec}-{MODEL}-{SEED}"
    row_file = out.with_suffix(".json")
    plan = make_plan(parse(spec), MODEL, preset=PRESET, settings={"seed": SEED})
    settings = plan.to_dict() | {"language": spec}
    if row_file.exists():
        row: dict[str, Any] = json.loads(row_file.read_text())
        if row["settings"] == settings:
            return row
    start = time.perf_counter()
    run = train(plan, out=out, device="cpu")
    trained = time.perf_counter() - start
    _, summary = measure(run, TEST_LENGTHS)
    row = {
        "language": spec,
        "model": MODEL,
        "seed": SEED,
        "supervision": plan.recognition.supervision,
        "steps": run.metrics[-1]["step"],
        "seconds_to_train": round(trained, 1),
        **{key: value for key, value in summary.items() if key not in ("shortcut_lengths",)},
        **{name: rounded(analyse(name, run.model, run.task)) for name in ANALYSES},
        "settings": settings,
        "commit": COMMIT,
    }
    write_json(row_file, row)
    return row


def rounded(value: Any) -> Any:
    """The record with numbers of six digits."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main() -> None:
    """Run what is missing and write the file."""
    rows = []
    for spec in LANGUAGES:
        row = analysed(spec)
        rows.append(row)
        print(
            f"{spec:18} mean accuracy {100 * row['mean_accuracy']:.3f} %, purity "
            f"{100 * row['clusters']['purity']:.2f} %, {row['seconds_to_train']} s",
            file=sys.stderr,
        )
    write_json(
        HERE / "analysis.json",
        {
            "what": "RegularGPT, trained on lengths 1..40, looked into on words of 500 symbols",
            "preset": PRESET,
            "commit": ", ".join(sorted({row["commit"] for row in rows})),
            "processor": f"{processor()}, {rows[0]['settings']['loop']['threads']} thread",
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
