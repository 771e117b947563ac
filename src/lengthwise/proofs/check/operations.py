r"""The operations of programs on numbers with bounds, for any order of additions.

Operations that `balls.py` bounds are asked of it, each number as a ball of one number. The others
are bounded here, under the same assumptions about the machine, and these: log, log1p and pow are
within `_ULPS` units in the last place, sin and cos within as many of 1, for numbers up to 1,000.

Axes:
    lane    words that are computed side by side; the first axis of every array
    term    numbers that are added
"""

from collections.abc import Callable, Sequence
from math import inf, prod, sqrt
from typing import Any

import numpy as np

from lengthwise.proofs.check.balls import (
    Arithmetic,
    Ball,
    Floats,
    largest_singular_value,
    norm_bound,
    outward,
)
from lengthwise.proofs.check.numbers import Choices, Numbers, require_few_numbers
from lengthwise.proofs.check.schema import require

_ULPS = 8
"""Error of functions that are bounded here, in units in the last place."""


class Operations:
    """Operations on numbers, for networks in a floating-point type."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic

    # ---- two arrays of one rank ------------------------------------------------------------------

    def add(self, x: Numbers, y: Numbers) -> Numbers:
        """Return x + y."""
        x, y = _spread(x, y)
        size = x.largest + y.largest
        fresh = self._rounded(1, size)
        return Numbers.bounded(
            x.centre + y.centre, x.radius + y.radius + fresh, x.total + y.total + _total(fresh)
        )

    def sub(self, x: Numbers, y: Numbers) -> Numbers:
        """Return x - y."""
        return self.add(x, self.neg(y))

    def mul(self, x: Numbers, y: Numbers) -> Numbers:
        """Return the product of entries."""
        x, y = _spread(x, y)
        size, lost = x.largest * y.largest, self._lost(1, x.largest + y.largest)
        fresh = self._safe(size, self.arithmetic.gamma(1) * size + lost)
        moved = x.radius * y.largest + np.abs(x.centre) * y.radius
        total = x.total * y.greatest + x.greatest * y.total + _total(fresh)
        return Numbers.bounded(x.centre * y.centre, moved + fresh, total)

    def div(self, x: Numbers, y: Numbers) -> Numbers:
        r"""Return x / y, where $|x / y - c_x / c_y| \le (ρ_x + |c_x / c_y| ρ_y) / \min |y|$.

        It rounds twice where the reciprocal of y is multiplied, as GPUs do for one y.
        A divisor that may be as small as the smallest normal number has no bound.
        """
        x, y = _spread(x, y)
        least = np.abs(y.centre) - outward(y.radius)
        is_far = least > 2 * self.arithmetic.tiny
        least = np.where(is_far, least, 1.0)
        centre = x.centre / y.centre
        size = x.largest / least
        lost = self._lost(1, 1.0 + x.largest) * (1.0 + 1.0 / least)
        fresh = self.arithmetic.gamma(2) * size + lost
        fresh = self._safe(size + x.largest + y.largest, fresh)
        fresh = np.where(is_far, fresh, inf)
        moved = (x.radius + np.abs(centre) * y.radius) / least
        total = (x.total + _greatest(np.abs(centre)) * y.total) / _least(least) + _total(fresh)
        return Numbers.bounded(centre, moved + fresh, total)

    def maximum(self, x: Numbers, y: Numbers) -> Numbers:
        """Return the larger of two entries, which moves by no more than they do."""
        x, y = _spread(x, y)
        return self._kept(np.maximum(x.centre, y.centre), np.maximum(x.radius, y.radius))

    def minimum(self, x: Numbers, y: Numbers) -> Numbers:
        """Return the smaller of two entries."""
        x, y = _spread(x, y)
        return self._kept(np.minimum(x.centre, y.centre), np.maximum(x.radius, y.radius))

    def matmul(self, x: Numbers, y: Numbers) -> Numbers:
        """Return products of matrices, over the last two axes."""
        return self.addmm(None, x, y)

    def addmm(self, bias: Numbers | None, x: Numbers, y: Numbers) -> Numbers:
        """Return bias + x y, whose terms are added in any order."""
        terms, rank = x.centre.shape[-1], x.centre.ndim
        require(rank == y.centre.ndim > 2, "matrices have rows and columns")
        require(terms == y.centre.shape[-2], "matrices fit together")
        shapes = (*x.centre.shape[:-1], 1), (*y.centre.shape[:-2], 1, y.centre.shape[-1])
        shape = np.broadcast_shapes(*shapes)
        require_few_numbers(shape)
        size, centre = x.largest @ y.largest, x.centre @ y.centre
        moved = x.radius @ y.largest + np.abs(x.centre) @ y.radius
        total = _carried(x, shape, y) + _carried(y, shape, x)
        if bias is not None:
            bias = bias.spread(shape)
            size, centre = size + bias.largest, centre + bias.centre
            moved, total = moved + bias.radius, total + bias.total
        lengths = norm_bound(x.largest)[..., None] + norm_bound(_swap(y.largest))[..., None, :]
        fresh = self.arithmetic.gamma(terms + 2) * size + self._lost(terms, lengths)
        fresh = self._safe(size, fresh)
        return Numbers.bounded(centre, moved + fresh, total + _total(fresh))

    # ---- over axes -------------------------------------------------------------------------------

    def sum(self, x: Numbers, axes: Sequence[int], keep: bool) -> Numbers:
        """Return sums over axes, in any order."""
        over: dict[str, Any] = {"axis": tuple(axes), "keepdims": keep}
        terms = int(np.prod([x.centre.shape[axis] for axis in axes]))
        size = x.largest.sum(**over)
        fresh = self.arithmetic.gamma(terms) * size + self._lost(terms, sqrt(terms) + size)
        fresh = self._safe(size, fresh)
        total = sqrt(terms) * x.total + _total(fresh)
        return Numbers.bounded(x.centre.sum(**over), x.radius.sum(**over) + fresh, total)

    def amax(self, x: Numbers, axes: Sequence[int], keep: bool) -> Numbers:
        """Return the largest over axes, which moves by no more than any of them."""
        over: dict[str, Any] = {"axis": tuple(axes), "keepdims": keep}
        return self._kept(x.centre.max(**over), x.radius.max(**over))

    def argmax(self, x: Numbers, axis: int, keep: bool) -> Choices:
        """Return the places of the largest; each is certain if it leads all others."""
        best = x.centre.argmax(axis=axis, keepdims=True)
        low, high = x.ends
        lead = np.take_along_axis(low, best, axis)
        places = np.arange(x.centre.shape[axis])
        is_other = np.moveaxis(np.moveaxis(best, axis, -1) != places, -1, axis)
        behind = np.where(is_other, high, -inf).max(axis=axis, keepdims=True)
        slack = self._slack(x.largest.max(axis=axis, keepdims=True))
        sure = (lead - behind > slack) & np.isfinite(x.largest).all(axis=axis, keepdims=True)
        found = Choices(best, sure)
        return found if keep else found.move(lambda array: np.squeeze(array, axis))

    def softmax(self, x: Numbers, axis: int) -> Numbers:
        """Return the softmax over an axis."""
        logits, radius = (np.moveaxis(part, axis, -1)[..., None] for part in (x.centre, x.radius))
        present = np.ones(logits.shape, dtype=np.bool_)
        weight, moved, rounding = self.arithmetic.softmax(logits, radius, present)
        moved = moved + rounding * (weight + moved)
        return Numbers.bounded(*(np.moveaxis(part[..., 0], -1, axis) for part in (weight, moved)))

    def layer_norm(self, x: Numbers, weight: Floats, bias: Floats, epsilon: float) -> Numbers:
        r"""Return the layer norm over the last axis, number by number.

        In the notation of `Arithmetic.layer_norm`, with ρ_i the radius of x_i and y = z / s,

        $$|g_i| μ_i + τ |g_i| (|y_i| + μ_i) + |g_i| η (1 + τ)
        + γ_6 \left((1 + τ) |g_i| (|x_i| / s + β + η) + |b_i|\right), \qquad
        μ_i = \frac{ρ_i + \bar ρ}{s} + |y_i| \frac{\|ρ\|}{\sqrt n s}$$

        bounds number i. y is that of the centre, which moves by at most μ, since s moves by at most
        $\|ρ\| / \sqrt n$.
        """
        ball, root = Ball(x.centre, norm_bound(x.radius)), sqrt(x.centre.shape[-1])
        errors = self.arithmetic.norm_errors(ball, epsilon)
        scale, offset, off, turned = (
            part[..., None] for part in (errors.scale, errors.offset, errors.off, errors.turned)
        )
        gain, length = np.abs(weight), np.abs(errors.centre)
        moved = (x.radius + x.radius.mean(axis=-1, keepdims=True)) / scale
        moved = moved + length * ball.radius[..., None] / (root * scale)
        summed = (1 + turned) * gain * (x.largest / scale + offset + off) + np.abs(bias)
        fresh = (
            gain * (turned * (length + moved) + off * (1 + turned))
            + self.arithmetic.gamma(6) * summed
        )
        size = ball.bound_norms()[..., None]
        together = (1 + 2 * size) * (1 + (1 + turned) / scale) * (1 + gain) + np.abs(bias)
        fresh = fresh + self._lost(4, together)
        most = np.maximum(4 * x.centre.shape[-1] * size**2, together)
        fresh = self._safe(most, fresh)
        total = x.total * gain.max() / _least(scale) + _total(fresh)
        return Numbers.bounded(errors.centre * weight + bias, gain * moved + fresh, total)

    def group_norm(
        self, x: Numbers, groups: int, weight: Floats, bias: Floats, epsilon: float
    ) -> Numbers:
        """Return the layer norm of each of some groups of places on the second axis."""
        shape = x.centre.shape
        each = prod(shape[3:])
        split = x.move(lambda array: array.reshape(*shape[:2], groups, -1))
        weight, bias = (np.repeat(part, each).reshape(groups, -1) for part in (weight, bias))
        found = self.layer_norm(split, weight, bias, epsilon)
        return found.move(lambda array: array.reshape(shape))

    # ---- each number -----------------------------------------------------------------------------

    def neg(self, x: Numbers) -> Numbers:
        """Return -x."""
        return self._kept(-x.centre, x.radius, x.total)

    def abs(self, x: Numbers) -> Numbers:
        """Return |x|."""
        return self._kept(np.abs(x.centre), x.radius, x.total)

    def relu(self, x: Numbers) -> Numbers:
        """Return max(x, 0)."""
        return self._kept(np.maximum(x.centre, 0.0), x.radius, x.total)

    def gelu(self, x: Numbers) -> Numbers:
        """Return x Φ(x)."""
        return self._each(x, self.arithmetic.gelu, 1.13)

    def tanh(self, x: Numbers) -> Numbers:
        """Return tanh x."""
        return self._each(x, self.arithmetic.tanh, 1.0)

    def sigmoid(self, x: Numbers) -> Numbers:
        """Return the logistic function of x."""
        return self._each(x, self.arithmetic.sigmoid, 0.25)

    def exp(self, x: Numbers) -> Numbers:
        r"""Return e^x, where $e^{x + ρ} - e^x = e^x (e^ρ - 1)$."""
        centre, top = np.exp(x.centre), np.exp(x.ends[1])
        fresh = self.arithmetic.exp_rounding(np.zeros_like(top)) * top + self._lost(1, 1.0 + top)
        moved = centre * np.expm1(outward(x.radius))
        return Numbers.bounded(centre, moved + self._safe(top, fresh))

    def log1p(self, x: Numbers) -> Numbers:
        """Return log(1 + x), whose slope is 1 / (1 + x)."""
        least = 1 + x.ends[0]
        is_far = least > 1e-6
        slope = np.where(is_far, 1 / np.where(is_far, least, 1), inf)
        centre = np.log1p(x.centre)
        return self._smooth(x, centre, slope, np.abs(centre) + slope * x.radius)

    def log(self, x: Numbers) -> Numbers:
        """Return the logarithm of positive numbers, whose slope is 1 / x."""
        least = x.ends[0]
        is_far = least > 2 * self.arithmetic.tiny
        slope = np.where(is_far, 1 / np.where(is_far, least, 1), inf)
        centre = np.log(x.centre)
        return self._smooth(x, centre, slope, np.abs(centre) + slope * x.radius)

    def elu(self, x: Numbers) -> Numbers:
        """Return x where it is positive, and e^x - 1 elsewhere; no slope is above 1."""
        centre = np.where(x.centre > 0, x.centre, np.expm1(np.minimum(x.centre, 0.0)))
        lost = self.arithmetic.exp_rounding(np.zeros_like(centre))
        found = self._smooth(x, centre, np.ones_like(centre), x.largest)
        return Numbers.bounded(centre, found.radius + lost, found.total + _total(lost))

    def sin(self, x: Numbers) -> Numbers:
        """Return the sine, of numbers up to 1,000."""
        one = np.where(x.largest < 1e3, 1.0, inf)
        return self._smooth(x, np.sin(x.centre), one, one)

    def cos(self, x: Numbers) -> Numbers:
        """Return the cosine, of numbers up to 1,000."""
        one = np.where(x.largest < 1e3, 1.0, inf)
        return self._smooth(x, np.cos(x.centre), one, one)

    def sqrt(self, x: Numbers) -> Numbers:
        """Return the root of positive numbers."""
        return self.pow(x, 0.5)

    def rsqrt(self, x: Numbers) -> Numbers:
        """Return the reciprocal root of positive numbers."""
        return self.pow(x, -0.5)

    def pow(self, x: Numbers, exponent: float) -> Numbers:
        r"""Return $x^p$ of positive numbers, which is monotone.

        p is rounded to the network's type, which multiplies the power by $x^{\pm u p}$ at most.
        Numbers that may be as small as the smallest normal one have no bound.
        """
        low, high = x.ends
        is_far = low > 2 * self.arithmetic.tiny
        low, high, middle = (np.where(is_far, end, 1.0) for end in (low, high, x.centre))
        ends = np.stack([low**exponent, high**exponent])
        centre = middle**exponent
        size = ends.max(axis=0)
        steepest = np.maximum(np.abs(np.log(low)), np.abs(np.log(high)))
        turned = np.expm1(2 * self.arithmetic.unit * abs(exponent) * steepest)
        moved = np.abs(ends - centre).max(axis=0)
        moved = moved + (self.arithmetic.gamma(2 * _ULPS) + turned) * size
        far = self._safe(size + high, moved + self._lost(4, 1.0 + size))
        return Numbers.bounded(centre, np.where(is_far, far, inf))

    # ---- choices ---------------------------------------------------------------------------------

    def compare(self, kind: str, x: Numbers | Choices, y: Numbers | Choices) -> Choices:
        """Return whether x is `eq`, `ne`, `gt`, `ge`, `lt` or `le` y."""
        compared: Any = _COMPARED[kind]
        if isinstance(x, Choices) and isinstance(y, Choices):
            require_few_numbers(np.broadcast_shapes(x.values.shape, y.values.shape))
            return Choices(compared(x.values, y.values), x.is_sure & y.is_sure)
        unit = self.arithmetic.unit
        x, y = (part.as_numbers(unit) if isinstance(part, Choices) else part for part in (x, y))
        x, y = _spread(x, y)
        apart, reach = np.abs(x.centre - y.centre), x.radius + y.radius
        sure = apart > outward(reach) + self._slack(x.largest + y.largest)
        sure |= (reach == 0) & (x.centre == 0) & (y.centre == 0)
        return Choices(compared(x.centre, y.centre), sure & np.isfinite(apart + reach))

    def where(self, choice: Choices, x: Numbers, y: Numbers) -> Numbers:
        """Return x where a choice is true, and y elsewhere; both, where it is not certain."""
        shape = np.broadcast_shapes(choice.values.shape, x.centre.shape, y.centre.shape)
        x, y = x.spread(shape), y.spread(shape)
        centre = np.where(choice.values, x.centre, y.centre)
        other = np.where(choice.values, y.centre, x.centre)
        taken = np.where(choice.values, x.radius, y.radius)
        both = np.maximum(x.radius, y.radius) + np.abs(centre - other)
        return Numbers.bounded(centre, np.where(choice.is_sure, taken, both))

    def take(self, table: Numbers, rows: Choices) -> Numbers:
        """Return rows of a table that all words share, and no rounding moves."""
        exact = len(table.centre) == 1 and not table.radius.any()
        require(exact and bool(rows.is_sure.all()), "a table and its rows are certain")
        places = rows.values.astype(np.int64)  # booleans would choose rows, not name them
        inside = ((places >= 0) & (places < table.centre.shape[1])).all()
        require(bool(inside), "a table has the rows that are read")
        require_few_numbers((*places.shape, *table.centre.shape[2:]))
        return Numbers.exact(table.centre[0][places])

    # ---- bounds ----------------------------------------------------------------------------------

    def _each(self, x: Numbers, function: Callable[[Ball], Ball], slope: float) -> Numbers:
        """Map each number by itself, by a function of that slope that `balls.py` bounds."""
        ball = function(Ball(x.centre[..., None], x.radius))
        total = slope * x.total + _total(ball.radius - slope * x.radius)
        return Numbers.bounded(ball.centre[..., 0], ball.radius, total)

    def _smooth(self, x: Numbers, centre: Floats, slope: Floats, size: Floats) -> Numbers:
        """Return values of a function of that slope whose rounding is relative to a size."""
        lost = self.arithmetic.gamma(2 * _ULPS) * size + self._lost(2, 1.0 + size)
        fresh = self._safe(size + x.largest, lost)
        total = _greatest(slope) * x.total + _total(fresh)
        return Numbers.bounded(centre, slope * x.radius + fresh, total)

    def _rounded(self, operations: int, size: Floats) -> Floats:
        """Return what roundings of numbers of a size can lose."""
        lost = self.arithmetic.gamma(operations) * size + self._lost(operations, size)
        return self._safe(size, lost)

    def _kept(self, centre: Floats, radius: Floats, total: Floats | None = None) -> Numbers:
        """Return numbers that are not rounded, but may be taken as 0 if they are small."""
        fresh = np.full(centre.shape, self._lost(0, 0.0))
        total = None if total is None else total + _total(fresh)
        return Numbers.bounded(centre, radius + fresh, total)

    def _slack(self, size: Floats) -> Floats:
        """Return more than flushing, and rounding of the centres, can move a difference."""
        return 1e-9 * size + self._lost(0, 0.0)

    def _lost(self, terms: int, size: Any) -> Any:
        return self.arithmetic.bound_underflow(terms, size)

    def _safe(self, size: Floats, radius: Floats) -> Floats:
        return self.arithmetic.safe(size, radius)


_COMPARED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


def _total(radius: Floats) -> Floats:
    """Return the Euclidean norm over all of each lane."""
    return norm_bound(radius.reshape(len(radius), -1))


def _greatest(array: Floats) -> Floats:
    found: Floats = array.reshape(len(array), -1).max(axis=1)
    return found


def _least(array: Floats) -> Floats:
    found: Floats = array.reshape(len(array), -1).min(axis=1)
    return found


def _stretch(x: Numbers) -> Floats:
    """Return a bound on the singular values of all matrices of each lane."""
    found = largest_singular_value(x.centre).reshape(len(x.centre), -1).max(axis=1)
    stretch: Floats = found + x.total
    return stretch


def _carried(x: Numbers, shape: tuple[int, ...], y: Numbers) -> Floats:
    """Return how far products are off together for what x is, whose matrices meet several of y."""
    if not x.total.any():  # such as weights
        return x.total
    repeated = x.total * sqrt(prod(shape[1:-2]) / max(1, prod(x.centre.shape[1:-2])))
    carried: Floats = repeated * _stretch(y)
    return carried


def _swap(array: Floats) -> Floats:
    return np.swapaxes(array, -1, -2)


def _spread(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Give two arrays one shape."""
    shape = np.broadcast_shapes(x.centre.shape, y.centre.shape)
    return x.spread(shape), y.spread(shape)
