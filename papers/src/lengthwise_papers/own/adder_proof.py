r"""A proof by intervals that the hand-made adder of 8 parameters is right on all 10^20 pairs.

Its scores depend on places alone, up to the rounding of a norm. So what the head reads for digit t
is a weighted sum of digits, in which $a_t, b_t, a_{t-1}, b_{t-1}$ have weights, and all other
digits together at most a hundredth of one. By induction the digits written before are right, so
that all cases are these four digits and the carry into them: 200,000 at most for each t, and the
other digits lie anywhere in 0 .. 9.

Every operation widens its interval by twice what rounding loses in the network's type, and the
weights are the numbers of that type. So the intervals contain the network in that type with sums in
any order, if sines, cosines and reciprocal roots are within 2 units in the last place, and exp
within 20; those of float64 also contain the network in real arithmetic.

Axes:
    case   the digits that matter, with their carry
    place  tokens read so far
    token  the ten digits
    digit  the ten digits, as answers
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise_papers.own.tiny_adders import DIGITS, HandMade, HandMadeWeights

Floats = NDArray[np.float64]

_FUNCTION, _EXP = 4, 40
"""Units of roundoff that sine, cosine and reciprocal roots can be off, and exp."""
_FAR = 40.0
"""From here on, SiLU is its argument or 0, but for a part e^-40 of it."""


@dataclass(frozen=True, slots=True)
class Range:
    """Intervals, which contain what a network computes in a type with this unit roundoff."""

    low: Floats
    high: Floats
    unit: float

    def __add__(self, other: "Range") -> "Range":
        return self.rounded(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Range | float") -> "Range":
        ends = (other.low, other.high) if isinstance(other, Range) else (np.float64(other),) * 2
        products = [x * y for x in (self.low, self.high) for y in ends]
        return self.rounded(np.minimum.reduce(products), np.maximum.reduce(products))

    def at(self, key: NDArray[np.int64] | NDArray[np.bool_] | int) -> "Range":
        """Select intervals."""
        return Range(self.low[key], self.high[key], self.unit)

    def largest(self) -> Floats:
        """Return the largest absolute value in each interval."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def rounded(self, low: Floats, high: Floats, units: float = 1) -> "Range":
        """Return an interval, widened by twice so many units of roundoff of its largest number."""
        lost = 2 * units * self.unit * np.maximum(np.abs(low), np.abs(high)) + 1e-37
        return Range(low - lost, high + lost, self.unit)

    def square(self) -> "Range":
        """Return the squares."""
        least = np.where(
            (self.low < 0) & (self.high > 0), 0.0, np.abs([self.low, self.high]).min(0)
        )
        return self.rounded(least**2, self.largest() ** 2)

    def reciprocal_root(self) -> "Range":
        """Return the reciprocals of the roots of positive numbers."""
        return self.rounded(1 / np.sqrt(self.high), 1 / np.sqrt(self.low), _FUNCTION)


