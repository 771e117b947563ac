r"""Interval arithmetic on balls: bounds on all vectors of a network, for any order of additions.

A ball is a centre $c$, computed in float64, and a radius $\rho$: every vector that the network can
compute there, and the vector of real arithmetic, lie within $\rho$ of $c$ in the Euclidean norm. An
operation maps balls to balls. Its radius covers

- what the radius of its argument becomes: a matrix W stretches it by at most its largest singular
  value, ReLU not at all, softmax and layer norm as their docstrings say;
- the rounding of the network's own arithmetic, with unit roundoff u (2^-24 for float32): a sum of
  n products, in any order, fused or not, is off by at most $\gamma_n \sum |a_i b_i|$, where
  $\gamma_n = n u / (1 - n u)$ (Higham, Accuracy and Stability of Numerical Algorithms, 3.1);
- what the network loses to small numbers, by `Arithmetic.bound_underflow`: any number below the
smallest
  normal one t (2^-126 for float32) may be taken as 0, before an operation or after it;
- the same two losses in the computation of the centre, with the u and t of float64.

Radii are computed in float64 as well. Every bound is kept at `_LEAST` or more, so that no product
of bounds is too small for a float64, and every radius is multiplied by `_OUTWARD`, which is more
than nine million roundings can lose. Sums of more than four million terms have no finite radius. A
radius is never NaN: where infinities meet it is infinite.

Assumptions about the machine, for the network and for numpy: arithmetic rounds to nearest; numbers
below the smallest normal one are kept, or are taken as 0 before an operation, after it, or both;
reciprocal roots are within `_ROOT_ULPS` units in the last place, exp within `_EXP_ULPS`, tanh
within `_ULPS`, and erf within `_ULPS` units of 1; a product of matrices is made of sums of
products. TF32 and fast matrix multiplication (Strassen, Winograd) are not covered:
they cut products to fewer bits, or form other sums. bfloat16 has bounds of its own
(`bfloat16_balls.py`).
Where numbers could overflow, a radius is infinite.

Axes:
    width   numbers in a vector; all other axes are positions of balls
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import erf, inf, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Size = TypeVar("Size", float, Floats)

OWN = 2.0**-53
"""Unit roundoff of float64, the type of centres and radii."""
_OWN_TINY = 2.0**-1022
"""Smallest normal number of float64."""

_ULPS = 8
_ROOT_ULPS = 2
"""Error of reciprocal roots in units in the last place: CUDA's bound; processors round both the
root and the reciprocal.
"""
_EXP_ULPS = 20
"""Error of exp in units in the last place: the bound of torch's fastest exp."""
_LEAST = 1e-90
"""Added to every radius: a product of three bounds of at least this size is a normal number."""
_OUTWARD = 1 + 1e-9
"""Factor on every radius: more than rounding loses in computing the radius itself."""
_INWARD = 1 - 1e-9
_MOST_TERMS = 4 * 10**6
_SQUARINGS = 11


@dataclass(frozen=True, slots=True)
class Ball:
    """A ball of vectors `centre[..., width]` for each `radius[...]`."""

    centre: Floats
    radius: Floats

    def __add__(self, other: "Ball") -> "Ball":
        return Ball(self.centre + other.centre, self.radius + other.radius)

    def __getitem__(self, key: Any) -> "Ball":
        """Select balls; the key must leave the last axis alone."""
        return Ball(self.centre[key], self.radius[key])

    def bound_norms(self) -> Floats:
        """Return the largest Euclidean norm of a vector in each ball."""
        return norm_bound(self.centre) + self.radius


def norm(x: Floats) -> Floats:
    """Return the Euclidean norm over the last axis."""
    return np.sqrt(np.einsum("...i,...i->...", x, x))


def norm_bound(x: Floats) -> Floats:
    """Return an upper bound on the Euclidean norm over the last axis; infinite for NaN.

    The square of a number below 1e-120 may be lost. Beside a larger number it is negligible, and
    four million of them have a norm below `_LEAST`.
    """
    length = norm(x) * _OUTWARD
    return np.where(np.isnan(length), inf, np.maximum(length, _LEAST))


