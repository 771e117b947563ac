"""Search for automata whose states form a line, where each symbol moves one step at most.

Such automata are saturating counters of any kind: of nesting, of a lead, or of what was seen. Most
of them turn no states in a circle, and they have few parameters: a step back, a step forth, or none
for each state and symbol. So local search finds them where it does not find a general automaton.

Several lines are searched at once. In each, the steps of one state and symbol after the other take
the value by which the state that a word ends in says most of its class; at first with random
amounts added, which fall to nothing (simulated annealing).

Axes:
    line    lines that are searched at once
    state   states of a line, from its left end
    symbol  symbols; the last one is what is read behind a word
    place   places of the words
"""

from dataclasses import dataclass

import numpy as np

from lengthwise.inference.rungs.literals import MarkedWords
from lengthwise.inference.rungs.rules import Floats
from lengthwise.inference.sample import Array

_PASSES = 20
"""Greatest number of times that each step is tried."""

_HEATED = 12
"""Passes in which random amounts are added."""

_HEAT = 0.04
"""The amount that is added at first, for each word, in natural units of entropy."""

_READ_AT_ONCE = 4
"""Symbols that are read in the time of one of plain reading."""

_EXACT = 1e-9
"""Differences of entropy below which two are equal."""


@dataclass(frozen=True, slots=True)
class Line:
    """An automaton whose states form a line."""

    steps: Array
    """-1, 0 or 1 for each state and symbol."""
    start: int
    is_right: bool
    """True if the state that a word ends in decides its class, for all words that were searched."""

    @property
    def moves(self) -> Array:
        """The transitions, `[state, symbol]`."""
        return _moves(self.steps[None])[0]


class StateLines:
    """Searches lines that fit words."""

    def __init__(self, words: MarkedWords) -> None:
        digits = words.digits[:, 1:].T
        is_inner = (digits > 0) & (digits <= words.num_symbols)
        self._symbols = np.where(is_inner, digits - 1, words.num_symbols)
        self._classes, self._num_classes = words.groups, words.num_classes
        self._num_symbols = words.num_symbols
        self._read = words.read

    def anneal(self, states: int, lines: int, draw: np.random.Generator) -> Line:
        """Return the best of some lines after simulated annealing."""
        steps = draw.integers(-1, 2, size=(lines, states, self._num_symbols))
        start = np.where(draw.random(lines) < 0.5, 0, draw.integers(0, states, size=lines))
        return self._search(steps, start, draw, _HEATED)

    def improve(self, line: Line, draw: np.random.Generator) -> Line:
        """Return a line after local search."""
        return self._search(line.steps[None].copy(), np.array([line.start]), draw, 0)

    def _search(self, steps: Array, start: Array, draw: np.random.Generator, heated: int) -> Line:
        count, states, symbols = steps.shape
        every = np.arange(count)
        fit = self._fit(steps, start)
        for turn in range(_PASSES):
            heat = max(0.0, 1 - turn / heated) if heated else 0.0
            heat *= _HEAT * len(self._classes)
            changed = False
            for edge in draw.permutation(states * symbols).tolist():
                if fit.max() > -_EXACT:
                    break
                state, symbol = divmod(edge, symbols)
                candidates = np.repeat(steps[:, None], 3, axis=1)
                candidates[:, :, state, symbol] = [-1, 0, 1]
                candidates = candidates.reshape(3 * count, states, symbols)
                fits = self._fit(candidates, np.repeat(start, 3)).reshape(count, 3)
                now = steps[:, state, symbol] + 1
                noisy = fits + heat * draw.gumbel(size=fits.shape) if heat else fits.copy()
                noisy[every, now] += 0 if heat else _EXACT
                best_step = noisy.argmax(axis=1)
                changed |= bool((best_step != now).any())
                steps[:, state, symbol] = best_step - 1
                fit = fits[every, best_step]
            if fit.max() > -_EXACT or not (heat or changed):
                break
        best = int(fit.argmax())
        return Line(steps[best], int(start[best]), bool(fit[best] > -_EXACT))

    def _fit(self, steps: Array, start: Array) -> Floats:
        """Return the log-likelihood of the classes by the last state, of each line."""
        count, states, symbols = steps.shape
        first = np.arange(count)[:, None] * states
        stay = np.broadcast_to(np.arange(states)[:, None], (count, states, 1))
        moves = np.concatenate([_moves(steps), stay], axis=2) + first[:, :, None]
        flat = moves.astype(np.int32).ravel()
        width = np.int32(symbols + 1)
        at = np.repeat((start + first[:, 0])[:, None], self._symbols.shape[1], axis=1)
        at = at.astype(np.int32)
        self._read(count * self._symbols.size // _READ_AT_ONCE)
        for symbol in self._symbols.astype(np.int32):
            at = flat[at * width + symbol]
        number = self._num_classes
        counts = np.bincount(
            (at * number + self._classes).ravel(), minlength=count * states * number
        ).reshape(count, states, number)
        total = counts.sum(axis=2)
        inside = (counts * np.log(np.maximum(counts, 1))).sum(axis=(1, 2))
        return inside - (total * np.log(np.maximum(total, 1))).sum(axis=1)


def _moves(steps: Array) -> Array:
    """Return the transitions of lines, which end at both sides."""
    states = steps.shape[1]
    return np.clip(steps + np.arange(states)[:, None], 0, states - 1)
