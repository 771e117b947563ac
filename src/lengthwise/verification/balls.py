r"""Where can the numbers of a network be, whatever the order in which floats are added?

A ball is a centre $c$, computed in float64, and a radius $\rho$: every vector that the network can
hold at that place lies within $\rho$ of $c$ in the Euclidean norm. An operation maps balls to
balls. Its radius covers

- what the radius of its argument becomes: a matrix W stretches it by at most its largest singular
  value, ReLU not at all, softmax and layer norm as their docstrings say;
- the rounding of the network's own arithmetic, with unit roundoff u (2^-24 for float32): a sum of
  n products, in any order, fused or not, is off by at most $\gamma_n \sum |a_i b_i|$, where
  $\gamma_n = n u / (1 - n u)$ (Higham, Accuracy and Stability of Numerical Algorithms, 3.1);
- the rounding of the centre, by the same rule with the unit roundoff of float64.

What is assumed of the machine: arithmetic rounds to nearest, exp, erf and reciprocal roots are
within `_ULPS` units in the last place, and products are not cut to fewer bits (no TF32). Where
numbers could overflow, a radius is infinite.

Axes:
    width   numbers in a vector; all others are places at which balls stand
"""

from dataclasses import dataclass
from math import erf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OWN = 2.0**-53
"""Unit roundoff of float64, in which centres and radii are computed."""

_ULPS = 8
_TINY = 1e-30
"""Added to every radius: more than what underflow of single numbers can lose."""
_OUTWARD = 1 + 1e-9
"""Factor on every radius: more than what rounding can lose in computing the radius itself."""


@dataclass(frozen=True, slots=True)
class Ball:
    """Vectors `centre[..., width]`, each with a `radius[...]`."""

    centre: Floats
    radius: Floats

    def __add__(self, other: "Ball") -> "Ball":
        return Ball(self.centre + other.centre, self.radius + other.radius)

    def __getitem__(self, key: Any) -> "Ball":
        """Some of the balls; the key must leave the last axis alone."""
        return Ball(self.centre[key], self.radius[key])

    def bound(self) -> Floats:
        """Largest Euclidean norm of a vector in each ball."""
        return norm(self.centre) + self.radius


def norm(x: Floats) -> Floats:
    """Euclidean norm over the last axis."""
    return np.sqrt(np.einsum("...i,...i->...", x, x))


class Matrix:
    """A matrix with a bias, and the norms that bound what it does to balls."""

    def __init__(self, weight: Floats, bias: Floats | None = None) -> None:
        self.weight = weight
        self.bias = np.zeros(len(weight)) if bias is None else bias
        self.rows = norm(weight) * _OUTWARD
        self.stretch = float(largest_singular_value(weight))
        self.frobenius = float(np.linalg.norm(weight)) * _OUTWARD
        self.bias_norm = float(np.linalg.norm(self.bias)) * _OUTWARD