class HandMadeProof:
    """Intervals around everything that the hand-made adder computes in a type of numpy."""

    def __init__(
        self, kind: type[np.floating[Any]] = np.float32, weights: HandMadeWeights = HandMade.weights
    ) -> None:
        self.unit = float(np.finfo(kind).eps) / 2
        self.c, self.omega, self.phase, self.value, self.carry, self.scale, *more = (
            float(kind(number))
            for number in (
                *(weights.c, weights.omega, weights.phase, weights.value, weights.carry),
                *(weights.scale, *weights.gate, *weights.norm, 1e-6),
            )
        )
        self.gate, self.norm, self.epsilon = (more[0], more[1]), (more[2], more[3]), more[4]
        self.shifted = float(kind(self.gate[0]) - kind(self.gate[1]) / kind(self.c))
        self.table = HandMade(kind).table.astype(np.float64)  # each number rounded as IEEE says
        self.first, self.second = map(self._exact, self.table.T)
        root = self._reciprocal_rms(self.first, self.second)
        self.values = self.second * root * self.value  # [token]
        self.size = self._unit_size(self.first * root)

    def _exact(self, numbers: Floats | float) -> Range:
        exact = np.asarray(numbers, dtype=np.float64)
        return Range(exact, exact, self.unit)

    def _reciprocal_rms(self, first: Range, second: Range) -> Range:
        """Return 1 / sqrt(mean of squares + epsilon) of two numbers."""
        mean = (first.square() + second.square()) * 0.5
        return (mean + self._exact(self.epsilon)).reciprocal_root()

    def _unit_size(self, x: Range) -> Range:
        """Return the size of normalised queries and keys (x, 0) of all tokens together.

        It is x / sqrt(x^2 / 2 + epsilon), which grows with x; up to six operations round, queries'
        parts once more.
        """
        low, high = x.low.min(), x.high.max()
        ends = [value / math.sqrt(value**2 / 2 + self.epsilon) for value in (low, high)]
        return self._exact(0.0).rounded(np.array(ends[0]), np.array(ends[1]), 8 + _FUNCTION)

    def _turned(self, angle: float, rounding: float) -> tuple[Range, Range]:
        """Return size times cosine and sine of an angle, which rounding moves before."""
        error = rounding + 2 * _FUNCTION * self.unit
        cos, sin = (
            Range(np.array(value - error), np.array(value + error), self.unit)
            for value in (math.cos(angle), math.sin(angle))
        )
        return self.size * cos, self.size * sin

    def weights_at(self, place: int) -> Range:
        """Return the weights of the head for the query at a place, [place]."""
        # the query (cos, -sin) of the phase, turned by the place, is at the place less the phase
        moved = 2 * self.unit * place * self.omega
        cos, sin = self._turned(place * self.omega - self.phase, moved + 8 * _FUNCTION * self.unit)
        scores = []
        for other in range(place + 1):
            angle = other * self.omega
            key = self._turned(angle, 2 * self.unit * angle)
            scores.append((cos * key[0] + sin * key[1]) * self.scale)
        low, high = (np.array([getattr(s, end) for s in scores]) for end in ("low", "high"))
        middle, radius = (low + high) / 2, (high - low) / 2
        # the largest is subtracted, and exp is off
        radius = radius + 4 * self.unit * np.abs(middle).max() + 2 * _EXP * self.unit
        power = np.exp(middle - middle.max())
        smaller, larger = power * np.exp(-radius), power * np.exp(radius)
        return self._exact(0.0).rounded(
            smaller / (smaller + larger.sum() - larger),
            larger / (larger + smaller.sum() - smaller),
            place + 4,
        )

    def margin(self, t: int) -> float:
        """Return by how much the right digit t of the sum is ahead in every case, at least.

        A number that is not positive proves nothing.
        """
        cases = _cases(t)
        place = len(HandMade.prompt) - 1 + t
        read = self._read(cases, place)
        last = cases.last
        x0, x1 = self.first.at(last), self.second.at(last) + read
        root = self._reciprocal_rms(x0, x1)
        step = self._step(x0 * root, x1 * root)
        if step is None:
            return -math.inf
        y1 = x1 + step
        root = self._reciprocal_rms(x0, y1)
        return self._lead(x0 * root * self.norm[0], y1 * root * self.norm[1], cases.right)

    def _read(self, cases: "_Cases", place: int) -> Range:
        """Return what the head reads: known tokens one by one, and all others as 0 .. 9."""
        weight = self.weights_at(place)
        hull = Range(self.values.low.min(), self.values.high.max(), self.unit)
        known = {place: cases.last, **cases.tokens}
        low, high = np.zeros(len(cases.last)), np.zeros(len(cases.last))
        size = np.zeros(len(cases.last))
        for other in range(place + 1):
            name = HandMade.prompt[other] if other < len(HandMade.prompt) else ""
            if other in known:
                value = self.values.at(known[other])
            elif name == "0":
                value = self.values.at(np.zeros(1, dtype=np.int64))
            else:
                value = hull
            term = weight.at(other) * value
            low, high = low + term.low, high + term.high
            size = size + term.largest()
        lost = 2 * (place + 2) * self.unit * size
        return Range(low - lost, high + lost, self.unit)

    def _step(self, h0: Range, h1: Range) -> Range | None:
        """Return what the SiLUs add: their difference where both are far from 0, else None.

        Where both arguments are large, it is the difference of the arguments, which does not depend
        on h1, and their rounding.
        """
        outer, inner = self.gate
        large = h0 * outer + h1 * inner
        larger = h0 * self.shifted + h1 * inner
        size = h0.largest() * (abs(outer) + abs(inner) / self.c) + h1.largest() * abs(inner)
        is_on = larger.low >= _FAR
        is_off = large.high <= -_FAR
        if not (is_on | is_off).all():
            return None
        # gates round three times each, shifted once, SiLU as exp does, and then their difference
        lost = np.where(is_on, 2 * (16 + _EXP * math.exp(-_FAR)) * self.unit * size, 0.0)
        lost = lost + 2 * size * math.exp(-_FAR)
        plain = h0 * (-inner / self.c)
        difference = Range(
            np.where(is_on, plain.low, 0.0) - lost,
            np.where(is_on, plain.high, 0.0) + lost,
            self.unit,
        )
        return difference * h0 * self.carry

    def _lead(self, outer: Range, inner: Range, right: NDArray[np.int64]) -> float:
        """Return by how much the right digit is ahead, at least.

        Logits have a large part in common, so differences of digits come first, and what rounding
        does to logits is added.
        """
        least = math.inf
        size = outer.largest() * self.c + 9 * inner.largest()
        # of both digits, a product of the large part and the sum are rounded to half the unit of
        # their last place, and a product of the small part to less
        half = self.unit * 2 ** np.floor(np.log2(size))
        lost = 4 * half + 2 * self.unit * 9 * inner.largest()
        for digit in range(10):
            others = right != digit
            gap = self.table[right[others]] - self.table[digit]
            first, second = self._exact(gap[:, 0]), self._exact(gap[:, 1])
            lead = outer.at(others) * first + inner.at(others) * second
            least = min(least, float((lead.low - lost[others]).min(initial=math.inf)))
        return least


@dataclass(frozen=True, slots=True)
class _Cases:
    """The cases of one digit of the sum."""

    tokens: dict[int, NDArray[np.int64]]
    """Digits by their places in the prompt."""
    last: NDArray[np.int64]
    """The token before: the digit of the sum that was written last, or the prompt's end."""
    right: NDArray[np.int64]


def _cases(t: int) -> _Cases:
    """Return all digits t and t - 1 of two numbers with the carry into digit t - 1."""
    now = range(10) if t < DIGITS else range(1)
    before, carries = (range(10), range(2)) if t > 0 else (range(1), range(1))
    if t == 1:
        carries = range(1)
    grid = np.meshgrid(now, now, before, before, carries, indexing="ij")
    a, b, a_before, b_before, carry = (axis.reshape(-1) for axis in grid)
    total = a_before + b_before + carry
    names = {name: place for place, name in enumerate(HandMade.prompt) if name != "0"}
    tokens = {}
    for letter, digit, digit_before in (("a", a, a_before), ("b", b, b_before)):
        if t < DIGITS:
            tokens[names[f"{letter}{t}"]] = digit
        if t > 0:
            tokens[names[f"{letter}{t - 1}"]] = digit_before
    return _Cases(tokens=tokens, last=total % 10, right=(a + b + total // 10) % 10)
