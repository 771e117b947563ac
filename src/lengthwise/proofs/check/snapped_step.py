"""Recurrences whose state is snapped after each symbol, whatever computes a step.

After each symbol the state is replaced by the nearest representative, in Euclidean distance; the
answer is the class of the logits of the state before that. So a code is a pair (representative,
class), and `SnappedStep` implements `BoundedCoded`. Subclasses compute the state and the logits.

A state in a ball of radius ρ has its nearest representative for certain if the next is farther by
more than 2 ρ.

Axes:
    prefix          words that have been read so far
    representative  states that others are snapped to
    width           numbers in a state
    class           classes
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Ball, Floats, norm
from lengthwise.proofs.check.bounded import Codes, Decided, largest
from lengthwise.proofs.check.layer_node import quietly

_OUTWARD = 1e-9
"""More than rounding loses in computing a distance, relative to it."""


@dataclass(frozen=True, slots=True)
class Reached:
    """States, and the logits that are read off them."""

    states: Ball
    """`[prefix, width]`"""
    logits: Floats
    """`[prefix, class]`"""
    radius: Floats
    """`[prefix, class]`, of the logits."""


class SnappedStep(ABC):
    """A step from representatives to the nearest representatives.

    A subclass sets `num_symbols` and `representatives`, float64.
    """

    num_symbols: int
    representatives: Floats

    def __init__(self) -> None:
        self._logits_distance, self._logits_radius = np.full(1, np.inf), np.zeros(1)

    @abstractmethod
    def after(self, states: Floats, symbols: Integers) -> Reached:
        """Return what symbols lead to from states."""

    @abstractmethod
    def start(self) -> Decided:
        """Return the code of the empty word, whose representative is the first."""

    @quietly
    def step(self, codes: Codes, symbols: Integers) -> Decided:
        """Return the codes after symbols, and by how much each nearest representative leads."""
        return self.snap(self.after(self.representatives[codes[:, 0]], symbols))

    def classify(self, word: Sequence[int]) -> int:
        """Return the class of a word; rounding may change it if a step or the class is in doubt."""
        code = self.start().values
        for symbol in word:
            code = self.step(code, np.array([symbol])).values
        return int(code[0, 1])

    def snap(self, reached: Reached) -> Decided:
        """Return the nearest representatives and the classes."""
        state, classes = reached.states, self.decide(reached)
        away = np.stack([norm(state.centre - each) for each in self.representatives], axis=1)
        nearest = np.where(np.isnan(away), np.inf, away).argmin(axis=1)
        best = np.take_along_axis(away, nearest[:, None], axis=1)
        is_other = np.arange(away.shape[1]) != nearest[:, None]
        doubt = 2 * state.radius[:, None] + _OUTWARD * (away + best + 1e-9)
        found = np.stack([nearest, classes], axis=1)
        return Decided(found, (away - best)[is_other], doubt[is_other])

    def classes(self, codes: Codes) -> Decided:
        """Return the classes of the words that led to codes, with the least lead of any logit that
        was computed so far, whatever the codes.
        """
        return Decided(codes[:, 1], self._logits_distance, self._logits_radius)

    def decide(self, reached: Reached) -> Integers:
        """Return the classes of logits, and keep the logit that leads by the least."""
        decided = largest(reached.logits, reached.radius)
        if decided.distance.size:
            worst = int((decided.distance - decided.radius).argmin())
            room = self._logits_distance[0] - self._logits_radius[0]
            if not decided.distance[worst] - decided.radius[worst] >= room:
                self._logits_distance = decided.distance[worst : worst + 1]
                self._logits_radius = decided.radius[worst : worst + 1]
        return np.asarray(decided.values, dtype=np.int64)
