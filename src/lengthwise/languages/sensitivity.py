r"""Sensitivity: how many single symbols of a word decide its class.

A position of a word is sensitive if another symbol there changes the class.

    average   the expected number of positions at which another symbol, drawn uniformly, changes
              the class of a uniformly drawn word of n symbols
    greatest  the largest number of sensitive positions of a word of n symbols

Over two symbols the average is the mean number of sensitive positions. Words outside a domain have
a class of their own.

With the states after a prefix, o_i(q) its distribution, and P_m(p, q) the probability that m more
symbols lead p and q to different classes, the average is the sum over i of o_i(q) times the mean of
P_(n-1-i)(q·a, q·b) over symbols a != b. The greatest is found by dynamic programming over a state
and the map from states to classes that the rest of the word is.

Functions of high sensitivity are hard for transformers (Hahn and Rofin, 2024, arXiv 2402.09963).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.verdicts import LadderSubject

LENGTHS = (8, 16, 32)
"""The lengths for which sensitivity is computed."""

MAX_WORK = 1_000_000
"""Largest number of entries of one step."""

Floats = NDArray[np.float64]


def average_sensitivity(
    subject: LadderSubject, lengths: Sequence[int] = LENGTHS
) -> dict[int, float] | None:
    """Return the average for each length, in double precision; None if it takes too long."""
    steps = subject.steps
    states, symbols = steps.shape
    if max(states * symbols**2, states**2 * symbols) > MAX_WORK:
        return None
    if symbols == 1:
        return dict.fromkeys(lengths, 0.0)
    classes = np.array(subject.machine.classes)
    differ: Floats = (classes[:, None] != classes).astype(np.float64)
    means = []
    for _ in range(max(lengths)):
        pairs = differ[steps[:, :, None], steps[:, None, :]]
        means.append(pairs.sum(axis=(1, 2)) / (symbols * (symbols - 1)))
        differ = np.mean([differ[np.ix_(column, column)] for column in steps.T], axis=0)
    at = np.zeros(states)
    at[subject.machine.start] = 1.0
    totals = dict.fromkeys(lengths, 0.0)
    for place in range(max(lengths)):
        for length in lengths:
            if place < length:
                totals[length] += float(at @ means[length - 1 - place])
        after = np.zeros(states)
        for column in steps.T:
            np.add.at(after, column, at / symbols)
        at = after
    return totals


def greatest_sensitivity(
    subject: LadderSubject, lengths: Sequence[int] = LENGTHS
) -> dict[int, int] | None:
    """Return the greatest number for each length; None if it takes too long."""
    steps = subject.steps
    states, symbols = steps.shape
    rests = _rests(subject, MAX_WORK // (states * symbols))
    if rests is None:
        return None
    maps, before = rests
    after = maps[:, steps]  # [rest, state, symbol]: the class
    sensitive = (after != after[:, :, :1]).any(axis=2)
    best = np.full((len(maps), states), -1)
    best[0] = 0
    greatest = {}
    for length in range(1, max(lengths) + 1):
        further = np.full_like(best, -1)
        for symbol in range(symbols):
            current = best[:, steps[:, symbol]]
            np.maximum.at(
                further, before[:, symbol], np.where(current < 0, -1, current + sensitive)
            )
        best = further
        if length in lengths:
            greatest[length] = int(best[:, subject.machine.start].max())
    return greatest


def _rests(subject: LadderSubject, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the maps from states to classes that words are, and `before[map, symbol]`, the map of
    the word with a symbol put in front; None if there are too many.
    """
    maps = [np.array(subject.machine.classes, dtype=np.int64)]
    index = {maps[0].tobytes(): 0}
    before = []
    for rest in maps:
        row = []
        for column in subject.steps.T:
            longer = rest[column]
            key = longer.tobytes()
            if key not in index:
                index[key] = len(maps)
                maps.append(longer)
            row.append(index[key])
        before.append(row)
        if len(maps) > most:
            return None
    return np.stack(maps), np.array(before)
