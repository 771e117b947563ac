"""Explaining labels by an automaton: in bits, and what a change of it would gain.

There are two ways to read a class off a word. `ByEnd` reads it off the state in which the word
ends: each state has its shares of the classes. `ByAlarms` is for a class that a word never leaves:
each transition raises the alarm with a probability of its own, and a word has the class if any did.
While few states of the language are known, the alarm of one is raised now and then in a state that
stands for several, which shows where to split; an automaton that raises it always or never could
not say so.

Axes:
    word    words of a sample, shortest first
    edge    transitions, `state * symbols + symbol`
    target  states to which a transition may lead
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.packed_words import Floats, PackedWords, count_weighted, log_likelihood
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.visits import Passes

Rates = NDArray[np.float32]

_ROUNDS, _FIRST_ROUNDS = 12, 40
"""Rounds in which the rates of alarms are fitted, from those known before, and from nothing."""

_LEAST_NOISE = 0.001
"""Share of wrong labels that alarms allow for at least."""

_RATES = (1e-5, 0.02, 6.0)
"""The least rate, the one to begin with, and the greatest, which raises the alarm at once."""

_COUNTED = 0.05
"""Rate of alarms from which a transition counts as raising the alarm."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An automaton that may follow another one."""

    moves: Array
    """Transitions `[state, symbol]`; the start is state 0."""
    parents: Array
    """The state of the other one as which each state began."""


