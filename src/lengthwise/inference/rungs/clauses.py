"""Make clauses of the literals of a rule: one of several literals holds.

One literal after the other joins a clause, or is a new one: the literal that saves most bits of the
class, as long as it saves more than it has itself. Literals that no longer save theirs leave.

Axes:
    literal  literals of a pool
    group    classes of words, by the truth values of the clauses, that of the last one first
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from lengthwise.inference.rungs.literals import MarkedWords, Mask, Pool
from lengthwise.inference.rungs.rules import (
    Floats,
    Rule,
    left_entropy,
    logarithms,
    split_cells,
)
from lengthwise.inference.sample import Array

_MOST_COUNTS = 2**24
"""Greatest number of counts, of a group and a literal each, that one more literal is chosen by."""

Numbers: TypeAlias = Sequence[Sequence[int]]
"""Literals of each clause, by their numbers in a pool."""


@dataclass(slots=True)
class Clauses:
    """Makes clauses of the literals of a pool."""

    pool: Pool
    words: MarkedWords
    work: int = 0
    _prices: Floats = field(init=False)
    """Bits of each literal: of its symbols, and as many as one of these to name its kind."""
    _log: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._prices = (self._symbol * (self.pool.sizes + 1)).astype(np.float64)
        self._log = logarithms(self.pool.num_words)

    @property
    def _num_classes(self) -> int:
        return self.words.num_classes

    @property
    def _symbol(self) -> float:
        """Bits of a symbol."""
        return math.log2(self.words.num_symbols + 1)

    def widen(self, rule: Rule, enough: int = 0) -> Rule:
        """Return a rule with more literals, unless it misjudges at most `enough` words."""
        self.words.check()
        clauses: list[tuple[int, ...]] = list(rule.clauses)
        while self.judge(clauses).wrong > enough:
            place, literal = self._best_move(clauses)
            if literal < 0:
                break
            clauses[place:] = [
                (*sum(clauses[place : place + 1], ()), literal),
                *clauses[place + 1 :],
            ]
        return self.judge(self._joined(self._without_dear(clauses)))

    def judge(self, clauses: Numbers) -> Rule:
        """Return the rule of some clauses."""
        cells = self._count(self._split(clauses), len(clauses)).reshape(-1, self._num_classes)
        return Rule(
            clauses=tuple(map(tuple, clauses)),
            wrong=int(cells.sum() - cells.max(axis=1).sum()),
            bits=float(left_entropy(cells, self._log).sum()),
            size=sum(int(self.pool.sizes[list(clause)].sum()) for clause in clauses),
        )

    def split_words(self, rule: Rule) -> MarkedWords:
        """Return the words, with what a rule says of them as their cells."""
        num_cells = self.words.num_cells << len(rule.clauses)
        return replace(self.words, groups=self._split(rule.clauses), num_cells=num_cells)

    def _split(self, clauses: Numbers) -> Array:
        """Return the groups of the words, by all truth values."""
        columns = [self._holds(clause) for clause in reversed(clauses)]
        return split_cells(self.words.groups, columns, self._num_classes)

    def _holds(self, clause: Sequence[int]) -> Mask:
        return np.logical_or.reduce([self.pool.column(literal) for literal in clause])

    def _count(self, groups: Array, num_clauses: int) -> Array:
        return np.bincount(
            groups, minlength=self.words.num_cells * self._num_classes << num_clauses
        )

    def _best_move(self, clauses: Numbers) -> tuple[int, int]:
        """Return the literal that saves most, or -1, and the clause that it joins."""
        groups = self._split(clauses)
        total = self._count(groups, len(clauses))
        if 2 * len(self.pool) * len(total) > _MOST_COUNTS:
            return 0, -1
        bits = self._left(total[None])
        # what a new clause leaves: words for which it holds, and the others
        counts = self.pool.counts(groups, len(total))
        table = self._symbol * len(total) / self._num_classes
        saved = bits - self._left(counts) - self._left(total - counts) - self._prices - table
        best = float(saved.max()), len(clauses), int(saved.argmax())
        for place, clause in enumerate(clauses):
            # words for which the clause does not hold yet move to another cell
            still = np.where(self._holds(clause), len(total), groups)
            moved = self.pool.counts(still, len(total) + 1)[:, :-1]
            counts = (total - moved).reshape(len(self.pool), -1, 2, self._num_classes << place)
            counts[:, :, 1] += moved.reshape(counts.shape)[:, :, 0]
            saved = bits - self._left(counts) - self._prices
            best = max(best, (float(saved.max()), place, int(saved.argmax())))
        self.work += (len(clauses) + 1) * (
            len(self.pool.literal) + self.pool.sizes.size * len(total)
        )
        return (best[1], best[2]) if best[0] > 0 else (0, -1)

    def _left(self, counts: Array) -> Floats:
        """Return the entropy of the class that each literal leaves."""
        cells = counts.reshape(len(counts), -1, self._num_classes)
        return left_entropy(cells, self._log).sum(axis=1)

    def _without_dear(self, clauses: Numbers) -> Numbers:
        """Remove literals that save fewer bits than they have, the first ones first."""
        for literal in [literal for clause in clauses for literal in clause]:
            rest = [[each for each in clause if each != literal] for clause in clauses]
            rest = [clause for clause in rest if clause]
            if rest and self.judge(rest).bits - self.judge(clauses).bits < self._prices[literal]:
                clauses = rest
        return clauses

    def _joined(self, clauses: Numbers) -> Numbers:
        """Make one clause of two, where that loses less than a symbol has."""
        for one, other in combinations(range(len(clauses)), 2):
            rest = [clause for place, clause in enumerate(clauses) if place not in (one, other)]
            joined = [*rest, [*clauses[one], *clauses[other]]]
            if self.judge(joined).bits - self.judge(clauses).bits < self._symbol:
                return self._joined(joined)
        return clauses
