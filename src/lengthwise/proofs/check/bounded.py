"""The contract of networks with discrete memory whose steps are bounded, which proofs follow.

A network that reads from left to right and keeps a *code* between symbols, a row of bits or of
tokens, is a finite automaton. `BoundedCoded` is that automaton with a bound on rounding for every
number that a bit, a token or a class is read off. Search (`proofs.search.code_recurrence`) and
checker (`prefixes.py`) ask for no more, so whatever implements it can be proved.

Axes:
    prefix  beginnings of words
    place   bits or tokens of a code
    number  numbers that were compared
    value   numbers whose largest is chosen
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.balls import Floats

Codes = Booleans | Integers
"""Codes `[prefix, place]`: bits, or tokens."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Bits, tokens or classes that were read off numbers, and how certain they are.

    Whoever makes one vouches for it: a number without a distance, or a radius that is too small,
    makes a claim wrong, and nothing notices.
    """

    values: Codes
    """`[prefix, place]`, or `[prefix]` if they are classes."""
    distance: Floats
    """`[number]`: how far a number is from where a value would change."""
    radius: Floats
    """`[number]`: how far rounding could move it. A value is certain if no distance that it was
    read off is as small."""


class BoundedCoded(Protocol):
    """A network that keeps nothing but a code between symbols, with bounds on its numbers."""

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        ...

    def start(self) -> Decided:
        """Return the code `[1, place]` of the empty word."""
        ...

    def step(self, codes: Codes, symbols: Integers) -> Decided:
        """Return the codes after symbols `[prefix]`, from those before them."""
        ...

    def classes(self, codes: Codes) -> Decided:
        """Return the classes `[prefix]` of the words that led to codes."""
        ...


def require_real(*arrays: NDArray[Any]) -> None:
    """Refuse arrays of anything but real numbers: complex ones have no order, though numpy has one.

    Raises:
        VerificationError: an array is of another type.
    """
    for array in arrays:
        if array.dtype.kind not in "fiub":
            raise VerificationError(
                f"numbers that are compared, and their bounds, have to be real, but these are "
                f"{array.dtype}. Return real ones."
            )


def signs(numbers: Floats, radius: Floats) -> Decided:
    """Return the signs of numbers `[prefix, place]`: whether they are 0 or more.

    Raises:
        VerificationError: numbers or radii are not real.
    """
    require_real(numbers, radius)
    return Decided(numbers >= 0, np.abs(numbers).ravel(), radius.ravel())


@np.errstate(over="ignore", invalid="ignore")  # NaNs are handled below
def largest(numbers: Floats, radius: Floats) -> Decided:
    """Return the place of the largest of the numbers `[..., value]`, the first of equal ones.

    It is certain only if all of them are numbers, also where there is one value alone.

    Raises:
        VerificationError: numbers or radii are not real.
    """
    require_real(numbers, radius)
    best = numbers.argmax(axis=-1)
    if not np.isfinite(numbers + radius).all():
        return Decided(best, np.zeros(1), np.full(1, np.inf))
    is_other = np.arange(numbers.shape[-1]) != best[..., None]
    leading, reach = (np.take_along_axis(x, best[..., None], axis=-1) for x in (numbers, radius))
    return Decided(best, (leading - numbers)[is_other], (reach + radius)[is_other])
