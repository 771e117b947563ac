"""Choose a tier: the symbols that a rule reads, while it skips all others.

Local search: one symbol at a time enters or leaves the tier, while a judge prefers that.

Axes:
    symbol  symbols
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lengthwise.inference.rungs.literals import Kind, MarkedWords, Mask, keep_literals
from lengthwise.inference.rungs.rules import combine_literals, covering
from lengthwise.inference.sample import Array

_GAIN = 1e-6
"""Amount by which a tier has to be better."""

_SKIPPING = 3
"""Symbols of plain reading in the time in which a symbol outside a tier is skipped."""

Judge: TypeAlias = Callable[[MarkedWords], float]
"""Returns how bad words on a tier are, 0 if there is nothing to improve."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftEntropy:
    """Judge by the entropy of the class that the best rule of up to `depth` literals leaves."""

    kind: Kind
    depth: int = 1
    width: int = 4

    def __call__(self, words: MarkedWords) -> float:
        """Judge words on a tier."""
        pool = keep_literals(self.kind(words), 3)
        if not len(pool):
            return float("inf")
        rules = combine_literals(
            pool,
            words,
            most=self.depth,
            widths=[self.width] * self.depth,
            returned=self.width * self.depth,
        )
        return min(rule.bits for rule in rules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Uncovered:
    """Judge by the number of words of one class for which none of a few literals holds. These
    literals hold for no words of other classes."""

    kind: Kind
    covered: int
    most: int = 3

    def __call__(self, words: MarkedWords) -> float:
        """Judge words on a tier."""
        pool = keep_literals(self.kind(words), 2)
        is_covered = words.are_of(self.covered)
        literals = covering(pool, is_covered, most=self.most) if len(pool) else ()
        left = is_covered.copy()
        for literal in literals:
            left[pool.column(literal)] = 0
        words.read(len(pool.literal) * (len(literals) + 2))
        return float(left.sum())


def search_tier(
    words: MarkedWords,
    judge: Judge,
    start: Mask,
    *,
    order: Array | None = None,
) -> Mask:
    """Return the tier that local search from `start` ends with."""
    tier = start.copy()
    badness = judge(words.on_tier(tier))
    symbols = np.arange(len(tier)) if order is None else order
    place = unchanged = 0
    while unchanged < len(symbols) and badness > 0:
        words.read(_SKIPPING * words.digits.size)
        symbol = symbols[place % len(symbols)]
        place += 1
        tier[symbol] ^= True
        if tier.any():
            new_badness = judge(words.on_tier(tier))
            if new_badness < badness - _GAIN:
                badness, unchanged = new_badness, 0
                continue
        tier[symbol] ^= True
        unchanged += 1
    return tier
