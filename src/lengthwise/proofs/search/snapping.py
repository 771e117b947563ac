"""The record of snapping: all images, their elements and representatives.

The record holds numbers only, and is independent of the method of merging.

Axes:
    element  classes of vectors of one level
    vector   images of chunks
    chunk    the C children of an image
    width    numbers in a vector
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lengthwise.proofs.check.arrays import ABSENT, Integers, pack
from lengthwise.proofs.check.balls import Ball, Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Snaps:
    """All images of chunks at one level's interior or edge, with their elements."""

    representatives: Floats
    """`representatives[element, width]`."""
    children: Integers
    """`children[vector, chunk]`: elements of the level below, or `ABSENT`."""
    elements: Integers
    """`elements[vector]`: the element of the image."""
    distances: Floats
    """`distances[vector]` from its representative."""
    gap: float
    """Smallest distance of images that were snapped to two elements; infinite if there is one."""

    @property
    def spread(self) -> float:
        """Largest distance from a representative."""
        return float(self.distances.max(initial=0.0))

    def to_plain(self) -> dict[str, Any]:
        """Return the part that a checker needs, as JSON values."""
        return {
            name: pack(getattr(self, name)) for name in ("representatives", "children", "elements")
        }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SnappedLevel:
    """The interior and the edge of one level after the symbols."""

    interior: Snaps
    edge: Snaps


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Snapping:
    """Levels 1, 2, ... of representatives; the last one has those of level `repeat`."""

    levels: tuple[SnappedLevel, ...]
    repeat: int

    def without_empty_word(self) -> "Snapping":
        """Remove the element of the empty word, the last of level 1's edge.

        In a proof the empty word is classified directly. Where the last level has the elements of
        level 1, it has that one too.
        """
        levels = list(self.levels)
        edge = levels[0].edge
        rows = (edge.children != ABSENT).any(axis=1)
        if rows.all():
            return self
        levels[0] = replace(
            levels[0],
            edge=replace(
                edge,
                representatives=edge.representatives[:-1],
                children=edge.children[rows],
                elements=edge.elements[rows],
                distances=edge.distances[rows],
            ),
        )
        if self.repeat == 1:
            last = levels[-1].edge
            last = replace(last, representatives=last.representatives[:-1])
            levels[-1] = replace(levels[-1], edge=last)
        return replace(self, levels=tuple(levels))

    def to_plain(self) -> dict[str, Any]:
        """Return representatives and tables as JSON values."""
        levels = [
            {"interior": level.interior.to_plain(), "edge": level.edge.to_plain()}
            for level in self.levels
        ]
        return {"levels": levels, "repeat": self.repeat}


def stack(below: tuple[Ball, Ball], children: Integers, *, at_edge: bool) -> tuple[Ball, Integers]:
    """Concatenate interior and edge balls, and return children as rows of both.

    At the edge the first child that is not absent is an edge ball.
    """
    inner, outer = below
    balls = Ball(
        np.concatenate([inner.centre, outer.centre]), np.concatenate([inner.radius, outer.radius])
    )
    if not at_edge:
        return balls, children
    result = children.copy()
    first = (children != ABSENT).argmax(axis=1)
    rows = np.flatnonzero((children != ABSENT).any(axis=1))
    result[rows, first[rows]] += len(inner.radius)
    return balls, result
