"""Repetition: the first levels of a continuous network that equal earlier ones up to names."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.continuous_levels import ContinuousLevel
from lengthwise.proofs.search.finite_algebra import NONE, Tables
from lengthwise.proofs.search.merging import NO_ANSWER

_NEAR = 0.25
"""Share of the gap within which a class is the same as one of another level. Any other class is
then at least three times as far away."""

_Names = tuple[Integers, Integers]
"""For each element of the interior and of the edge, its number at an earlier level."""


def find_repetition(levels: list[ContinuousLevel]) -> tuple[int, int, _Names] | None:
    """Return levels r < e such that e, e + 1, ... equal r, r + 1, ..., and the names of e in r.

    Only known levels are compared. None means that no repetition was found.
    """
    for period in range(1, (len(levels) - 1) // 2 + 1):
        end = len(levels) - period
        late, early = levels[end - 1 :], levels[end - period - 1 :]
        names = [_nearest(*pair) for pair in zip(late, early, strict=False)]
        if all(
            _alike(late_kind, early_kind, below, above)
            for late_kind, early_kind, (below, above) in zip(
                late[1:], early[1:], pairwise(names), strict=False
            )
        ):
            assert names[0] is not None
            return end - period, end, names[0]
    return None


def _nearest(late: ContinuousLevel, early: ContinuousLevel) -> _Names | None:
    """Map each element to the nearest one of the earlier level; None if that is not one to one."""
    maps = []
    for late_kind, early_kind in zip(late.kinds, early.kinds, strict=True):
        ours, known = late_kind.representatives, early_kind.representatives
        if len(ours) != len(known):
            return None
        if not len(ours):
            maps.append(np.empty(0, dtype=np.int64))
            continue
        distances = np.linalg.norm(ours[:, None] - known, axis=2)
        nearest = distances.argmin(axis=1)
        # one element alone has no gap: then the longest vector is the measure
        room = min(late_kind.gap, early_kind.gap, float(np.linalg.norm(known, axis=1).max()))
        if len(np.unique(nearest)) < len(ours) or distances.min(axis=1).max() > _NEAR * room:
            return None
        maps.append(nearest)
    return maps[0], maps[1]


def _alike(
    late: ContinuousLevel, early: ContinuousLevel, below: _Names | None, above: _Names | None
) -> bool:
    """Return whether the tables that made two levels, and their answers, agree up to names."""
    if below is None or above is None:
        return False
    inner, outer = below
    renamed = _renumber(late.tables, above)
    answers = np.empty_like(late.answers)
    answers[above[1]] = late.answers
    return (
        bool(((answers == early.answers) | (answers == NO_ANSWER)).all())
        and np.array_equal(
            early.tables.interior[np.ix_(*[inner] * early.tables.interior.ndim)], renamed.interior
        )
        and all(
            np.array_equal(known[np.ix_(outer, *[inner] * (known.ndim - 1))], table)
            for known, table in zip(early.tables.edge, renamed.edge, strict=True)
        )
    )


def _renumber(tables: Tables, above: _Names) -> Tables:
    """Renumber the elements that tables produce."""
    inner, outer = above
    order = np.argsort(outer)
    assert tables.logits is not None
    return Tables(
        interior=np.append(inner, NONE)[tables.interior],
        edge=tuple(np.append(outer, NONE)[table] for table in tables.edge),
        classes=tables.classes[order],
        logits=tables.logits[order],
    )


def with_earlier_elements(
    late: ContinuousLevel, early: ContinuousLevel, names: _Names
) -> ContinuousLevel:
    """Return a level that has the representatives of an earlier one, and their classes."""
    interior, edge = (
        replace(
            late_kind,
            representatives=early_kind.representatives,
            elements=numbers[late_kind.elements],
            distances=np.linalg.norm(
                images - early_kind.representatives[numbers[late_kind.elements]], axis=1
            ),
        )
        for late_kind, early_kind, numbers, images in zip(
            late.kinds, early.kinds, names, late.images, strict=True
        )
    )
    tables = replace(
        _renumber(late.tables, names), classes=early.tables.classes, logits=early.tables.logits
    )
    return replace(late, tables=tables, interior=interior, edge=edge)
