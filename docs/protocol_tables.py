"""Table of `tasks.md`: the accuracy of the same runs on the words of both protocols."""

from statistics import fmean
from typing import Any

from lengthwise.experiments.chi2023.table1 import FEWER_COLUMNS, MEASURED, NEAR
from lengthwise.experiments.trained import one_digit


def protocols_table(published: list[dict[str, Any]], audited: list[dict[str, Any]]) -> str:
    """A row for each language: the same runs, tested on the words of both protocols."""
    before, after = _by_run(published), _by_run(audited)
    seeds = {seed for *_, seed in after.keys() & before.keys()}
    lines = [
        f"| language | {' | '.join(MEASURED[column].title for column in FEWER_COLUMNS)} |",
        "|---|" + "---|" * len(FEWER_COLUMNS),
    ]
    for language in dict.fromkeys(row for row, *_ in after):
        every = [[(language, column, seed) for seed in sorted(seeds)] for column in FEWER_COLUMNS]
        runs = [[run for run in cell if run in before and run in after] for cell in every]
        cells = [f"{_mean(before, names)} / {_mean(after, names)}" for names in runs]
        lines.append(f"| {language} | {' | '.join(cells)} |")
    lines += ["", f"Mean accuracy over lengths %, published / audited; seed {_listed(seeds)}."]
    return "\n".join(lines)


def _by_run(records: list[dict[str, Any]]) -> dict[tuple[str, str, int], float]:
    """Mean accuracy over lengths, by row, column and seed."""
    return {
        (one["row"], one["column"], one["seed"]): one["tests"][NEAR]["mean_accuracy"]
        for one in records
        if "tests" in one
    }


def _mean(found: dict[tuple[str, str, int], float], runs: list[tuple[str, str, int]]) -> str:
    return one_digit(100 * fmean(found[run] for run in runs))


def _listed(seeds: set[int]) -> str:
    return ", ".join(map(str, sorted(seeds)))
