"""Tables about MLRegTest's own automata, from the lines that `benchmarks/mlregtest.py` wrote."""

import json
from pathlib import Path
from typing import Any

from lengthwise.escapes import table_in_markdown
from lengthwise_papers.own.long_words import TESTS, count_fitting
from lengthwise_papers.parts import group_records


def table(file: Path) -> str:
    """Return a row for each class: automata in it, and those found from words."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    searched = [record for record in records if "found" in record]
    counts = sorted({(record["words"], record["symbols"]) for record in searched})
    rows = []
    for (kind,), of_class in group_records(records, "class").items():
        classified = [record for record in of_class if "agrees" in record]
        row = [kind, _share(sum(record["agrees"] for record in classified), len(classified))]
        for words, symbols in counts:
            row.append(_found([r for r in of_class if _is(r, words, symbols)]))
        rows.append(row)
    rows.append(
        [
            "all",
            _share(sum(r.get("agrees", 0) for r in records), len(records) - len(searched)),
            *(_found([r for r in searched if _is(r, *count)]) for count in counts),
        ]
    )
    fitting = [count_fitting([r for r in searched if _is(r, *count)]) for count in counts]
    rows.append(["others that fit all words", "", *fitting])
    heads = [f"{words:,} words, {symbols} symbols" for words, symbols in counts]
    return table_in_markdown(["class", "in their class", *heads], rows)


def _is(record: dict[str, Any], words: int, symbols: int) -> bool:
    return record.get("words") == words and record["symbols"] == symbols


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,}" if total else ""


def _found(records: list[dict[str, Any]]) -> str:
    """Return how many are found, and the mean accuracy on the worst test of the others."""
    others = [record for record in records if not record["found"]]
    found = _share(len(records) - len(others), len(records))
    if not others:
        return found
    worst = [min(record["accuracies"][name] for name in TESTS) for record in others]
    return f"{found} ({100 * sum(worst) / len(worst):.1f} %)"
