"""Widen the literals of a rule to clauses; a clause holds if one of its literals does.

One literal after the other joins a clause, or begins one: always the literal that lowers the
entropy of the class most, less the bits that describe it. Those that do not pay for their
description are removed in the end.

Axes:
    literal  literals of a pool
    group    `cell * num_classes + class` of a word; the truth values of all clauses are bits of
             the cell, that of the first clause the lowest
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from lengthwise.inference.rungs.literals import MarkedWords, Mask, Pool
from lengthwise.inference.rungs.rules import (
    MOST_COUNTS,
    Floats,
    Rule,
    left_entropy,
    logarithms,
    scoring_work,
    split_cells,
)
from lengthwise.inference.sample import Array

ClauseNumbers: TypeAlias = Sequence[Sequence[int]]
"""Literals of each clause, by their numbers in a pool."""


@dataclass(slots=True)
class Clauses:
    """Builds clauses from the literals of a pool."""

    pool: Pool
    words: MarkedWords
    _prices: Floats = field(init=False)
    """Bits that describe each literal: those of its symbols, and as many as of one for its kind."""
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
        """Add literals until a rule misjudges at most `enough` words or none pays for itself; then
        remove and merge those that do not pay."""
        clauses: list[tuple[int, ...]] = list(rule.clauses)
        while self.judge(clauses).wrong > enough:
            place, literal = self._best_move(clauses)
            if literal < 0:
                break
            grown = [*clauses, ()]
            grown[place] = (*grown[place], literal)
            clauses = [clause for clause in grown if clause]
        return self.judge(self._merge(self._prune(clauses)))

    def judge(self, clauses: ClauseNumbers) -> Rule:
        """Return the rule of some clauses."""
        cells = self._count(self._split(clauses), len(clauses)).reshape(-1, self._num_classes)
        return Rule(
            clauses=tuple(map(tuple, clauses)),
            wrong=int(cells.sum() - cells.max(axis=1).sum()),
            bits=float(left_entropy(cells, self._log).sum()),
            size=sum(int(self.pool.sizes[list(clause)].sum()) for clause in clauses),
        )

    def split_words(self, rule: Rule) -> MarkedWords:
        """Return the words with their cells split by the clauses of a rule."""
        num_cells = self.words.num_cells << len(rule.clauses)
        return replace(self.words, groups=self._split(rule.clauses), num_cells=num_cells)

    def _split(self, clauses: ClauseNumbers) -> Array:
        """Return the group of each word."""
        columns = [self._holds(clause) for clause in reversed(clauses)]
        return split_cells(self.words.groups, columns, self._num_classes)

    def _holds(self, clause: Sequence[int]) -> Mask:
        return np.logical_or.reduce([self.pool.column(literal) for literal in clause])

    def _count(self, groups: Array, num_clauses: int) -> Array:
        return np.bincount(
            groups, minlength=self.words.num_cells * self._num_classes << num_clauses
        )

    def _best_move(self, clauses: ClauseNumbers) -> tuple[int, int]:
        """Return the clause and the literal that joins it: of all pairs the one that saves most
        bits; literal -1 if none saves any."""
        groups = self._split(clauses)
        total = self._count(groups, len(clauses))
        if 2 * len(self.pool) * len(total) > MOST_COUNTS:
            return 0, -1
        self.words.read((len(clauses) + 1) * scoring_work(self.pool, len(total)))
        bits = self._entropy(total[None])
        # what a new clause leaves: words for which it holds, and the others
        counts = self.pool.counts(groups, len(total))
        table = self._symbol * len(total) / self._num_classes
        saved = bits - self._entropy(counts) - self._entropy(total - counts) - self._prices - table
        best = float(saved.max()), len(clauses), int(saved.argmax())
        for place, clause in enumerate(clauses):
            # words for which the clause does not hold yet move to another cell
            still = np.where(self._holds(clause), len(total), groups)
            moved = self.pool.counts(still, len(total) + 1)[:, :-1]
            counts = (total - moved).reshape(len(self.pool), -1, 2, self._num_classes << place)
            counts[:, :, 1] += moved.reshape(counts.shape)[:, :, 0]
            saved = bits - self._entropy(counts) - self._prices
            best = max(best, (float(saved.max()), place, int(saved.argmax())))
        return (best[1], best[2]) if best[0] > 0 else (0, -1)

    def _entropy(self, counts: Array) -> Floats:
        """Return the entropy of the class that each literal leaves."""
        cells = counts.reshape(len(counts), -1, self._num_classes)
        return left_entropy(cells, self._log).sum(axis=1)

    def _prune(self, clauses: ClauseNumbers) -> ClauseNumbers:
        """Remove literals that save fewer bits than describe them, the first ones first."""
        for literal in [literal for clause in clauses for literal in clause]:
            rest = [[each for each in clause if each != literal] for clause in clauses]
            rest = [clause for clause in rest if clause]
            if rest and self.judge(rest).bits - self.judge(clauses).bits < self._prices[literal]:
                clauses = rest
        return clauses

    def _merge(self, clauses: ClauseNumbers) -> ClauseNumbers:
        """Merge two clauses where that costs fewer bits than a symbol has."""
        for one, other in combinations(range(len(clauses)), 2):
            rest = [clause for place, clause in enumerate(clauses) if place not in (one, other)]
            joined = [*rest, [*clauses[one], *clauses[other]]]
            if self.judge(joined).bits - self.judge(clauses).bits < self._symbol:
                return self._merge(joined)
        return clauses
