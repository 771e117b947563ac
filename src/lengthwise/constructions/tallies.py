r"""Weights of tallies: a head that adds up, and two feed-forward networks that read a bounded sum.

A tally (`programs`) is the sum of the amounts of all positions 1 <= j < i, as one of some numbers
a_0 < a_1 < ... below P. Balanced counters of C-RASP have few sums, however long the word is.

Idea. As in `counters`, a uniform head finds x = k/i of the amounts and y = 1/i of the start symbol.
With c_r = floor((a_(r-1) + a_r) / 2) + 1/2, half way between the two or next to it,

    layer l      (after the head)   t_r = 8 relu(c_r y - x),        r = 1, 2, ...
    layer l + 1                     s_r = relu(1 - Q t_r),          Q >= 4 n

so that s_r is 1 if k >= c_r, and else 0. The bit of the number a_r is s_r - s_(r+1), with s_0 = 1.
Conditions read the bits in layer l + 2.

Exactness. All weights of the head are exactly 1 or 0. Let Y be the reciprocal of the sum of the
weights as it is rounded, within 1/200 of 1/i, and u the unit of rounding. Amounts are whole, so
their sum k is exact (below 2^24), and rounded once: x = k Y (1 + d), y = Y (1 + d'), with |d| <= 2u
and |d'| <= u. So c_r y - x is off by u (2 |k| + |c_r|) Y. As k is whole,
|k - c_r| >= 1/2; with 3 u P <= 3/8, which is P <= 32 in bfloat16, t_r is 0 if k >=
c_r, and at least 8 (1/2 - 3/8) Y = Y if not. As Q Y > 2, s_r is exactly 1 or exactly 0, and so are
the bits.

Only Q depends on the length of the word. It may be `MAX_COUNT` at most, so that float16 holds Q.

Sums that are none of the numbers: a tally still adds where nothing reads it any more. Then k can be
far beyond all c_r, where it is compared rightly with more room, or near one, where it is exact. The
bits are exactly 0 and 1, exactly one number has its bit, and this is all that is relied on. QED
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lengthwise.constructions.counters import SumNames, Unit
from lengthwise.constructions.programs import TallyOf

MAX_SUM = 32
"""P, the largest sum without its sign."""

_KEPT = 8.0
"""Factor of t_r as it is written."""


@dataclass(frozen=True, slots=True)
class TallyNames(SumNames):
    """The coordinates of a tally, and the thresholds at which the sum is compared."""

    tally: TallyOf

    def names(self) -> Iterator[str]:
        """Yield all coordinates but those of the bits."""
        yield from (self.amount, *self.means)
        yield from (self._below(value) for value in self._ordered[1:])

    def units(self, layer: int) -> Iterator[Unit]:
        """Yield the units of a layer: 0 is that of the head."""
        sums, ordered = self.tally.sums, self._ordered
        total, first = self.means
        if layer == 0:
            for below, value in pairwise(ordered):
                middle = (sums[below] + sums[value]) // 2 + 0.5
                yield Unit(row={first: middle, total: -1.0}, column={self._below(value): _KEPT})
        elif layer == 1:
            power = 2.0 ** (4 * self.longest - 1).bit_length()
            if ordered[0]:
                yield Unit(row={}, column={self.name_nonzero(ordered[0]): 1.0}, bias=1.0)
            for below, value in pairwise(ordered):
                column = {
                    self.name_nonzero(v): sign for v, sign in ((value, 1.0), (below, -1.0)) if v
                }
                yield Unit(row={self._below(value): -power}, column=column, bias=1.0)

    @property
    def _ordered(self) -> list[int]:
        """The values by their numbers."""
        return sorted(range(self.tally.size), key=self.tally.sums.__getitem__)

    def _below(self, value: int) -> str:
        return f"below {self.number} {value}"
