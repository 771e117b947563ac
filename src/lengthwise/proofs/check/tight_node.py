r"""The node function with tighter bounds, for networks with continuous memory.

A branch is bounded together with its residual connection: with the units of the feed-forward
network that are certainly on or off, $h + C\,\mathrm{relu}(E h)$ is linear with matrix $I + C D E$,
and only the other units (by at most half of what they could do) are added to its norm. Attention
likewise: with fixed weights it is linear in the values, and the effect of the weights is added.
These bounds can show that balls shrink.
"""

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.balls import OWN, Ball, Floats, largest_singular_value, norm_bound
from lengthwise.proofs.check.layer_node import ChunkBalls
from lengthwise.proofs.check.node import Node

_TOGETHER = 2**22
"""Largest number of matrix entries that are multiplied together."""


class TightNode(Node):
    """The node function with residual connections bounded together with their branches.

    It is tighter than `Node`, and slower: it takes singular values of a matrix for each chunk.
    """

    def _last_layer(self, x: ChunkBalls, present: NDArray[np.bool_], name: str) -> Ball:
        if self._norm == "pre" or self._activation != "relu":
            return super()._last_layer(x, present, name)
        h = self._after(self._attention_with_residual(x, present, name), f"{name}.attention_norm")
        return self._after(self._feed_forward_with_residual(h, name), f"{name}.feed_forward_norm")

    def _attention_with_residual(
        self, positions: ChunkBalls, present: NDArray[np.bool_], name: str
    ) -> Ball:
        attended = self._attend(positions, present, f"{name}.attention", every=False)
        x = positions.balls
        output = self._matrix(f"{name}.attention.output")
        loose = self.arithmetic.linear(attended.gathered, output)
        plain = self.arithmetic.add(x[:, -1:], loose)[:, 0]
        width = x.centre.shape[-1]
        heads = (self._heads, width // self._heads)
        value = self._matrix(f"{name}.attention.key_value", width).weight.reshape(*heads, width)
        out = output.weight.reshape(width, *heads)
        by_head = np.einsum("whs,hsv->hwv", out, value)
        weights = attended.weights[:, 0]
        radius = output.stretch * attended.local[:, 0]
        values = self._matrix(f"{name}.attention.key_value", width)
        slack = _slack(width, output.frobenius * values.frobenius)
        for position in range(x.centre.shape[1]):
            linear = np.tensordot(weights[:, position], by_head, axes=1)
            if position == x.centre.shape[1] - 1:
                linear = linear + np.eye(width)
            radius = radius + (largest_singular_value(linear) + slack) * x.radius[:, position]
        fresh = loose.radius - output.stretch * attended.gathered.radius  # rounding of the matrix
        size = plain.bound_norms() + attended.gathered.bound_norms()[:, 0]
        added = self.arithmetic.gamma(4) * size + width * self.arithmetic.bound_underflow(1, size)
        radius = (radius + fresh[:, 0] + added) * (1 + 1e-9)
        return Ball(plain.centre, _smaller(plain.radius, radius))

    def _feed_forward_with_residual(self, h: Ball, name: str) -> Ball:
        arithmetic = self.arithmetic
        expand, contract = self._matrix(f"{name}.expand"), self._matrix(f"{name}.contract")
        hidden = arithmetic.linear(h, expand)
        loose = arithmetic.linear(arithmetic.relu(hidden), contract)
        plain = arithmetic.add(h, loose)
        numbers, moved = arithmetic.numbers(h, expand)
        share = np.where(np.abs(numbers) > moved, numbers > 0, 0.5)
        unsure = ~(np.abs(numbers) > moved)
        width = h.centre.shape[-1]
        size = max(1, _TOGETHER // (width * len(expand.weight)))
        widest = [np.empty(0)]
        for start in range(0, len(share), size):
            linear = contract.weight * share[start : start + size, None] @ expand.weight
            widest.append(largest_singular_value(linear + np.eye(width)))
        slack = _slack(len(expand.weight), contract.frobenius * expand.frobenius)
        columns = norm_bound(contract.weight.T)
        strayed = (
            0.5
            * np.sqrt((unsure * columns**2).sum(axis=1))
            * np.sqrt((unsure * expand.rows**2).sum(axis=1))
        )
        fresh = hidden.radius - expand.stretch * h.radius
        last = loose.radius - contract.stretch * hidden.radius
        stretch = np.concatenate(widest) + slack + strayed
        sizes = plain.bound_norms() + h.bound_norms() + loose.bound_norms()
        added = arithmetic.gamma(4) * sizes + width * arithmetic.bound_underflow(1, sizes)
        radius = (stretch * h.radius + contract.stretch * fresh + last + added) * (1 + 1e-9)
        return Ball(plain.centre, _smaller(plain.radius, radius))


def _slack(terms: int, size: float) -> float:
    """Bound the rounding of a matrix that is made in float64: a product of matrices of `terms`
    terms whose norms have the product `size`, which may cancel, plus the identity.

    A term has at most one factor more, and `terms` + 1 additions.
    """
    return (2 * terms + 16) * OWN * (1 + size)


def _smaller(plain: Floats, tight: Floats) -> Floats:
    """Return the smaller radius; infinity where the plain one says that numbers could overflow."""
    return np.where(np.isfinite(plain), np.fmin(plain, tight), np.inf)