class LabelExplanation(ABC):
    """A way in which an automaton explains the labels of words."""

    most_candidates: int
    """Number of candidates of each kind that are worth a reading of all words."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    @abstractmethod
    def bits(self, candidates: Sequence[Candidate], weight: float) -> Floats:
        """Return the bits of each candidate: of its labels, plus `weight` times its own."""

    @abstractmethod
    def adopt(self, candidate: Candidate) -> None:
        """Continue from a candidate: the parents of others are its states."""

    @abstractmethod
    def gains(self, moves: Array, passes: Passes, count: int) -> Floats:
        """Return the approximate bits gained if words continue elsewhere where they first pass each
        of `count` codes, `[code, target]`; an explanation may have further targets."""

    def _after(self, moves: Array, ends: NDArray[Any], costs: Rates | None = None) -> NDArray[Any]:
        """Return what follows from each state, `[left, word, state]`.

        It is `ends[state]` at the end of a word; reading an edge adds its costs.
        """
        sample, states = self.sample, len(moves)
        after = np.empty((sample.symbols.shape[1], len(sample), states), dtype=ends.dtype)
        after[0] = ends
        base = (np.arange(len(sample)) * states)[:, None]
        table = np.ascontiguousarray(moves.T)
        for left in range(1, len(after)):
            read = sample.symbols[:, left]
            after[left] = after[left - 1].ravel()[table[read] + base]
            if costs is not None:
                after[left] += costs.T[read]
        return after


class ByEnd(LabelExplanation):
    """Each word has a class by the state that it ends in."""

    most_candidates = 24

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample)
        self._packed = PackedWords.of(sample, np.arange(len(sample)))

    def bits(self, candidates: Sequence[Candidate], weight: float) -> Floats:
        """Return the bits of each; those of the labels are least with the shares of its states."""
        bits = np.empty(len(candidates))
        sizes = np.array([len(candidate.moves) for candidate in candidates])
        for size in set(sizes.tolist()):
            rows = np.flatnonzero(sizes == size).tolist()
            moves = np.array([candidates[row].moves for row in rows])
            labels = log_likelihood(self._packed.counts(moves)) / -np.log(2)
            bits[rows] = labels + weight * bits_of_moves(moves)
        return bits

    def adopt(self, candidate: Candidate) -> None:
        """Do nothing: shares are counted anew for each candidate."""

    def gains(self, moves: Array, passes: Passes, count: int) -> Floats:
        """Return the bits that are gained by words that end elsewhere."""
        sample, states = self.sample, len(moves)
        after = self._after(moves, np.arange(states, dtype=np.int16))
        ends = after[sample.lengths, np.arange(len(sample)), 0].astype(np.int64)
        classes, labels = sample.num_classes, sample.classes[passes.words]
        weights = sample.weights
        counts = count_weighted(ends * classes + sample.classes, weights, states * classes)
        weights = None if weights is None else weights[passes.words]
        shape = (count, states, classes)
        code = (passes.codes * states + ends[passes.words]) * classes + labels
        lost = count_weighted(code, weights, count * states * classes).reshape(shape)
        end_states = after[passes.left - 1, passes.words]
        codes = (passes.codes[:, None] * states + np.arange(states)) * states + end_states
        codes = codes * classes + labels[:, None]
        size = count * states * states * classes
        weights = None if weights is None else np.repeat(weights, states)
        won = count_weighted(codes.ravel(), weights, size)
        won = won.reshape(count, states, states, classes)
        counts = counts.reshape(states, classes)
        score = log_likelihood(counts[None])[0]
        return (log_likelihood(counts + won - lost[:, None]) - score) / np.log(2)


class ByAlarms(LabelExplanation):
    """Each word has one class if a transition raised the alarm, and another if none did."""

    most_candidates = 10

    def __init__(self, sample: Sample, alarm: int, noise: float) -> None:
        super().__init__(sample)
        self._alarmed = sample.classes == alarm
        self._noise = max(noise, _LEAST_NOISE)
        weights = 1 if sample.weights is None else sample.weights
        self._weights = np.broadcast_to(np.float32(weights), len(sample))
        self.rates: Rates = np.zeros((0, sample.num_symbols), dtype=np.float32)
        """Rate of alarms `[state, symbol]`: the alarm is raised with probability 1 - exp(-rate)."""

    def bits(self, candidates: Sequence[Candidate], weight: float) -> Floats:
        """Return the bits of each, with rates that fit it."""
        bits = []
        for candidate in candidates:
            rates, labels = self._fit(candidate)
            alarms = int((rates > _COUNTED).sum()) * np.log2(rates.size)
            size = float(bits_of_moves(candidate.moves[None])[0]) + alarms
            bits.append(labels + weight * size)
        return np.array(bits)

    def adopt(self, candidate: Candidate) -> None:
        """Continue from the rates of a candidate."""
        self.rates = self._fit(candidate)[0]

    def gains(self, moves: Array, passes: Passes, count: int) -> Floats:
        """Return the bits that are gained; two more targets are that of `moves`, without an alarm
        and with one."""
        states, words = len(moves), passes.words
        after = self._after(moves, np.zeros(states, dtype=np.float32), self.rates)
        total = after[self.sample.lengths, np.arange(len(self.sample)), 0]
        read = self.sample.symbols[words, passes.left]
        costs = self.rates[passes.states, read]
        following = after[passes.left - 1, words]
        current = following[np.arange(len(words)), moves[passes.states, read]]
        before = total[words] - costs - current
        targets = np.column_stack([before[:, None] + costs[:, None] + following, before + current])
        targets = np.column_stack([targets, np.full(len(words), np.float32(_RATES[2]))])
        score = self._likelihood(total, self._alarmed)
        gains = self._likelihood(targets, self._alarmed[words][:, None]) - score[words][:, None]
        gains *= self._weights[words][:, None]
        columns = [np.bincount(passes.codes, column, minlength=count) for column in gains.T]
        return np.column_stack(columns) / np.log(2)

    def with_alarm(self, moves: Array) -> Array:
        """Return the automaton in which likely alarms lead to a state that is never left."""
        state = len(moves)
        moves = np.where(self.rates > np.log(2), state, moves)
        return np.concatenate([moves, np.full((1, moves.shape[1]), state)])

    def _likelihood(self, total: Rates, alarmed: NDArray[np.bool_]) -> Rates:
        """Return the log-likelihood of labels, where rates add up to a total."""
        quiet = (1 - 2 * self._noise) * np.exp(-total) + self._noise
        return np.log(np.where(alarmed, 1 - quiet, quiet))

    def _fit(self, candidate: Candidate) -> tuple[Rates, float]:
        """Return rates that fit an automaton, and the bits of the labels.

        Each round multiplies a rate by the root of what speaks for a greater one over what speaks
        for a smaller one.
        """
        passed = self._count_passes(candidate.moves)
        rounds, rates = _FIRST_ROUNDS, np.full(passed.shape[1], np.float32(_RATES[1]))
        if len(self.rates):
            rates = self.rates[candidate.parents].ravel()
            rounds, rates = _ROUNDS, np.maximum(rates, _RATES[1] / 8)
        least, _, most = _RATES
        for _ in range(rounds):
            quiet = (1 - 2 * self._noise) * np.exp(-(passed @ rates))
            slope = quiet / np.where(self._alarmed, 1 - self._noise - quiet, -quiet - self._noise)
            slope *= self._weights
            more = np.maximum(slope, 0) @ passed + 1e-9
            less = np.maximum(-slope, 0) @ passed + 1e-3
            rates = np.clip(rates * np.sqrt(more / less), least, most)
        likelihood = self._likelihood(passed @ rates, self._alarmed) * self._weights
        bits = float(likelihood.sum()) / -np.log(2)
        return rates.reshape(candidate.moves.shape), bits

    def _count_passes(self, moves: Array) -> Rates:
        """Return how often each word passes each edge, `[word, edge]`."""
        sample = self.sample
        count, size = len(sample), moves.size
        state, parts = np.zeros(count, dtype=np.int64), []
        for left in range(sample.symbols.shape[1] - 1, 0, -1):
            first = int(np.searchsorted(sample.lengths, left))
            edge = state[first:] * moves.shape[1] + sample.symbols[first:, left]
            parts.append(np.arange(first, count) * size + edge)
            state[first:] = moves.ravel()[edge]
        codes = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        return np.bincount(codes, minlength=count * size).reshape(count, size).astype(np.float32)


def bits_of_moves(moves: Array) -> Floats:
    """Return the bits of the transitions of automata `[candidate, state, symbol]`, as
    `searcher.size_in_bits` counts them."""
    _, states, symbols = moves.shape
    target, symbol = np.log2(max(states, 2)), np.log2(max(symbols, 2))
    commonest = (moves[..., None] == np.arange(states)).sum(axis=2).max(axis=-1)
    exceptions = symbols - commonest
    bits = np.minimum(target + exceptions * (symbol + target), symbols * target)
    return bits.sum(axis=1)
