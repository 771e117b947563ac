"""Which vectors became one element? Everything that was merged, so that it can be looked at again.

Numbers only: nothing here knows how the merging was done.

Axes:
    element  classes of vectors of one level
    vector   images of chunks
    chunk    the C children of an image
    width    numbers in a vector
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.errors import CertificateError
from lengthwise.verification.algebra import ABSENT, Integers
from lengthwise.verification.arrays import pack, unpack
from lengthwise.verification.balls import Ball, Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Snaps:
    """All images of chunks at one level's interior or edge, and what each was snapped to."""

    representatives: Floats
    """`representatives[element, width]`."""
    children: Integers
    """`children[vector, chunk]`: elements of the level below, or `ABSENT`."""
    elements: Integers
    """`elements[vector]`: what the image was snapped to."""
    distances: Floats
    """`distances[vector]` from its representative."""
    gap: float
    """Smallest distance of images that were snapped to two elements; infinite if there is one."""

    @property
    def spread(self) -> float:
        """Largest distance from a representative."""
        return float(self.distances.max(initial=0.0))

    def to_plain(self) -> dict[str, Any]:
        """The arrays as JSON can hold them."""
        return {name: pack(getattr(self, name)) for name in _ARRAYS}

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> "Snaps":
        """The inverse of `to_plain`; the gap is not kept.

        Raises:
            CertificateError: the arrays are of other types, or do not fit together.
        """
        snaps = cls(**{name: unpack(values[name]) for name in _ARRAYS}, gap=np.nan)
        arrays = (snaps.representatives, snaps.children, snaps.elements, snaps.distances)
        wanted = (("float64", 2), ("int64", 2), ("int64", 1), ("float64", 1))
        fit = all((a.dtype.name, a.ndim) == w for a, w in zip(arrays, wanted, strict=True))
        fit = fit and len(snaps.children) == len(snaps.elements) == len(snaps.distances)
        count = len(snaps.representatives)
        if not fit or not ((snaps.elements >= 0) & (snaps.elements < count)).all():
            raise CertificateError("the certificate does not hold: arrays do not fit together.")
        return snaps


_ARRAYS = ("representatives", "children", "elements", "distances")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SnappedLevel:
    """One level after the symbols."""

    interior: Snaps
    edge: Snaps


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Snapping:
    """Levels 1, 2, ... of representatives; the last one has those of level `repeat`."""

    levels: tuple[SnappedLevel, ...]
    repeat: int

    def to_plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        levels = [
            {"interior": level.interior.to_plain(), "edge": level.edge.to_plain()}
            for level in self.levels
        ]
        return {"levels": levels, "repeat": self.repeat}

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> "Snapping":
        """The inverse of `to_plain`."""
        levels = (
            SnappedLevel(
                interior=Snaps.from_plain(level["interior"]), edge=Snaps.from_plain(level["edge"])
            )
            for level in values["levels"]
        )
        return cls(levels=tuple(levels), repeat=values["repeat"])


def exactly(vectors: Floats) -> Ball:
    """Balls of radius 0."""
    return Ball(vectors, np.zeros(len(vectors)))


def stacked(
    below: tuple[Ball, Ball], children: Integers, *, at_edge: bool
) -> tuple[Ball, Integers]:
    """Interior and edge balls in one, and children as rows of that.

    At the edge the first child that is there is one of the edge.
    """
    inner, outer = below
    both = Ball(
        np.concatenate([inner.centre, outer.centre]), np.concatenate([inner.radius, outer.radius])
    )
    if not at_edge:
        return both, children
    result = children.copy()
    first = (children != ABSENT).argmax(axis=1)
    rows = np.flatnonzero((children != ABSENT).any(axis=1))
    result[rows, first[rows]] += len(inner.radius)
    return both, result
