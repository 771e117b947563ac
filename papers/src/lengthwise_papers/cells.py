"""Scores of the cells of a table: best and mean over seeds, at lengths that training never had."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise_papers.experiment import (
    Record,
)
from lengthwise_papers.figures import curves_figure
from lengthwise_papers.seeds import interval_of_mean


def accuracy_by_length(test: Mapping[str, Any]) -> dict[int, float]:
    """Return the share of right answers at each length that has words."""
    words, missing = test["words_per_length"], set(test["missing"])
    return {
        n: 1 - test["wrong"].get(str(n), 0) / words
        for n in parse_lengths(test["lengths"])
        if n not in missing
    }


def cells(records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    """Group records by row and column, in their order; failed runs are left out."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for result in records:
        if "error" not in result:
            groups.setdefault((result["row"], result["column"]), []).append(result)
    return groups


def run_name(result: Record) -> str:
    """Return `parity, rnn, seed 0`, as `CellRun.name`."""
    return f"{result['row']}, {result['column']}, seed {result['seed']}"


PRINTED_SEEDS = 3
"""Number of seeds over which the papers print the best, or the mean."""


def of_seeds(runs: Sequence[Record]) -> str:
    """Return ` (1 seed)`, or nothing if there are as many as the papers have."""
    if len(runs) >= PRINTED_SEEDS:
        return ""
    return " (1 seed)" if len(runs) == 1 else f" ({len(runs)} seeds)"


def scores(runs: Sequence[Record], test: str, *, beyond: int = 0) -> str:
    """Return `100.0 / 98.9`, best and mean over seeds, or the number of a single seed.

    Of more seeds than the papers have, the interval of the mean is added.
    """
    best, mean = best_and_mean(runs, test, beyond=beyond)
    text = one_digit(best) if len(runs) == 1 else pair(best, mean)
    if len(runs) > PRINTED_SEEDS:
        return f"{text} ({with_interval(runs, test, beyond=beyond)})"
    return text + of_seeds(runs)


def with_interval(runs: Sequence[Record], test: str, *, beyond: int = 0) -> str:
    """Return `10 runs, mean 76.2 to 99.1`: how many there are, and the interval of their mean."""
    low, high = interval_of_mean(accuracies(runs, test, beyond=beyond))
    return f"{len(runs)} runs, mean {one_digit(low)} to {one_digit(high)}"


def best_and_mean(runs: Sequence[Record], test: str, *, beyond: int = 0) -> tuple[float, float]:
    """Return best and mean over seeds of the mean accuracy over lengths, in per cent.

    Lengths up to `beyond` do not count.
    """
    means = accuracies(runs, test, beyond=beyond)
    return max(means), fmean(means)


def accuracies(runs: Sequence[Record], test: str, *, beyond: int = 0) -> list[float]:
    """Return the mean accuracy over lengths of each run, in per cent."""
    return [100 * mean_accuracy(run["tests"][test], beyond=beyond) for run in runs]


def mean_accuracy(test: Mapping[str, Any], *, beyond: int = 0) -> float:
    """Return the mean accuracy over lengths, the even and the odd ones, also where few are tested.

    Even and odd ones weigh alike, as in consecutive lengths, which the papers test: some languages
    have no word of odd length, so that a constant answer is right there. Between two tested
    lengths that are both even, or both odd, accuracy is taken to change linearly. So the first
    length beyond training weighs about half as much as the others if every 27th is tested.
    Lengths without words are left out, and those up to `beyond`.
    """
    by_length = {n: share for n, share in accuracy_by_length(test).items() if n > beyond}
    if len(by_length) <= 1:
        return float(test["mean_accuracy"])
    lengths, means = [n for n in parse_lengths(test["lengths"]) if n > beyond], []
    for alike in ([n for n in lengths if n % 2 == rest] for rest in (0, 1)):
        if shares := {n: by_length[n] for n in alike if n in by_length}:
            gaps = np.diff([alike[0] - 2, *alike, alike[-1] + 2])
            weights = dict(zip(alike, gaps[:-1] + gaps[1:], strict=True))
            means.append(np.average([*shares.values()], weights=[weights[n] for n in shares]))
    return float(fmean(means))


def reaches(measured: float, printed: float) -> bool:
    """Return whether a number, written with one digit as papers do, is at least what is printed."""
    return measured >= printed - 0.05


def difference(measured: float, printed: float) -> str:
    """Return the difference with one digit, such as `-0.8`; of exact numbers, rounded last."""
    return f"{round(measured - printed, 1) + 0.0:+.1f}"


def is_learnt(runs: Sequence[Record], test: str) -> bool:
    """Return whether the best of the runs is right on 99 % of the words of a test."""
    return bool(runs) and best_and_mean(runs, test)[0] >= 99


def pair(best: float, mean: float) -> str:
    """Return `100.0 / 98.9`, as the papers print it."""
    return f"{one_digit(best)} / {one_digit(mean)}"


def one_digit(value: float) -> str:
    """Write with one digit, rounded down, so that 100.0 means all."""
    return f"{math.floor(10 * value + 1e-6) / 10:.1f}"


def curves(
    records: Sequence[Record], tests: Sequence[str], place: Callable[[str, str], tuple[str, str]]
) -> dict[str, Picture]:
    """Draw accuracy by length in these tests, the mean over seeds.

    `place` says the panel and the line of each row and column. Without records there is no figure.
    """
    panels: dict[str, dict[str, dict[int, float]]] = {}
    for (row, column), runs in cells(records).items():
        panel, line = place(row, column)
        curve = panels.setdefault(panel, {}).setdefault(line, {})
        for test in tests:
            curve |= mean_curve(runs, test)
    return {"accuracy": curves_figure(panels)} if panels else {}


def mean_curve(runs: Sequence[Record], test: str) -> dict[int, float]:
    """Return accuracy by length, the mean over seeds."""
    curves = [accuracy_by_length(run["tests"][test]) for run in runs]
    return {n: fmean(curve[n] for curve in curves) for n in curves[0]}


def span(runs: Sequence[Mapping[str, Any]], figure: str) -> str:
    """Return the least and the greatest of a figure, rounded, of the runs that have it."""
    known = [round(run[figure]) for run in runs if run[figure] is not None]
    return from_to(known) if known else "not measured" if runs else ""


def from_to(values: Sequence[int]) -> str:
    """Return `1,000 to 2,000`, or the one number that all are."""
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
