"""Choose few literals whose truth values decide the class of a word.

`combine_literals` finds any Boolean function of few literals: sets of literals grow by one literal
at a
time, and of all sets of one size those stay that leave the least entropy of the class (a beam). A
function such as "one of two, but not both" says little by one literal, and all by two, so the beam
is wide. `covering` finds "none of these holds", of any number of literals: each of them holds of no
word of class 1, and together they hold of all others.

Axes:
    literal  literals of a pool
    group    classes of words, by the truth values of the literals that were chosen before
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.rungs.literals import Pool
from lengthwise.inference.sample import Array

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rule:
    """Literals of a pool, by their numbers, and how well they decide the class."""

    chosen: tuple[int, ...]
    wrong: int
    """Words that are not of the commonest class of their truth values."""
    bits: float
    """Entropy of the classes of all words, given the truth values of the literals."""
    size: int
    """Number of symbols that the literals name."""


@dataclass(frozen=True, slots=True)
class LiteralScores:
    """What each literal would make of a rule, if it were added."""

    bits: Floats
    wrong: Array


def score_literals(pool: Pool, groups: Array, num_cells: int, num_classes: int) -> LiteralScores:
    """Return the scores of all literals; `groups` are `cell * num_classes + class` of each word."""
    total = np.bincount(groups, minlength=num_cells * num_classes)
    counts = pool.counts(groups, num_cells * num_classes)
    log = _logarithms(pool.num_words)
    bits, wrong = np.zeros(len(pool)), np.zeros(len(pool), dtype=np.int64)
    for part in (counts, total - counts):
        cells = part.reshape(len(pool), num_cells, num_classes)
        number = cells.sum(axis=2)
        bits += log[number].sum(axis=1) - log[part].sum(axis=1)
        wrong += (number - cells.max(axis=2)).sum(axis=1)
    return LiteralScores(bits, wrong)


def _logarithms(count: int) -> Floats:
    """Return n log2 n for n from 0 to `count`."""
    numbers = np.arange(count + 1, dtype=np.float64)
    return numbers * np.log2(np.maximum(numbers, 1))


def combine_literals(
    pool: Pool,
    classes: Array,
    num_classes: int,
    *,
    most: int,
    widths: Sequence[int],
    cells: Array | None = None,
    num_cells: int = 1,
    enough: int = 0,
    returned: int = 8,
) -> tuple[list[Rule], int]:
    """Return the best rules of at most `most` literals, best first, and the work.

    It stops at the first number of literals for which a rule misjudges at most `enough` words.
    `widths` are the numbers of rules of each size that stay in the beam. Words of different `cells`
    are distinguished from the beginning.
    """
    known = np.zeros_like(classes) if cells is None else cells
    beam: list[tuple[tuple[int, ...], Array]] = [((), known * num_classes + classes)]
    best: list[Rule] = []
    work = 0
    for level in range(most):
        rules_by_literals: dict[tuple[int, ...], Rule] = {}
        for literals, groups in beam:
            score = score_literals(pool, groups, num_cells * 2**level, num_classes)
            work += len(pool.literal) + len(pool) * num_cells * 2 ** (level + 1)
            number = min(widths[level], len(pool))
            for literal in _best(score, pool.sizes, number).tolist():
                key = tuple(sorted((*literals, literal)))
                if literal in literals or key in rules_by_literals:
                    continue
                size = int(pool.sizes[list(key)].sum())
                rules_by_literals[key] = Rule(
                    key, int(score.wrong[literal]), float(score.bits[literal]), size
                )
        if not rules_by_literals:
            break
        rules = sorted(
            rules_by_literals.values(), key=lambda rule: (round(rule.bits, 6), rule.size)
        )
        rules = rules[: widths[level]]
        best = sorted([*best, *rules], key=lambda rule: (rule.wrong, rule.size, rule.bits))
        if best[0].wrong <= enough:
            break
        beam = [
            (rule.chosen, _group_cells(pool, rule.chosen, known, classes, num_classes))
            for rule in rules
        ]
    return best[:returned], work


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


def _group_cells(
    pool: Pool, literals: Sequence[int], cells: Array, classes: Array, num_classes: int
) -> Array:
    """Return `cell * num_classes + class` of each word; truth values of literals split cells."""
    for literal in literals:
        cells = 2 * cells + pool.column(literal)
    return cells * num_classes + classes


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