def largest_singular_value(matrices: Floats) -> Floats:
    """By how much each matrix stretches at most, rounded up; infinite if it is not of numbers."""
    if not np.isfinite(matrices).all():
        return np.full(matrices.shape[:-2], np.inf)
    return np.asarray(np.linalg.norm(matrices, 2, axis=(-2, -1)) * _OUTWARD + _TINY)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Operations on balls, for networks in floats of unit roundoff `unit`, `largest` at most."""

    unit: float
    largest: float

    def gamma(self, terms: int) -> float:
        """Relative error of a sum of that many products, in the network and in the centre."""
        return sum(terms * u / (1 - terms * u) for u in (self.unit, OWN))

    def safe(self, size: Floats, radius: Floats) -> Floats:
        """The radius, or infinity where numbers of that size could overflow on the way."""
        return np.where(size < 1e-6 * self.largest, radius, np.inf)

    def rounded(self, x: Ball, operations: int = 1) -> Ball:
        """The same after some elementwise operations, each of which rounds once."""
        size = x.bound()
        return _ball(x.centre, x.radius + self.safe(size, self.gamma(operations) * size))

    def scaled(self, x: Ball, factor: float) -> Ball:
        """Times a number, which is rounded itself."""
        return self.rounded(Ball(x.centre * factor, x.radius * abs(factor)), 3)

    def add(self, x: Ball, y: Ball) -> Ball:
        """The sum of two vectors."""
        return self.rounded(x + y)

    def linear(self, x: Ball, matrix: Matrix) -> Ball:
        """W x + b."""
        size = matrix.frobenius * x.bound() + matrix.bias_norm
        fresh = self.safe(size, self.gamma(matrix.weight.shape[1] + 2) * size)
        centre = x.centre @ matrix.weight.T + matrix.bias
        return _ball(centre, matrix.stretch * x.radius + fresh)

    def numbers(self, x: Ball, matrix: Matrix) -> tuple[Floats, Floats]:
        """W x + b with a radius for each number, smaller than that of the vector."""
        size = x.bound()[..., None] * matrix.rows + np.abs(matrix.bias)
        fresh = self.safe(size, self.gamma(matrix.weight.shape[1] + 2) * size)
        radius = x.radius[..., None] * matrix.rows + fresh
        return x.centre @ matrix.weight.T + matrix.bias, _outward(radius)

    def relu(self, x: Ball) -> Ball:
        """max(x, 0), which brings no two vectors further apart."""
        return Ball(np.maximum(x.centre, 0.0), x.radius)

    def gelu(self, x: Ball) -> Ball:
        """x Φ(x), whose slope is below 1.13."""
        half = 0.5 * (1.0 + np.vectorize(erf, otypes=[float])(x.centre / sqrt(2.0)))
        return self.rounded(Ball(x.centre * half, 1.13 * x.radius), 4 * _ULPS) + Ball(
            np.zeros_like(x.centre), self.gamma(4 * _ULPS) * x.bound()
        )

    def layer_norm(self, x: Ball, weight: Floats, bias: Floats, epsilon: float) -> Ball:
        r"""$g \odot z / s + b$ with $z = x - \bar x$ and $s^2 = \overline{z^2} + \epsilon$.

        Its Jacobian is g times a contraction over s, so a radius grows by at most max|g| / s for
        the smallest s within the ball.
        """
        width = x.centre.shape[-1]
        mean = x.centre.mean(axis=-1, keepdims=True)
        centred = x.centre - mean
        scale = np.sqrt((centred**2).mean(axis=-1) + epsilon)
        # rounding of mean and difference is as if x had moved by this much
        moved = x.radius + self.gamma(width + 10) * x.bound()
        low = scale - moved / sqrt(width)
        low = np.maximum(low, sqrt(epsilon))
        largest = float(np.abs(weight).max())
        # rounding of the variance, the root and the products: relative, mean squared included
        high = scale + moved / sqrt(width)
        excess = (high**2 + (np.abs(mean[..., 0]) + moved) ** 2) / low**2
        fresh = self.gamma(width + 2 * _ULPS) * excess * sqrt(width) * largest
        fresh = fresh + self.gamma(4) * float(np.linalg.norm(bias))
        centre = centred / scale[..., None] * weight + bias
        size = np.maximum(x.bound() ** 2, sqrt(width) * largest + np.linalg.norm(bias))
        return _ball(centre, moved * largest / low + self.safe(size, fresh))

    def softmax(
        self, logits: Floats, radius: Floats, present: NDArray[np.bool_]
    ) -> tuple[Floats, Floats, float]:
        """Weights over axis -2, how far they can move together, and the relative rounding.

        The movements of the weights of one softmax sum to 0.
        """
        radius = radius + self.gamma(4) * np.where(present, np.abs(logits) + radius, 0.0).max(
            axis=-2, keepdims=True
        )
        logits = np.where(present, logits, -np.inf)
        weight = _weights(logits)
        places = logits.shape[-2]
        moved = np.zeros_like(weight)
        for place in range(places):
            own = np.arange(places)[:, None] == place
            with np.errstate(invalid="ignore"):
                up = _weights(np.where(own, logits + radius, logits - radius))
                down = _weights(np.where(own, logits - radius, logits + radius))
            widest = np.maximum(up - weight, weight - down)
            moved[..., place, :] = widest[..., place, :]
        moved = (moved + 1e-14) * present * _OUTWARD
        return weight, moved, self.gamma(places + 4 * _ULPS)


def _weights(logits: Floats) -> Floats:
    largest = logits.max(axis=-2, keepdims=True)
    power = np.exp(logits - largest)
    return power / power.sum(axis=-2, keepdims=True)


def _ball(centre: Floats, radius: Floats) -> Ball:
    return Ball(centre, _outward(radius))


def _outward(radius: Floats) -> Floats:
    """A little larger, and infinite where infinities met."""
    larger: Floats = radius * _OUTWARD + _TINY
    return np.where(np.isnan(larger), np.inf, larger)