class Matrix:
    """A matrix with a bias, and the norms that bound its action on balls."""

    def __init__(self, weight: Floats, bias: Floats | None = None) -> None:
        self.weight = weight
        self.bias = np.zeros(len(weight)) if bias is None else bias
        self.rows = norm_bound(weight)
        self.stretch = float(largest_singular_value(weight))
        self.frobenius = float(norm_bound(self.rows))
        self.bias_norm = float(norm_bound(self.bias))


@np.errstate(over="ignore", invalid="ignore")
def largest_singular_value(matrices: Floats) -> Floats:
    r"""Return an upper bound on the largest singular value of each matrix; infinite for NaN.

    $$\|A\|^2 = \|A A^T\| \quad\text{and}\quad \|A\| \le \|A\|_F$$

    The product is taken `_SQUARINGS` times, each time of the last one divided by its Frobenius norm
    f. Then $\|A_k\| = f_k \|S_k\|$ and $\|S_k\|^2 \le \|A_{k+1}\| + e$, where e covers the rounding
    of quotient and product, whose entries are of matrices of norm 1. The Frobenius norm of the last
    product is at most the root of its rank times the norm; the rest of that factor after taking
    square roots is below 1.004 for a million rows. No eigenvalue routine has to be trusted.
    """
    if not np.isfinite(matrices).all():
        return np.full(matrices.shape[:-2], inf)
    tall = matrices.shape[-2] > matrices.shape[-1]
    power = np.swapaxes(matrices, -1, -2) if tall else matrices
    norms, error = [], []
    for _ in range(_SQUARINGS):
        norms.append(norm_bound(norm_bound(power)))
        error.append(4 * _gamma(power.shape[-1] + 4, OWN))
        power = power / norms[-1][..., None, None]
        power = power @ np.swapaxes(power, -1, -2)
    bound = norm_bound(norm_bound(power))
    for length, lost in zip(reversed(norms), reversed(error), strict=True):
        bound = length * np.sqrt(bound + lost)
    return outward(np.minimum(bound, norms[0]))


