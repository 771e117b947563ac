"""Put figures and tables from `papers/results/` into the docs.

.venv/bin/python papers/docs/make.py            writes them
.venv/bin/python papers/docs/make.py --check    says whether anything would change
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import adder_tables
import arena_tables
import hero
import ladder_outputs
import mlregtest_tables
import proof_tables
import protocol_tables
import published_tables
import reproduced
import speed_tables
import verdicts
import zoo_tables
from lengthwise.analysis.figures import to_svg
from lengthwise.escapes import table_in_markdown
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import Record, Table, stem
from lengthwise_papers.parts import PartsExperiment
from wrapping import wrap

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "papers" / "results"

TABLES = {
    ("docs/index.md", "main-job"): ("own/main-job", ""),
    ("docs/analysis.md", "clusters"): ("chi2023/figure3", ""),
    ("docs/analysis.md", "receptive-field"): ("chi2023/figure3", "Receptive field"),
    ("docs/reproducing/proofs.md", "certificates"): ("own/certificates", ""),
    ("docs/reproducing/proofs.md", "variants"): ("own/certificates", "Variants"),
    ("docs/reproducing/proofs.md", "default-proofs"): ("own/default-proofs", ""),
    ("docs/reproducing/proofs.md", "symbol-by-symbol"): ("own/symbol-by-symbol", ""),
    ("docs/reproducing/proofs.md", "scratchpads"): ("own/symbol-by-symbol", "Scratchpads"),
    ("docs/reproducing/proofs.md", "gradient-alone"): ("own/gradient-alone", ""),
    ("docs/reproducing/proofs.md", "gradient-alone-ablations"): ("own/gradient-alone", "Ablations"),
    ("docs/reproducing/proofs.md", "gradient-alone-trees"): ("own/gradient-alone", "Trees"),
    ("docs/reproducing/proofs.md", "gradient-alone-taught"): ("own/gradient-alone", "Taught"),
    ("docs/reproducing/proofs.md", "every-kind"): ("own/every-kind", ""),
    ("docs/reproducing/proofs.md", "arithmetic"): ("own/arithmetic", ""),
    ("docs/reproducing/proofs.md", "arithmetic-proofs"): ("own/arithmetic", "Proofs"),
    ("docs/reproducing/proofs.md", "soundness"): ("own/soundness", ""),
    ("docs/reproducing/proofs.md", "soundness-others"): ("own/soundness", "Unsound verifiers"),
    ("docs/words.md", "words-needed"): ("own/words-needed", ""),
    ("docs/words.md", "many-words"): ("own/many-words", ""),
    ("docs/functions.md", "hidden-functions"): ("own/hidden-functions", ""),
    ("docs/functions.md", "prefixes"): ("own/prefixes", ""),
    ("docs/reproducing/words.md", "labels-alone"): ("own/labels-alone", ""),
    ("docs/reproducing/words.md", "random-words"): ("own/random-words", ""),
    ("docs/reproducing/words.md", "random-words-statements"): ("own/random-words", "Statements"),
    ("docs/reproducing/words.md", "long-words"): ("own/long-words", "By number of words"),
    ("docs/reproducing/words.md", "long-words-classes"): ("own/long-words", ""),
    ("docs/reproducing/words.md", "word-statements"): ("own/word-statements", ""),
    ("docs/reproducing/words.md", "labels-alone-random"): ("own/labels-alone", "Random automata"),
    ("docs/reproducing/exact_weights.md", "automata"): ("own/constructions", ""),
    ("docs/reproducing/exact_weights.md", "compiled-sizes"): ("own/compiled-sizes", ""),
    ("docs/reproducing/exact_weights.md", "rungs"): ("own/rungs", ""),
    ("docs/reproducing/ladder.md", "measured"): ("own/ladder", ""),
    ("docs/reproducing/ladder.md", "theory"): ("own/ladder", "How often theory is right"),
    ("docs/reproducing/ladder.md", "exceptions"): ("own/ladder-exceptions", ""),
    ("docs/reproducing/exact_weights.md", "ranges"): ("own/ranges", ""),
    ("docs/reproducing/chi2023.md", "audited-classes"): ("own/audited-classes", ""),
    ("docs/language_models.md", "long-context"): ("own/long-context", ""),
    ("docs/reproducing/words.md", "label-learners"): ("own/label-learners", ""),
    ("docs/reproducing/words.md", "label-learners-languages"): ("own/label-learners", "Languages"),
    ("docs/reproducing/words.md", "held-out-pairs"): ("own/held-out-pairs", ""),
    ("docs/reproducing/words.md", "held-out-pairs-statement"): (
        "own/held-out-pairs",
        "The statement",
    ),
    ("docs/reproducing/chiang2022.md", "log-length-gap"): ("own/log-length-gap", ""),
    ("docs/board.md", "smallest-proofs"): ("own/smallest-proofs", ""),
    ("docs/reproducing/steps2022.md", "body-sizes"): ("own/body-sizes", ""),
    ("docs/reproducing/chi2023.md", "blind-choice"): ("own/blind-choice", ""),
    ("docs/functions.md", "drawn-functions"): ("own/drawn-functions", ""),
    ("docs/steps.md", "weak"): ("own/weak-supervision", ""),
    ("docs/steps.md", "longer-sums"): ("own/longer-sums", ""),
    ("docs/steps.md", "longer-sums-proofs"): ("own/longer-sums", "Proofs"),
    ("docs/reproducing/exact_weights.md", "smallest-adders"): ("own/smallest-adders", ""),
    ("docs/steps.md", "grid"): ("steps2022/table1", ""),
    ("docs/steps.md", "tasks"): ("steps2022/other-tasks", ""),
}
"""Page and markers to an experiment and the title of one of its tables."""


def table(name: str, title: str) -> str:
    """Return a table of an experiment from its committed records, with its note.

    Records of an experiment that is not measured any more hold their tables.
    """
    stored = _read_stored(name)
    if name not in EXPERIMENTS:
        shown, note = Table(**stored["tables"][title]), stored["note"]
    else:
        experiment, records = EXPERIMENTS[name], stored["records"]
        shown = experiment.tables(records)[title]
        note = experiment.note(records) if isinstance(experiment, PartsExperiment) else ""
    text = table_in_markdown(shown.columns, shown.rows)
    return f"{text}\n\n{wrap(note)}" if note and not title else text


def _read_stored(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((RESULTS / f"{stem(name)}.json").read_text("utf-8"))
    return stored


def _records(name: str) -> list[Record]:
    records: list[Record] = _read_stored(name)["records"]
    return records


def tables() -> dict[tuple[str, str], str]:
    """Return each generated part of a page that is not about one paper, by page and name."""
    generated = {place: table(*source) for place, source in TABLES.items()}
    generated["docs/reproducing/chi2023.md", "protocols"] = protocol_tables.protocols_table(
        _records("chi2023/table1"), _records("chi2023/table1-audited")
    )
    generated["docs/reproducing/ladder.md", "classes"] = ladder_outputs.table()
    generated["docs/ladder.md", "outputs"] = ladder_outputs.outputs()
    generated["docs/reproducing.md", "verdicts"] = verdicts.table(RESULTS)
    generated["docs/reproducing.md", "summary"] = verdicts.summary(RESULTS)
    generated["docs/proof_assistant.md", "figures"] = proof_tables.table(
        ROOT / "proofs" / "figures.json"
    )
    steps = ROOT / "benchmarks" / "training_steps.json"
    generated["docs/reproducing/speed.md", "steps"] = speed_tables.table(steps)
    for compared in speed_tables.COMPARED:
        generated["docs/speed.md", compared] = speed_tables.tabulate_comparison(steps, compared)
    generated["docs/functions.md", "adders"] = adder_tables.table(
        ROOT / "benchmarks" / "adders.jsonl"
    )
    generated["docs/reproducing/words.md", "mlregtest"] = mlregtest_tables.table(
        ROOT / "benchmarks" / "mlregtest.jsonl"
    )
    generated["docs/arena.md", "records"] = arena_tables.sections(ROOT / "benchmarks")
    generated["docs/arena.md", "published"] = published_tables.sections(ROOT / "benchmarks")
    generated["docs/board.md", "arena"] = arena_tables.best(ROOT / "benchmarks")
    for made in ("trained", "constructed"):
        generated["docs/zoo.md", made] = zoo_tables.zoo_table(made)
        generated["docs/board.md", made] = zoo_tables.board_table(made)
    generated["docs/board.md", "unproved"] = zoo_tables.list_unproved()
    generated["docs/zoo.md", "language-models"] = zoo_tables.language_models_table()
    return generated


def make_wanted() -> dict[Path, str]:
    """Return every generated file, or file with a generated part, and what it should hold."""
    generated = tables()
    for paper in reproduced.papers(RESULTS):
        for name, section in reproduced.sections(RESULTS, paper).items():
            generated[f"docs/reproducing/{paper}.md", name] = section
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page, _ in generated}
    for (page, name), content in generated.items():
        pages[page] = put(pages[page], name, content)
    drawn = reproduced.pictures(RESULTS) | arena_tables.pictures(ROOT / "benchmarks")
    carried = hero.hero(_records("chi2023/table1"), _records("own/default-proofs"))
    drawn["parity-by-length.svg"] = to_svg(carried)
    return {
        **{ROOT / page: text for page, text in pages.items()},
        **{ROOT / "docs" / "img" / name: svg for name, svg in drawn.items()},
    }


def put(text: str, name: str, content: str) -> str:
    """Replace what stands between the two markers of a name."""
    pattern = rf"(<!-- {name} -->\n)(?:.*?\n)?(<!-- end {name} -->)"
    found = re.subn(pattern, lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL)
    assert found[1] == 1, f"the markers of {name} stand once"
    return found[0]


def main() -> int:
    """Write or check all files; return 1 if a check finds a difference."""
    stale = []
    for path, content in make_wanted().items():
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
