r"""Do all vectors that a network can hold stay near the representatives of its algebra?

Idea. Put a ball around the representative of each element, and send all chunks of balls through the
node function, level by level; each image must lie in the ball of the element that the algebra's
table names. At the first level of the period the balls are made large enough to hold, after
one period, their own images. Then, by induction, every node of every word lies in its ball, at
every length; and if no logit can overtake another in a ball at the edge, the network *as it runs*
gives the classes of its algebra.

Bounds. What a residual connection adds is counted together with what it is added to: with the
units of the feed-forward network that are certainly on or off, $h + C\,\mathrm{relu}(E h)$ is
linear with matrix $I + C D E$, and only the other units (by at most half of what they could do)
are added to its norm. Attention likewise: with fixed weights it is linear in the values, and what
the weights do is added. This is what can show that balls shrink.

Where the balls outgrow half the distance to the next representative the bounds are too loose, and
nothing is claimed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.verification.balls import (
    OWN,
    Ball,
    Floats,
    largest_singular_value,
    norm,
    norm_bound,
)
from lengthwise.verification.node import Node
from lengthwise.verification.snapping import Snapping, Snaps, exactly, stacked

_ROUNDS = 60
_SLACK = 1.05
_BATCH = 512
_SAME = 1e-9


class TightNode(Node):
    """The node function with residual connections counted together with their branches.

    Tighter than `Node`, and slower: it takes singular values of a matrix for each chunk.
    """

    def _last_layer(self, x: Ball, present: NDArray[np.bool_], name: str) -> Ball:
        if self._norm == "pre" or self._activation != "relu":
            return super()._last_layer(x, present, name)
        h = self._after(self._attention_with_residual(x, present, name), f"{name}.attention_norm")
        return self._after(self._feed_forward_with_residual(h, name), f"{name}.feed_forward_norm")

    def _attention_with_residual(self, x: Ball, present: NDArray[np.bool_], name: str) -> Ball:
        attended = self._attend(x, present, f"{name}.attention", every=False)
        output = self._matrix(f"{name}.attention.output")
        loose = self.arithmetic.linear(attended.gathered, output)
        plain = self.arithmetic.add(x[:, -1:], loose)[:, 0]
        width = x.centre.shape[-1]
        heads = (self._heads, width // self._heads)
        value = self._matrix(f"{name}.attention.key_value", width).weight.reshape(*heads, width)
        out = output.weight.reshape(width, *heads)
        weights = attended.weights[:, 0]
        radius = output.stretch * attended.local[:, 0]
        # rounding of the matrices below, whose terms may cancel
        slack = (
            (2 * width + 16)
            * OWN
            * (1 + output.frobenius * self._matrix(f"{name}.attention.key_value", width).frobenius)
        )
        for place in range(x.centre.shape[1]):
            linear = np.einsum("whs,nh,hsv->nwv", out, weights[:, place], value)
            if place == x.centre.shape[1] - 1:
                linear = linear + np.eye(width)
            radius = radius + (largest_singular_value(linear) + slack) * x.radius[:, place]
        fresh = loose.radius - output.stretch * attended.gathered.radius  # rounding of the matrix
        size = plain.bound() + attended.gathered.bound()[:, 0]
        added = self.arithmetic.gamma(4) * size + width * self.arithmetic.lost(1, size)
        radius = (radius + fresh[:, 0] + added) * (1 + 1e-9)
        return Ball(plain.centre, np.fmin(plain.radius, radius))  # infinities may have met

    def _feed_forward_with_residual(self, h: Ball, name: str) -> Ball:
        arithmetic = self.arithmetic
        expand, contract = self._matrix(f"{name}.expand"), self._matrix(f"{name}.contract")
        hidden = arithmetic.linear(h, expand)
        loose = arithmetic.linear(arithmetic.relu(hidden), contract)
        plain = arithmetic.add(h, loose)
        numbers, moved = arithmetic.numbers(h, expand)
        share = np.where(np.abs(numbers) > moved, numbers > 0, 0.5)
        unsure = ~(np.abs(numbers) > moved)
        linear = np.einsum("wu,nu,uv->nwv", contract.weight, share, expand.weight)
        width = h.centre.shape[-1]
        linear = linear + np.eye(width)
        terms = 2 * len(expand.weight) + 16
        slack = terms * OWN * (1 + contract.frobenius * expand.frobenius)
        columns = norm_bound(contract.weight.T)
        strayed = (
            0.5
            * np.sqrt((unsure * columns**2).sum(axis=1))
            * np.sqrt((unsure * expand.rows**2).sum(axis=1))
        )
        fresh = hidden.radius - expand.stretch * h.radius
        last = loose.radius - contract.stretch * hidden.radius
        stretch = largest_singular_value(linear) + slack + strayed
        size = plain.bound() + h.bound() + loose.bound()
        added = arithmetic.gamma(4) * size + width * arithmetic.lost(1, size)
        radius = (stretch * h.radius + contract.stretch * fresh + last + added) * (1 + 1e-9)
        return Ball(plain.centre, np.fmin(plain.radius, radius))  # infinities may have met


@dataclass(frozen=True, kw_only=True, slots=True)
class Robustness:
    """Whether balls around the representatives hold everything, and how large they are."""

    holds: bool
    radius: float
    """Of the largest ball (when it was given up, of the one that was too large)."""
    room: float
    """Half the smallest distance of two representatives of one level."""
    lead: float
    """Smallest lead of the largest logit over the next, within any ball at the edge."""
    reason: str = ""


def robustness(node: TightNode, snapping: Snapping) -> Robustness:
    """Find balls that the network maps into each other, or say why none were found."""
    levels = snapping.levels
    room = min(
        (_half_gap(snaps) for level in levels for snaps in (level.interior, level.edge)),
        default=np.inf,
    )
    balls = (node.leaves(), node.leaves())
    radii = [(balls[0].radius, balls[1].radius)]
    for level in levels:
        balls = _images(node, balls, level.interior, level.edge)
        radii.append((balls[0].radius, balls[1].radius))
        largest = max(float(ball.radius.max(initial=0.0)) for ball in balls)
        if not largest < room:
            return _too_loose(largest, room)
    repeat = snapping.repeat
    at = _larger(radii[repeat], radii[-1])
    for _ in range(_ROUNDS):
        largest = float(max(part.max(initial=0.0) for part in at))
        if not largest < room:
            return _too_loose(largest, room)
        balls = _around(levels[repeat - 1].interior, levels[repeat - 1].edge, at)
        for level in levels[repeat:]:
            balls = _images(node, balls, level.interior, level.edge)
        after = (balls[0].radius, balls[1].radius)
        if all((a <= b).all() for a, b in zip(after, at, strict=True)):
            return _judged(node, snapping, at, room)
        at = _larger(at, (after[0] * _SLACK, after[1] * _SLACK))
    return Robustness(
        holds=False,
        radius=float(max(part.max(initial=0.0) for part in at)),
        room=room,
        lead=0.0,
        reason=f"no balls that hold their own images were found in {_ROUNDS} rounds",
    )


def _too_loose(radius: float, room: float) -> Robustness:
    reason = (
        f"the bounds are too loose: a ball of radius {radius:.3g} is needed, but half the distance "
        f"of two representatives is {room:.3g}"
    )
    return Robustness(holds=False, radius=radius, room=room, lead=0.0, reason=reason)


def _judged(
    node: TightNode, snapping: Snapping, at: tuple[Floats, Floats], room: float
) -> Robustness:
    """All balls once more, with what is read off them."""
    balls = (node.leaves(), node.leaves())
    largest, lead = 0.0, np.inf
    for number, level in enumerate(snapping.levels, start=1):
        balls = _images(node, balls, level.interior, level.edge)
        if number == snapping.repeat:
            balls = _around(level.interior, level.edge, at)
        largest = max(largest, *(float(ball.radius.max(initial=0.0)) for ball in balls))
        logits, radius = node.logits(balls[1])
        classes = node.logits(exactly(level.edge.representatives))[0].argmax(axis=1)
        rows = np.arange(len(logits))
        low = logits[rows, classes] - radius[rows, classes]
        high = np.where(np.arange(logits.shape[1]) == classes[:, None], -np.inf, logits + radius)
        lead = float(np.minimum(lead, (low - high.max(axis=1)).min(initial=np.inf)))
    holds = lead > 0
    reason = "" if holds else f"within a ball the lead of the answer is only {lead:.3g}"
    return Robustness(holds=holds, radius=largest, room=room, lead=lead, reason=reason)


def _images(
    node: TightNode, below: tuple[Ball, Ball], interior: Snaps, edge: Snaps
) -> tuple[Ball, Ball]:
    """Balls around the representatives of a level that hold the images of all chunks of balls."""
    results = []
    for snaps, at_edge in ((interior, False), (edge, True)):
        both, children = stacked(below, snaps.children, at_edge=at_edge)
        radius = np.zeros(len(snaps.representatives))
        for start in range(0, len(children), _BATCH):
            rows = slice(start, start + _BATCH)
            image = node.gathered(both, children[rows])
            target = snaps.elements[rows]
            off = norm(image.centre - snaps.representatives[target]) + image.radius
            np.maximum.at(radius, target, off * (1 + 1e-9))
        results.append(Ball(snaps.representatives, radius))
    return results[0], results[1]


def _around(interior: Snaps, edge: Snaps, at: tuple[Floats, Floats]) -> tuple[Ball, Ball]:
    return Ball(interior.representatives, at[0]), Ball(edge.representatives, at[1])


def _larger(mine: tuple[Floats, Floats], theirs: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return np.maximum(mine[0], theirs[0]), np.maximum(mine[1], theirs[1])


def _half_gap(snaps: Snaps) -> float:
    """Half the smallest distance of two representatives that are not the same vector."""
    vectors = snaps.representatives
    distances = norm(vectors[:, None] - vectors[None, :])
    return float(distances[distances > _SAME].min(initial=np.inf)) / 2