@dataclass(frozen=True, slots=True)
class NormErrors:
    """How a layer norm can be off, in the notation of `Arithmetic.layer_norm`."""

    centre: Floats
    """z / s of the centre."""
    scale: Floats
    """The least s in the ball."""
    offset: Floats
    """β"""
    ratio: Floats
    """a"""
    off: Floats
    """η"""
    turned: Floats
    """τ"""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Operations on balls, for networks in a floating-point type.

    The unit roundoff is `unit`, the largest number `largest`, and the smallest normal one `tiny`.
    """

    unit: float
    largest: float
    tiny: float

    @classmethod
    def of(cls, name: str) -> "Arithmetic":
        """Return the arithmetic of a floating-point type of numpy."""
        numbers = np.finfo(name)
        return cls(
            unit=float(numbers.eps) / 2,
            largest=float(numbers.max),
            tiny=float(numbers.smallest_normal),
        )

    # ---- what an operation can lose ------------------------------------------------------------

    def gamma(self, terms: float) -> float:
        """Return the relative error of a sum of that many products, in the network and in the
        centre.
        """
        return _gamma(terms, self.unit) + _gamma(terms, OWN)

    def sums(self, terms: float) -> float:
        """Return the relative error of a sum of that many products that are formed one by one."""
        return self.gamma(terms)

    def bound_underflow(self, terms: int, size: Size) -> Size:
        r"""Bound the effect of small numbers taken as 0 on $b + \sum_i x_i w_i$, of n products.

        $$8 t \left(n + 1 + \sqrt n \cdot \mathrm{size}\right), \qquad
        \mathrm{size} \ge \|x\|_2 + \|w\|_2$$

        With t the smallest normal number, a product of $x_i$ and $w_i$ moves by at most
        $t \max(|x_i|, |w_i|)$ if a factor is taken as 0, and by t if the product is; an addition
        moves by at most 3 t, for its two arguments and its result. Rounding multiplies what was
        lost before by at most 2, and 1-norms are at most $\sqrt n$ times Euclidean ones. Gradual
        underflow loses less. The loss of the network and that of the centre are added.
        """
        return 8 * (self.tiny + _OWN_TINY) * (terms + 1 + sqrt(terms) * size)

    def safe(self, size: Floats, radius: Floats) -> Floats:
        """Return the radius, or infinity where numbers of that size could overflow."""
        return np.where(size < 1e-6 * self.largest, radius, inf)

    def round(self, x: Ball, operations: int = 1) -> Ball:
        """Return the ball after some elementwise operations that round once each."""
        size = x.bound_norms()
        lost = sqrt(x.centre.shape[-1]) * self.bound_underflow(operations, size)
        return _ball(x.centre, x.radius + self.safe(size, self.gamma(operations) * size + lost))

    # ---- operations ----------------------------------------------------------------------------

    def scale(self, x: Ball, factor: float) -> Ball:
        """Multiply by a number, which is rounded itself, or divide by its reciprocal.

        A division by a root takes four roundings at most: of the root, to the network's type, of
        its reciprocal, and of the product. The centre has fewer.
        """
        size = np.maximum(x.bound_norms(), 1.0) * max(abs(factor), 1.0)
        lost = sqrt(x.centre.shape[-1]) * self.bound_underflow(4, size)
        fresh = self.safe(size, lost)
        return self.round(Ball(x.centre * factor, x.radius * abs(factor) + fresh), 4)

    def add(self, x: Ball, y: Ball) -> Ball:
        """Return the sum of two vectors."""
        return self.round(x + y)

    def linear(self, x: Ball, matrix: Matrix) -> Ball:
        """Return W x + b."""
        rows, terms = matrix.weight.shape
        size = matrix.frobenius * x.bound_norms() + matrix.bias_norm
        lost = sqrt(rows) * self.bound_underflow(terms, x.bound_norms() + matrix.frobenius)
        fresh = self.safe(size, self.gamma(terms + 2) * size + lost)
        centre = x.centre @ matrix.weight.T + matrix.bias
        return _ball(centre, matrix.stretch * x.radius + fresh)

    def numbers(self, x: Ball, matrix: Matrix) -> tuple[Floats, Floats]:
        """Return W x + b with a radius for each number, smaller than that of the vector."""
        terms = matrix.weight.shape[1]
        size = x.bound_norms()[..., None] * matrix.rows + np.abs(matrix.bias)
        lost = self.bound_underflow(terms, x.bound_norms()[..., None] + matrix.rows)
        fresh = self.safe(size, self.gamma(terms + 2) * size + lost)
        radius = x.radius[..., None] * matrix.rows + fresh
        return x.centre @ matrix.weight.T + matrix.bias, outward(radius)

    def relu(self, x: Ball) -> Ball:
        """Return max(x, 0), which brings no two vectors further apart."""
        return self._elementwise(x, np.maximum(x.centre, 0.0), slope=1.0, operations=0)

    def gelu(self, x: Ball) -> Ball:
        r"""Return x Φ(x), whose slope is at most $Φ(\sqrt 2) + \sqrt 2 φ(\sqrt 2) < 1.13$.

        It is computed as $(x / 2) (1 + \mathrm{erf}(x / \sqrt 2))$. The argument of erf is within
        three roundings, which move erf by less than 2 u, for its slope times its argument is at
        most 0.5. With erf off by `_ULPS` units of 1, or 2 `_ULPS` u, and four more roundings, the
        result is off by less than 4 `_ULPS` u |x|.
        """
        half = 0.5 * (1.0 + _erf(x.centre / sqrt(2.0)))
        return self._elementwise(x, x.centre * half, slope=1.13, operations=4 * _ULPS)

    def tanh(self, x: Ball) -> Ball:
        """Return tanh x, whose slope is at most 1, and which is at most |x|."""
        return self._elementwise(x, np.tanh(x.centre), slope=1.0, operations=2 * _ULPS)

    def sigmoid(self, x: Ball) -> Ball:
        r"""Return $\sigma(x) = 1 / (1 + e^{-x})$, whose slope is at most 1/4.

        A factor 1 + δ on $e^{-x}$ changes the result by a factor within 1 ± |δ|, and sum and
        quotient round once each; the result is at most 1. Where $e^{-x}$ overflows the computed
        result is 0, and the true one is below the smallest normal number.
        """
        width = x.centre.shape[-1]
        centre = 1.0 / (1.0 + np.exp(-x.centre))
        fresh = sqrt(width) * (self.gamma(2 * _EXP_ULPS + 4) + self.bound_underflow(1, 1.0))
        return _ball(
            centre, 0.25 * x.radius + self.safe(x.bound_norms(), np.full_like(x.radius, fresh))
        )

    def product(self, x: Ball, y: Ball) -> Ball:
        r"""Return the product of entries.

        $$\|x y - c_x c_y\| \le ρ_x \max|y| + \max|c_x| ρ_y, \qquad \max|y| \le \max|c_y| + ρ_y$$
        """
        largest_x = np.abs(x.centre).max(axis=-1)
        largest_y = np.abs(y.centre).max(axis=-1) + y.radius
        size = x.bound_norms() * y.bound_norms()
        lost = sqrt(x.centre.shape[-1]) * self.bound_underflow(1, x.bound_norms() + y.bound_norms())
        fresh = self.safe(size, self.gamma(1) * x.bound_norms() * largest_y + lost)
        return _ball(x.centre * y.centre, x.radius * largest_y + largest_x * y.radius + fresh)

    def _elementwise(self, x: Ball, centre: Floats, slope: float, operations: int) -> Ball:
        """Return values of a function of that slope, with that many roundings, each of numbers up
        to x.
        """
        size = x.bound_norms()
        lost = sqrt(x.centre.shape[-1]) * self.bound_underflow(operations + 1, size + 1.0)
        fresh = self.safe(size, self.gamma(operations) * size + lost)
        return _ball(centre, slope * x.radius + fresh)

    def layer_norm(self, x: Ball, weight: Floats, bias: Floats, epsilon: float) -> Ball:
        r"""Return $f(x) = g \odot z / s + b$, $z = x - \bar x$, $v = \overline{z^2}$, $s^2 = v +
        ε$.

        The radius is, with G = max|g|, n the width, and everything else as defined below,

        $$ρ G / s + τ \sqrt n G + \|g\| η (1 + τ)
        + γ_6 \left((1 + τ) \sqrt n G (a + β + η) + \|b\|\right) .$$

        *The ball.* f has the Jacobian $g \odot (P - z z^T / n s^2) / s$ with P the projection off
        the mean, which is g times a contraction over s. Let s from here on be the smallest in the
        ball: the deviation $\sqrt v$ is at least that of the centre less $ρ / \sqrt n$.

        *Sizes.* Let β s be the largest $|\bar x|$ in the ball and $a^2 = 1 + β^2$. Then in each of
        its points $\overline{x^2} = v + \bar x^2 \le a^2 (v + ε)$.

        *The mean.* The computed mean is off by at most η s with $η = γ_{n+24} a$, if it is a sum
        in any order over n, or is updated one by one by $m_k = m_{k-1} + (x_k - m_{k-1}) / k$, or
        joins the means of parts. In one by one, step k adds at most u |m_k| and 3 u |x_k - m_{k-1}|
        / k, and counts k / n in the end: with $k |m_k| \le \sqrt k \|x\|$ and
        $\sum_k (1 - 1/k) (x_k - m_{k-1})^2 = n v$ that is less than
        (2n/3 + 6) u times the root of $\overline{x^2}$.

        *The variance.* The computed one, before ε is added, is off by at most q (v + ε), where q is
        the larger of $γ_{9n/4 + 64} a$ and $γ_{n+24} (a^2 + 2 a β)$, plus
        $2 (γ_{n+64} a)^2$. These are the ways that are covered:

        - $\overline{(x - m)^2}$ with the computed mean m: off by $γ_{n+6} v + 2 (η s)^2$;
        - $\overline{x^2} - m^2$: off by $γ_{n+5} \overline{x^2} + γ_3 m^2$, and by
          $2 |\bar x| η s + (η s)^2$ for the error of m;
        - Welford's sum of $(x_k - m_{k-1}) (x_k - m_k)$. If e_k is the error of m_k, by
          Cauchy it is off by $γ_{n+3} v + (1 + \sqrt 2) \sqrt v E + E^2$, E the root mean square of
          the e_k. As above $E \le (n / 2 + 5 \sqrt{1 + \ln n}) u$ times the root of
          $\overline{x^2}$;
        - sums of squares and means of parts, joined two by two (Chan et al.), which is what
          torch does on processors (strips of 16 by Welford, then pairs, then the lanes of a vector)
          and on GPUs. Each stage is as good as Welford's over its few parts, and the errors of the
          means that enter it move the deviation by at most their root mean square.

        *The root.* If q >= 1, nothing is left of the sum v + ε and the radius is infinite. Else
        $|(1 ± q)^{-1/2} - 1| \le (1 - q)^{-1/2} - 1$, for all q and not to first order; with the
        roundings of ε, sum, root and reciprocal (θ = γ of 2 `_ROOT_ULPS` + 4) the computed 1/s is
        off by a relative $τ = (1 + θ) (1 - q)^{-1/2} - 1$. This moves f by at most
        $τ \|g \odot z\| / s \le τ \sqrt n G$, and the mean by $\|g\| η (1 + τ)$.

        *The result.* torch forms $(x r - m r) g + b$ with r the computed 1/s, where two large
        numbers may cancel, or $(x - m) r g + b$, or $x (r g) + (b - m r g)$. In each of them the
        roundings are at most $γ_6 (|g| (|x| + |m|) r + |b|)$, with $\|x\| / s \le \sqrt n a$ and
        $|m| / s \le β + η$.

        γ counts roundings of the network and of the centre. All of this also holds for their sum,
        since $(1 - q)^{-1/2} - 1$ is convex in q and 0 at 0. Small numbers that are taken as 0 are
        added to η, to q and to the result as `bound_underflow` says.
        """
        root = sqrt(x.centre.shape[-1])
        gain = float(np.abs(weight).max())
        norm = self.norm_errors(x, epsilon)
        centre, scale, turned = norm.centre * weight + bias, norm.scale, norm.turned
        largest = (1 + turned) / scale
        gains, biases = float(norm_bound(weight)), float(norm_bound(bias))
        fresh = root * gain * turned + gains * norm.off * (1 + turned)
        summed = root * gain * (1 + turned) * (norm.ratio + norm.offset + norm.off) + biases
        fresh = fresh + self.gamma(6) * summed
        size = x.bound_norms()
        together = (1 + 2 * size) * (1 + largest) * (1 + gain) + biases
        fresh = fresh + root * self.bound_underflow(4, together)
        most = np.maximum(4 * x.centre.shape[-1] * size**2, together)
        return _ball(centre, x.radius * gain / scale + self.safe(most, fresh))

    def norm_errors(self, x: Ball, epsilon: float) -> "NormErrors":
        """Return what `layer_norm` says of mean, variance and root."""
        width = x.centre.shape[-1]
        root = sqrt(width)
        mean = x.centre.mean(axis=-1, keepdims=True)
        centred = x.centre - mean
        spread = np.sqrt((centred**2).mean(axis=-1))
        centre = centred / np.sqrt(spread**2 + epsilon)[..., None]

        size = x.bound_norms()
        reach = x.radius / root + _gamma(width + 24, OWN) * norm_bound(x.centre) / root
        low = np.maximum(spread * _INWARD - reach * _OUTWARD, 0.0)
        scale = np.sqrt(low**2 + epsilon) * _INWARD
        offset = (np.abs(mean[..., 0]) + reach) / scale * _OUTWARD
        ratio = np.sqrt(1 + offset**2) * _OUTWARD

        off = self.gamma(width + 24) * ratio + self.bound_underflow(width, size) / scale
        one_by_one = self.gamma(2.25 * width + 64) * ratio
        squares = self.gamma(width + 24) * (ratio**2 + 2 * ratio * offset)
        lost = self.bound_underflow(width, 4 * size)
        moved = np.maximum(one_by_one, squares) + 2 * (self.gamma(width + 64) * ratio) ** 2
        moved = (moved + lost * (1 + 4 * size + lost) / scale**2) * _OUTWARD
        turned = np.expm1(-0.5 * np.log1p(-moved, out=np.full_like(moved, -inf), where=moved < 1))
        rounding = self.gamma(2 * _ROOT_ULPS + 4)
        turned = turned + rounding + rounding * turned
        return NormErrors(centre, scale, offset, ratio, off, turned)

    def exp_rounding(self, size: Floats) -> Floats:
        """Return the movement of logits, up to `size`, that rounding in an exp amounts to."""
        return self.gamma(6) * size + self.gamma(2 * _EXP_ULPS + 4)

    def softmax(
        self, logits: Floats, radius: Floats, present: NDArray[np.bool_]
    ) -> tuple[Floats, Floats, float]:
        r"""Return weights over axis -2, how far they can move together, and the relative rounding.

        $$w_j = e^{l_j} / \sum_i e^{l_i}$$

        grows with $l_j$ and falls with all other logits. So, for any logits within their radii,
        $w_j$ lies between its values with $l_j$ at one end and all others at the other, and the
        movements of the weights of one softmax sum to 0.

        A factor 1 + δ on the computed $e^{l_j}$, and the rounding of $l_j - \max l$, are as if the
        logit had moved by log(1 + δ), or by so much. They are added to the radius, and what is left
        is the rounding of the sum and of the division: relative to each weight, and in addition to
        movements. An exp that is taken as 0 is within `bound_underflow`.
        """
        positions = logits.shape[-2]
        size = np.where(present, np.abs(logits) + radius, 0.0).max(axis=-2, keepdims=True)
        radius = outward(radius + self.exp_rounding(size))
        logits = np.where(present, logits, -inf)
        weight = _weights(logits)
        moved = np.zeros_like(weight)
        for position in range(positions):
            is_own = np.arange(positions)[:, None] == position
            up = _weights(np.where(is_own, logits + radius, logits - radius))
            down = _weights(np.where(is_own, logits - radius, logits + radius))
            widest = np.maximum(up - weight, weight - down)
            # the three are of float64
            widest = widest + _gamma(2 * positions + 4 * _ULPS, OWN) * (up + weight)
            moved[..., position, :] = widest[..., position, :]
        moved = np.where(present, outward(moved + self.bound_underflow(positions, 1.0)), 0.0)
        return weight, moved, self.gamma(positions + 4)

    def rectify(
        self, logits: Floats, radius: Floats, present: NDArray[np.bool_]
    ) -> tuple[Floats, Floats, float]:
        r"""Return weights $\max(l, 0) / C$ over the last axis, of C positions, how far they can
        move, and the relative rounding of the quotient.

        $\max(l, 0)$ moves by at most as much as l. Unlike those of softmax, the movements have any
        sum.
        """
        positions = logits.shape[-1]
        weight = np.where(present, np.maximum(logits, 0.0), 0.0) / positions
        moved = radius / positions + self.bound_underflow(4, np.abs(logits) + radius + positions)
        return weight, np.where(present, outward(moved), 0.0), self.gamma(4)


def _gamma(terms: float, unit: float) -> float:
    return terms * unit / (1 - terms * unit) if terms <= _MOST_TERMS and terms * unit < 1 else inf


_erf: Callable[[Floats], Floats] = np.vectorize(erf, otypes=[float])


def _weights(logits: Floats) -> Floats:
    """Return softmax over axis -2; NaN where a logit is neither finite nor -inf."""
    with np.errstate(invalid="ignore"):
        power = np.exp(logits - logits.max(axis=-2, keepdims=True))
        return power / power.sum(axis=-2, keepdims=True)


def _ball(centre: Floats, radius: Floats) -> Ball:
    return Ball(centre, outward(radius))


def outward(radius: Floats) -> Floats:
    """Enlarge a radius a little; it is infinite where infinities met."""
    larger: Floats = radius * _OUTWARD + _LEAST
    return np.where(np.isnan(larger), inf, larger)
