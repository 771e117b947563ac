"""Exact worst cases of rounding: what all roundings of a computation do together, to first order.

Every operation is computed in fractions, and its result counts as rounded by a factor 1 + δ. The
derivatives of the outputs by each δ, taken backwards through the computation, say how far the
outputs move if every |δ| is the unit roundoff and has the worst sign: a bound that is attained, and
that no sample of inputs and orders comes near.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

_DIGITS = 10**30


def root(square: Fraction) -> Fraction:
    """A square root, rounded up in the thirtieth place."""
    return Fraction(isqrt(square.numerator * _DIGITS**2 // square.denominator) + 1, _DIGITS)


class Traced:
    """A number that was computed, with the numbers that it was computed from."""

    def __init__(
        self,
        value: Fraction | int,
        parents: Sequence[tuple["Traced", Fraction]] = (),
        roundings: int = 0,
    ) -> None:
        self.value = Fraction(value)
        self.parents = parents
        self.roundings = roundings
        """How many roundings the operation has."""

    def __add__(self, other: "Traced") -> "Traced":
        return Traced(self.value + other.value, [(self, Fraction(1)), (other, Fraction(1))], 1)

    def __sub__(self, other: "Traced") -> "Traced":
        return Traced(self.value - other.value, [(self, Fraction(1)), (other, Fraction(-1))], 1)

    def __mul__(self, other: "Traced") -> "Traced":
        return Traced(self.value * other.value, [(self, other.value), (other, self.value)], 1)

    def over(self, number: int) -> "Traced":
        """The quotient, as a product with a reciprocal, which is rounded, too."""
        return Traced(self.value / number, [(self, Fraction(1, number))], 2)

    def reciprocal_root(self, roundings: int) -> "Traced":
        """1 / sqrt(x), off by some unit roundoffs."""
        found = 1 / root(self.value)
        return Traced(found, [(self, -found / (2 * self.value))], roundings)


def sensitivity(output: Traced) -> Fraction:
    """How far the worst roundings move an output, in unit roundoffs."""
    order: list[Traced] = []
    seen: set[int] = set()
    stack = [(output, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(parent, False) for parent, _ in node.parents]
    slope = {id(node): Fraction(0) for node in order}
    slope[id(output)] = Fraction(1)
    moved = Fraction(0)
    for node in reversed(order):
        moved += node.roundings * abs(slope[id(node)] * node.value)
        for parent, derivative in node.parents:
            slope[id(parent)] += slope[id(node)] * derivative
    return moved


def add_up(terms: Sequence[Traced]) -> Traced:
    """The sum, one after the other: the order in which a term is rounded most often."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def two_passes(x: Sequence[Traced]) -> tuple[Traced, Traced]:
    """Mean and variance: the mean of squares of differences from the mean."""
    mean = add_up(x).over(len(x))
    return mean, add_up([(each - mean) * (each - mean) for each in x]).over(len(x))


def one_pass(x: Sequence[Traced]) -> tuple[Traced, Traced]:
    """Mean and variance: the mean of squares less the square of the mean."""
    mean = add_up(x).over(len(x))
    return mean, add_up([each * each for each in x]).over(len(x)) - mean * mean


Part = tuple[int, Traced, Traced]
"""How many numbers, their mean, and their sum of squares of differences from it."""


def one_by_one(x: Sequence[Traced]) -> Part:
    """Welford's updates."""
    mean, squares = x[0], Traced(0)
    for count, each in enumerate(x[1:], 2):
        change = each - mean
        mean = mean + change.over(count)
        squares = squares + change * (each - mean)
    return len(x), mean, squares


def join(a: Part, b: Part) -> Part:
    """The updates of Chan, Golub and LeVeque."""
    count = a[0] + b[0]
    change = b[1] - a[1]
    share, both = Traced(Fraction(b[0], count), (), 1), Traced(Fraction(a[0] * b[0], count), (), 2)
    return count, a[1] + change * share, a[2] + b[2] + change * change * both


def welford(x: Sequence[Traced]) -> tuple[Traced, Traced]:
    """Mean and variance, updated by each number."""
    count, mean, squares = one_by_one(x)
    return mean, squares.over(count)


def pairs(x: Sequence[Traced]) -> tuple[Traced, Traced]:
    """Mean and variance of parts of four, joined two by two."""
    parts = [one_by_one(x[first : first + 4]) for first in range(0, len(x), 4)]
    while len(parts) > 1:
        rest = parts[len(parts) // 2 * 2 :]
        parts = [join(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + rest
    count, mean, squares = parts[0]
    return mean, squares.over(count)


VARIANCES = (two_passes, one_pass, welford, pairs)
