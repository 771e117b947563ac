"""Table of `reproducing/chi2023.md`: accuracy on the words of both protocols, by row."""

from typing import Any

from lengthwise.messages import format_count
from lengthwise.sweeps.folder import differing
from lengthwise_papers.cells import best_and_mean, one_digit
from lengthwise_papers.chi2023.table1 import FEWER_COLUMNS
from lengthwise_papers.chi2023.table1_columns import MEASURED, NEAR

Run = dict[str, Any]
Name = tuple[str, str, int]
"""Row, column and seed."""


def protocols_table(published: list[Run], audited: list[Run]) -> str:
    """A row for each language: runs of the same settings and seed, tested on both protocols."""
    before, after = _by_name(published), _by_name(audited)
    both = [name for name in after if name in before and _alike(before[name], after[name])]
    seeds = sorted({seed for *_, seed in both})
    lines = [
        f"| language | {' | '.join(MEASURED[column].title for column in FEWER_COLUMNS)} |",
        "|---|" + "---|" * len(FEWER_COLUMNS),
    ]
    for language in dict.fromkeys(row for row, *_ in after):
        cells = []
        for column in FEWER_COLUMNS:
            names = [name for name in both if name[:2] == (language, column)]
            told = "" if len(names) == len(seeds) else f" ({format_count(len(names), 'seed')})"
            cells.append(f"{_mean(before, names)} / {_mean(after, names)}{told}" if names else "")
        lines.append(f"| {language} | {' | '.join(cells)} |")
    listed = ", ".join(map(str, seeds))
    lines += ["", f"Mean accuracy over lengths %, published / audited; seeds {listed}."]
    return "\n".join(lines)


def _alike(one: Run, other: Run) -> bool:
    return not any(differing(one["settings"], other["settings"]))


def _by_name(records: list[Run]) -> dict[Name, Run]:
    return {(one["row"], one["column"], one["seed"]): one for one in records if "tests" in one}


def _mean(found: dict[Name, Run], names: list[Name]) -> str:
    return one_digit(best_and_mean([found[name] for name in names], NEAR)[1])
