"""Choose few literals whose truth values decide the class of a word.

`combine_literals` finds any Boolean function of few literals: sets of literals grow by one literal
at a time, and of all sets of one size those stay that leave the least entropy of the class (a
beam). A function such as "one of two, but not both" says little by one literal, and all by two, so
the beam is wide. `covering` finds "none of these holds", of any number of literals: each of them
holds of no word of class 1, and together they hold of all others.

Axes:
    literal  literals of a pool
    group    classes of words, by the truth values of the literals that were chosen before
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.rungs.literals import MarkedWords, Mask, Pool
from lengthwise.inference.sample import Array

Floats = NDArray[np.float64]

MOST_COUNTS = 2**24
"""Greatest number of counts, of a literal and a group each, by which a literal is chosen."""

_ENTRIES_AT_ONCE = 2
"""Entries of a pool that are counted in the time of a symbol of plain reading."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Clauses of literals of a pool, by their numbers, and how well they decide the class."""

    clauses: tuple[tuple[int, ...], ...]
    """A clause holds if one of its literals does."""
    wrong: int
    """Words that are not of the commonest class of their truth values."""
    bits: float
    """Entropy of the classes of all words, given the truth values of the clauses."""
    size: int
    """Number of symbols that the literals name."""

    def rank(self) -> tuple[int, int, float]:
        """Return the sort key; the best rule has the least."""
        return (self.wrong, self.size, self.bits)


@dataclass(frozen=True, slots=True)
class LiteralScores:
    """The rules that each literal would make, if it were added to one."""

    bits: Floats
    wrong: Array


def score_literals(pool: Pool, words: MarkedWords) -> LiteralScores:
    """Return the scores of all literals of a pool of words."""
    num_cells, num_classes = words.num_cells, words.num_classes
    words.read(scoring_work(pool, num_cells * num_classes))
    total = np.bincount(words.groups, minlength=num_cells * num_classes)
    counts = pool.counts(words.groups, num_cells * num_classes)
    log = logarithms(pool.num_words)
    bits, wrong = np.zeros(len(pool)), np.zeros(len(pool), dtype=np.int64)
    ones = np.ones(num_cells)  # a product with these is faster than a sum over few cells
    for part in (counts, total - counts):
        cells = part.reshape(len(pool), num_cells, num_classes)
        bits += left_entropy(cells, log) @ ones
        wrong += ((_reduce(np.add, cells) - _reduce(np.maximum, cells)) @ ones).astype(np.int64)
    return LiteralScores(bits, wrong)


def scoring_work(pool: Pool, num_groups: int) -> int:
    """Return the symbols that plain reading would read in the time of scoring all literals."""
    return len(pool.literal) // _ENTRIES_AT_ONCE + len(pool) * num_groups


def left_entropy(counts: Array, log: Floats) -> Floats:
    """Return the entropy of the class in each cell, in bits and for all its words, from the numbers
    of words, `[..., class]`."""
    bits: Floats = log[_reduce(np.add, counts)] - _reduce(np.add, log[counts])
    return bits


def _reduce(combine: np.ufunc, counts: Array | Floats) -> Any:
    """Combine the values of all classes; numpy is slow along an axis of two."""
    return reduce(combine, (counts[..., label] for label in range(counts.shape[-1])))


def logarithms(count: int) -> Floats:
    """Return n log2 n for n from 0 to `count`."""
    numbers = np.arange(count + 1, dtype=np.float64)
    return numbers * np.log2(np.maximum(numbers, 1))


def combine_literals(
    pool: Pool,
    words: MarkedWords,
    *,
    most: int,
    widths: Sequence[int],
    enough: int = 0,
    returned: int = 8,
) -> list[Rule]:
    """Return the best rules of at most `most` literals, best first.

    It stops at the first number of literals for which a rule misjudges at most `enough` words.
    `widths` are the numbers of rules of each size that stay in the beam. Words of different cells
    are distinguished from the beginning.
    """
    num_classes = words.num_classes
    beam: list[tuple[tuple[int, ...], Array]] = [((), words.groups)]
    best: list[Rule] = []
    for level in range(most):
        rules_by_literals: dict[tuple[int, ...], Rule] = {}
        num_cells = words.num_cells << level
        for literals, split in beam if len(pool) * num_cells * num_classes <= MOST_COUNTS else ():
            score = score_literals(pool, replace(words, groups=split, num_cells=num_cells))
            number = min(widths[level], len(pool))
            for literal in _best(score, pool.sizes, number).tolist():
                key = tuple(sorted((*literals, literal)))
                if literal in literals or key in rules_by_literals:
                    continue
                size = int(pool.sizes[list(key)].sum())
                rules_by_literals[key] = Rule(
                    tuple((each,) for each in key),
                    int(score.wrong[literal]),
                    float(score.bits[literal]),
                    size,
                )
        if not rules_by_literals:
            break
        rules = sorted(
            rules_by_literals.values(), key=lambda rule: (round(rule.bits, 6), rule.size)
        )
        rules = rules[: widths[level]]
        best = sorted([*best, *rules], key=Rule.rank)
        if best[0].wrong <= enough:
            break
        beam = []
        for rule in rules:
            literals = tuple(literal for (literal,) in rule.clauses)
            beam.append(
                (literals, split_cells(words.groups, map(pool.column, literals), num_classes))
            )
    return best[:returned]


def split_cells(groups: Array, columns: Iterable[Mask], num_classes: int) -> Array:
    """Split each cell by truth values; that of the first column is the highest bit."""
    cells, classes = np.divmod(groups, num_classes)
    for column in columns:
        cells = 2 * cells + column
    return cells * num_classes + classes


def _best(score: LiteralScores, sizes: Array, number: int) -> Array:
    """Return the literals that leave the least entropy."""
    if number < len(sizes):
        candidates = np.argpartition(score.bits, number - 1)[:number]
        limit = score.bits[candidates].max()
        candidates = np.flatnonzero(score.bits <= limit + 1e-9)
    else:
        candidates = np.arange(len(sizes))
    order = np.lexsort((sizes[candidates], np.round(score.bits[candidates], 6)))
    return candidates[order][:number]


def covering(pool: Pool, is_covered: Array, *, most: int, exceptions: int = 0) -> tuple[int, ...]:
    """Return few literals that hold of words of class 1 of `is_covered`, and of no others.

    The next literal is the one that covers most words that none covered so far; between equals, the
    shortest. `exceptions` is the number of other words that a literal may hold of.
    """
    other = pool.counts(is_covered, 2)[:, 0]
    allowed = other <= exceptions
    left = is_covered.copy()
    literals: list[int] = []
    for _ in range(most):
        gain = pool.counts(left, 2)[:, 1] - other
        value = np.where(allowed, gain - pool.sizes / 32, -1.0)
        literal = int(value.argmax()) if len(value) else -1
        if literal < 0 or gain[literal] <= 0 or not allowed[literal]:
            break
        literals.append(literal)
        left[pool.column(literal)] = 0
        if not left.any():
            break
    return _without_idle(pool, literals, is_covered)


def _without_idle(pool: Pool, literals: list[int], is_covered: Array) -> tuple[int, ...]:
    """Remove literals without which the same words are covered."""
    columns = [pool.column(literal) & (is_covered == 1) for literal in literals]
    for place in range(len(literals) - 1, -1, -1):
        rest = [column for i, column in enumerate(columns) if i != place]
        number = sum(column.astype(np.int64) for column in rest) if rest else np.zeros(1)
        if not (columns[place] & (number == 0)).any():
            columns.pop(place)
            literals = literals[:place] + literals[place + 1 :]
    return tuple(literals)
