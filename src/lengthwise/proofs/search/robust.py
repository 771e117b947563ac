r"""Find balls around representatives that hold every vector of the network, for `robust` proofs.

Idea. Put a ball around the representative of each element, and send all chunks of balls through the
node function, level by level; each image must lie in the ball of the element that the algebra's
table names. At the first level of the period the balls are made large enough to hold, after
one period, their own images. Then, by induction, every node of every word lies in its ball, at
every length; and if no logit can overtake another in a ball at the edge, the network *as it runs*
gives the classes of its algebra.

Where the balls outgrow half the distance to the next representative the bounds are too loose, and
nothing is claimed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.proofs.check.balls import Ball, Floats, norm, norm_bound
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.search.snapping import Snapping, Snaps, stack

_ROUNDS = 60
_SLACK = 1.05
_BATCH = 512
_SAME = 1e-9
_ROOM_TO_CHECK = 1 + 1e-6
"""Factor on radii, so that a processor that adds in another order finds the same balls to hold."""


Radii = tuple[Floats, Floats]
"""Radii of the balls of a level's interior and of its edge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Robustness:
    """Balls around all representatives that hold all vectors, or the reason why there are none."""

    radii: tuple[Radii, ...]
    """Radii from level 1 on; empty if the bounds are too loose."""
    radius: float
    """Radius of the largest ball (after a failure, of the ball that was too large)."""
    room: float
    """Half the smallest distance of two representatives of one level."""
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether balls were found."""
        return not self.reason


def robustness(node: TightNode, snapping: Snapping) -> Robustness:
    """Find balls that the network maps into each other, or the reason why there are none.

    The balls of level `repeat` grow until they hold those of the last level, which are their own
    images after one period.
    """
    repeat, levels = snapping.repeat, snapping.levels
    room = min(
        (_half_gap(snaps) for level in levels for snaps in (level.interior, level.edge)),
        default=np.inf,
    )
    radii: list[Radii] = []
    for number in range(1, len(levels) + 1):
        radii.append(_images(node, snapping, radii, number))
        if not _largest(radii[-1:]) < room:
            return _too_loose(_largest(radii[-1:]), room)
    for _ in range(_ROUNDS):
        after = radii[-1]
        if all((a <= b).all() for a, b in zip(after, radii[repeat - 1], strict=True)):
            return Robustness(radii=tuple(radii), radius=_largest(radii), room=room)
        radii = [
            *radii[: repeat - 1],
            _larger(radii[repeat - 1], (after[0] * _SLACK, after[1] * _SLACK)),
        ]
        for number in range(repeat + 1, len(levels) + 1):
            radii.append(_images(node, snapping, radii, number))
        if not _largest(radii) < room:
            return _too_loose(_largest(radii), room)
    reason = f"no balls that hold their own images were found in {_ROUNDS} rounds"
    return Robustness(radii=(), radius=_largest(radii), room=room, reason=reason)


def _largest(radii: Sequence[Radii]) -> float:
    return float(max(part.max(initial=0.0) for pair in radii for part in pair))


def _too_loose(radius: float, room: float) -> Robustness:
    reason = (
        f"the bounds are too loose: a ball of radius {radius:.3g} is needed, but half the distance "
        f"of two representatives is {room:.3g}"
    )
    return Robustness(radii=(), radius=radius, room=room, reason=reason)


def _images(node: TightNode, snapping: Snapping, radii: Sequence[Radii], number: int) -> Radii:
    """Return radii with which the balls of a level hold the images of those of the level below."""
    below = (node.leaves(), node.leaves())
    if number > 1:
        under = snapping.levels[number - 2]
        below = (
            Ball(under.interior.representatives, radii[number - 2][0]),
            Ball(under.edge.representatives, radii[number - 2][1]),
        )
    level, results = snapping.levels[number - 1], []
    for snaps, at_edge in ((level.interior, False), (level.edge, True)):
        balls, children = stack(below, snaps.children, at_edge=at_edge)
        radius = np.zeros(len(snaps.representatives))
        for start in range(0, len(children), _BATCH):
            rows = slice(start, start + _BATCH)
            image = node.gather(balls, children[rows])
            target = snaps.elements[rows]
            off = norm_bound(image.centre - snaps.representatives[target]) + image.radius
            np.maximum.at(radius, target, off * _ROOM_TO_CHECK)
        results.append(radius)
    return results[0], results[1]


def _larger(first: Radii, second: Radii) -> Radii:
    return np.maximum(first[0], second[0]), np.maximum(first[1], second[1])


def _half_gap(snaps: Snaps) -> float:
    """Return half the smallest distance of two representatives that are not the same vector."""
    vectors = snaps.representatives
    distances = norm(vectors[:, None] - vectors[None, :])
    return float(distances[distances > _SAME].min(initial=np.inf)) / 2
