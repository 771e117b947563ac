"""Numberings of points, on which sub-words act, in digits: the coordinates of integers.

A sub-word moves every point. A node holds for every point p the digits of the number of its image,
less those of a number m in the middle of all that p can reach, so that all coordinates are small. A
digit that no sub-word changes has no coordinate.

Axes:
    point  points, in the order of their numbers
    digit  digits of a number, the lowest first
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lengthwise.constructions.units import Floats, Integers

Booleans = NDArray[np.bool_]


class Action:
    """An action of symbols on points: `steps[point, symbol]` is the next point."""

    def __init__(self, steps: Integers | Sequence[Sequence[int]]) -> None:
        self.steps = np.array(steps, dtype=np.int64)
        self._pairs: dict[tuple[int, int], Booleans] = {}

    @cached_property
    def reach(self) -> Booleans:
        """`reach[point, other]`: whether a word leads there."""
        reach = np.eye(len(self.steps), dtype=np.bool_)
        for row in self.steps.T:
            reach[np.arange(len(row)), row] = True
        for k in range(len(reach)):  # Warshall
            reach |= reach[:, k : k + 1] & reach[k]
        return reach

    def pairs_from(self, first: int, second: int) -> Booleans:
        """Return `[point, point]`: the pairs to which words take a pair of points."""
        key = (first, second)
        if key not in self._pairs:
            seen = np.zeros((len(self.steps),) * 2, dtype=np.bool_)
            left, right = np.array([first]), np.array([second])
            while len(left):
                seen[left, right] = True
                reached = np.zeros_like(seen)
                reached[self.steps[left], self.steps[right]] = True
                left, right = np.nonzero(reached & ~seen)
            self._pairs[key] = seen
        return self._pairs[key]


class Numbering:
    """A numbering of the points of an action, `order[number]`, with digits below a base."""

    def __init__(self, action: Action, order: Integers, base: int) -> None:
        count, length = len(order), 1
        while base**length < count:
            length += 1
        self.base = base
        self.powers: Integers = base ** np.arange(length)
        self.digits: Integers = np.arange(count)[:, None] // self.powers % base
        """`digits[point, digit]`"""
        self._order, self._number = order, np.argsort(order)
        reach = action.reach[order][:, order]
        self.least: Integers = reach.argmax(axis=1)
        """The least number that is reached from each point."""
        self.greatest: Integers = count - 1 - reach[:, ::-1].argmax(axis=1)
        off = np.abs(2 * np.arange(count) - (self.least + self.greatest)[:, None])
        self.middle: Integers = np.where(reach, off, 4 * count).argmin(axis=1)
        """A number that is reached, in the middle of these."""
        steepest = np.zeros((count, length), dtype=np.int64)
        for s in range(1, count):
            pairs = action.pairs_from(int(order[s - 1]), int(order[s]))[order][:, order]
            first, second = np.nonzero(pairs)
            steepest[s] = np.abs(self.digits[first] - self.digits[second]).max(axis=0)
        self.slope: Integers = np.zeros_like(steepest)
        """`slope[point, digit]`: the largest difference of a digit of the images of s - 1 and s,
        for all numbers s between the least and the greatest."""
        self.varies: Booleans = np.zeros(steepest.shape, dtype=np.bool_)
        """`varies[point, digit]`: whether there is a coordinate."""
        for p in range(count):
            between = steepest[self.least[p] + 1 : self.greatest[p] + 1]
            self.slope[p] = between.max(axis=0, initial=0)
            self.varies[p] = (self.digits[reach[p]] != self.digits[self.middle[p]]).any(axis=0)
        self.coordinate: Integers = np.cumsum(self.varies).reshape(self.varies.shape) - 1
        """`coordinate[point, digit]`, where there is one."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(np.count_nonzero(self.varies))

    @property
    def num_units(self) -> int:
        """Number of units that multiply two maps."""
        return int(((self.greatest - self.least)[:, None] * self.varies).sum())

    @property
    def largest(self) -> int:
        """Bound on weights, biases and arguments of the units that multiply two maps."""
        reach = np.maximum(self.greatest - self.middle, self.middle - self.least)
        ramps = 2 * self.slope * (reach[:, None] + 1) + 2 * self.base
        weights = 2 * self.slope.max(initial=0) * self.powers[-1]
        return int(max((ramps * self.varies).max(initial=0), weights))

    def number(self, point: int) -> int:
        """Return the number of a point."""
        return int(self._number[point])

    def vector(self, images: Integers) -> Floats:
        """Return the coordinates of a map, which is given as the image of every point."""
        rest = self.digits[self._number[images[self._order]]] - self.digits[self.middle]
        assert (rest[~self.varies] == 0).all(), "a digit without a coordinate changes"
        vector = np.zeros(max(1, self.size))
        vector[: self.size] = rest[self.varies]
        return vector

    def entries(self, numbers: Integers, digit: int) -> tuple[Integers, Floats, Floats]:
        """Return a digit of the images of points as a coordinate, its factor, and a constant."""
        varies = self.varies[numbers, digit]
        coordinates = np.where(varies, self.coordinate[numbers, digit], 0)
        constants: Floats = self.digits[self.middle[numbers], digit].astype(np.float64)
        return coordinates, varies.astype(np.float64), constants


def bases(count: int) -> list[int]:
    """Return the least base for each number of digits of `count` numbers."""
    numbers = {2}
    length = 1
    while 2 not in (base := [b for b in range(2, count + 2) if b**length >= count][:1]):
        numbers.update(base)
        length += 1
    return sorted(numbers)
