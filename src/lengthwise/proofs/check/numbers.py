"""Arrays of numbers, each with a radius of its own: what the operations of a program map.

`Numbers` are centres in float64 and radii: what the network computes at a place, and the value of
real arithmetic, lie within the radius of the centre. `Choices` are integers and booleans that were
read off numbers, and whether each is certain.

Axes:
    lane    words that are computed side by side; the first axis of every array, of length 1 where
            all words have the same
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.balls import Floats, norm_bound, outward
from lengthwise.proofs.check.schema import require

MOST_NUMBERS = 2**22
"""Most numbers of an array, of each word."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers `centre[lane, ...]` within `radius[lane, ...]`, all of a lane within `total[lane]`.

    `total` bounds the Euclidean norm of how far all numbers of a lane are off together.
    """

    centre: Floats
    radius: Floats
    total: Floats

    @classmethod
    def exact(cls, array: Floats) -> "Numbers":
        """Return numbers that are known."""
        return cls(array, np.zeros_like(array), np.zeros(len(array)))

    @classmethod
    def bounded(cls, centre: Floats, radius: Floats, total: Floats | None = None) -> "Numbers":
        """Return numbers with bounds, the smaller of those that follow from each other."""
        require_few_numbers(centre.shape)
        lanes = max(len(centre), len(radius))
        radius = outward(radius)
        own = norm_bound(radius.reshape(len(radius), -1))
        total = own if total is None else np.minimum(own, outward(total))
        each = total.reshape(-1, *(1,) * (radius.ndim - 1))
        return cls(centre, np.minimum(radius, each), np.broadcast_to(total, (lanes,)))

    def move(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> "Numbers":
        """Bring numbers to other places, or some of them."""
        return Numbers(function(self.centre), function(self.radius), self.total)

    def spread(self, shape: Sequence[int]) -> "Numbers":
        """Repeat numbers along axes of length 1."""
        require_few_numbers(shape)
        many = prod(shape[1:]) / max(1, self.centre[0].size)
        centre, radius = (np.broadcast_to(a, shape) for a in (self.centre, self.radius))
        total = np.broadcast_to(self.total * sqrt(many), shape[:1])
        return Numbers(centre, radius, total)

    @property
    def largest(self) -> Floats:
        """Upper bounds on absolute values."""
        return np.abs(self.centre) + self.radius

    @property
    def greatest(self) -> Floats:
        """The largest of these of each lane."""
        found: Floats = self.largest.reshape(len(self.centre), -1).max(axis=1)
        return found

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds; no number is outside of them."""
        wide = outward(self.radius)
        return self.centre - wide, self.centre + wide


@dataclass(frozen=True, slots=True)
class Choices:
    """Integers or booleans `values[lane, ...]`, and whether rounding cannot change each."""

    values: NDArray[Any]
    is_sure: NDArray[np.bool_]

    @classmethod
    def exact(cls, values: NDArray[Any]) -> "Choices":
        """Return choices that are known."""
        return cls(values, np.ones(values.shape, dtype=np.bool_))

    def move(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> "Choices":
        """Bring choices to other places."""
        return Choices(function(self.values), function(self.is_sure))

    def as_numbers(self, unit: float) -> Numbers:
        """Return them as numbers of unit roundoff u, which has integers up to 1 / u; a boolean that
        is not certain is 0 or 1.
        """
        unsure = 1.0 if self.values.dtype == np.bool_ else inf
        centre = self.values.astype(np.float64)
        rounded = np.where(np.abs(centre) * unit < 1, 0.0, 2 * unit * np.abs(centre))
        radius = np.where(self.is_sure, rounded, unsure)
        total = np.sqrt((radius**2).reshape(len(radius), -1).sum(axis=1))
        return Numbers(centre, radius, outward(total))


def require_few_numbers(shape: Sequence[int]) -> None:
    """Refuse arrays of that shape if a word has more than `MOST_NUMBERS` numbers.

    Raises:
        CertificateError: it has.
    """
    require(prod(shape[1:]) <= MOST_NUMBERS, "arrays of a program are small enough")
