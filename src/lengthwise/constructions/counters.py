r"""Weights of counters: a head that counts, and three feed-forward networks that read the count.

A counter (`programs`) is the sum k of the amounts v_j of all positions 1 <= j < i, modulo m.
Amounts are integers of at most V, positive or negative, so |k| <= K = V (n - 1) in words of at
most n symbols. PARITY of Chiang and Cholak (2022), `parity`, counts in the same way, and
compares k with positions; that takes an encoder, in which every position knows the whole count. In
a decoder a position would have to be found by its number: a logit of 1/n^2 would decide.

Idea. A uniform head finds means: x = k/i of the amounts, and y = 1/i of the start symbol's mark, at
the position i, which sees the i positions before it. So x/y is the count, and a unit

    relu((c - 1/2) y - x)   is 0 if k >= c, and at least y/2 otherwise.

A sum of many such units is not a sawtooth in numbers of limited precision: large terms cancel. Here
each comparison is made flat before it is used, and the count is read in two digits. Let B be a
multiple of m, near sqrt(K).

    layer l      (after the head)   t_c = relu((cB - 1/2) y - x),   c >= 1, cB <= K
    layer l + 1  x - B sum_c relu(y - 8 t_c): what is left is r y, r = k - B [the largest cB <= k]
    layer l + 2                     t'_c = 8 relu((c - 1/2) y - r y),    c < B
    layer l + 3                     s_c = relu(1 - P t'_c),     P >= 2 n

The units of layer l + 1 are y or 0, and s_c is 1 if r >= c, and else 0. As B is a multiple of m, k
and r have one residue, and as c - 1 is passed to c, the residue moves by one: the bit of a residue
is the sum of s_c over all c with this residue, less that of s_c over all c with the next one.
Conditions read the bits in layer l + 4. Where amounts are negative, too, there are such units for
the negative multiples of B, with the signs turned, and c runs from 1 - B on.

Exactness. Let u be the unit of rounding: 2^-8 in bfloat16, 2^-11 in float16. All weights of the
head are exactly 1, except at its own position, whose weight exp(-1024) is 0. Sums of amounts are
integers, exact as far as is claimed, so x = (k/i)(1 + d) and y = (1/i)(1 + d') with |d|, |d'|
<= u. (torch adds up products of matrices of short formats in float32.) In what follows, errors are
in units of y, and terms with u^2 are left out; they are below 1/100.

- t_c is off by u (k + cB) before relu, and the nearest c to decide has cB <= k + 1: with K u <= 1/8
  it is 0 if k >= cB, and at least 1/4 if not. Farther c only have more room. So relu(y - 8 t_c) is
  exactly y or exactly 0.
- r y is off by u k of x, by u (k - r) of y, by as much from rounding the sum, and by u r in the
  end: by 3 u k at most. In float32 and float64 a sum of h = (k - r)/B terms adds u (h + 1) k.
- t'_c is thus off by u (3 k + 1) where it is near 0. With u (3 K + 1) <= 3/8 it is 0 if r >= c, and
  at least 8/8 y if not: with P y >= 2, s_c is exactly 1 or exactly 0.
- The bits are sums of ones and minus ones, in any order below 2^24: they are exact.

So a counter is exact for K <= 31 in bfloat16 and K <= 255 in float16. In float32 `MAX_COUNT` keeps
h K u below 1/8: exact for all K that are built, and in float64 all the more. QED

All numbers in the stream are below `MAX_COUNT` or 8 B, and P at most 2^14, so float16 holds them.
Hidden units may be -inf before relu, which is 0.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lengthwise.constructions.programs import Counter

MAX_COUNT = 2**13
"""Largest K."""

COUNTS: Mapping[str, int] = {"bfloat16": 31, "float16": 255}
"""Largest K of the claim, where that is less than `MAX_COUNT`."""

START = "start"
"""The coordinate that is 1 at the start symbol."""

OWN = 2.0**10
"""Bias against the own position: exp(-OWN) is 0."""

_SHARP, _KEPT = 8.0, 8.0
"""Factors of t_c as it is read, and of t'_c as it is written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A hidden unit: relu(row·x + bias), added along a column."""

    row: Mapping[str, float]
    column: Mapping[str, float]
    bias: float = 0.0


@dataclass(frozen=True, slots=True)
class SumNames:
    """Base: the coordinates of a sum."""

    number: int
    """The variable of the memory."""
    longest: int

    @property
    def amount(self) -> str:
        """The coordinate of the amount that a position adds."""
        return f"amount {self.number}"

    @property
    def means(self) -> tuple[str, str]:
        """The sum, and 1, both divided by the number of positions: x and y."""
        return f"sum {self.number}", f"one {self.number}"

    def name_nonzero(self, value: int) -> str:
        """Return the coordinate that is 1 if the memory has a value other than 0."""
        return f"found {self.number} {value}"


@dataclass(frozen=True, slots=True)
class CounterNames(SumNames):
    """The coordinates of a counter, and the thresholds at which the count is compared."""

    counter: Counter

    @property
    def base(self) -> int:
        """B."""
        modulus = self.counter.modulus
        return modulus * max(1, round(math.sqrt(self._most) / modulus))

    @property
    def multiples(self) -> list[int]:
        """The c of the first digit: cB is compared with the count."""
        above = range(1, self._most // self.base + 1)
        return [*(-c for c in reversed(above) if self.counter.is_signed), *above]

    @property
    def steps(self) -> list[int]:
        """The c of the second digit."""
        return list(range(1 - self.base if self.counter.is_signed else 1, self.base))

    def names(self) -> Iterator[str]:
        """Yield all coordinates but those of the bits."""
        yield from (self.amount, *self.means)
        yield from map(self._coarse, self.multiples)
        yield from map(self._fine, self.steps)

    def units(self, layer: int) -> Iterator[Unit]:
        """Yield the units of a layer: 0 is that of the head."""
        count, one_mean = self.means
        if layer == 0:
            for c in self.multiples:
                sign = 1.0 if c > 0 else -1.0
                row = {one_mean: sign * (c * self.base - sign / 2), count: -sign}
                yield Unit(row=row, column={self._coarse(c): 1.0})
        elif layer == 1:
            for c in self.multiples:
                left = -float(self.base) if c > 0 else float(self.base)
                yield Unit(row={one_mean: 1.0, self._coarse(c): -_SHARP}, column={count: left})
        elif layer == 2:
            for c in self.steps:
                yield Unit(row={one_mean: c - 0.5, count: -1.0}, column={self._fine(c): _KEPT})
        elif layer == 3:
            power = 2.0 ** (2 * self.longest - 1).bit_length()
            modulus = self.counter.modulus
            for c in self.steps:
                bits = {c % modulus: 1.0, (c - 1) % modulus: -1.0}
                column = {self.name_nonzero(r): sign for r, sign in bits.items() if r}
                yield Unit(row={self._fine(c): -power}, column=column, bias=1.0)

    @property
    def _most(self) -> int:
        """K."""
        return self.counter.most * (self.longest - 1)

    def _coarse(self, c: int) -> str:
        return f"below {self.number} {c * self.base}"

    def _fine(self, c: int) -> str:
        return f"rest {self.number} {c}"
