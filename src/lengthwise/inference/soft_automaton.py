"""A recurrence that can be read as an automaton: one whose transitions are probabilities.

Idea. A symbol takes the distribution over states to another one by a stochastic matrix, and each
state gives the classes with some probabilities. All of these are softmax values of weights, and
Adam lowers the cross-entropy of the classes of whole words. Where several transitions must change
at once, local search sees no gain in any of them; the gradient moves all of them a little.

Snapping. The likeliest transitions are an automaton of as many states. It need not be right where
the network is, since the network can be undecided: local search by the words continues from it.

Axes:
    place    positions of the longest word, the first read first; words are right-aligned
    word     words of a batch
    symbol   symbols, and one more that fills the places before a word and changes no state
    state    states; the start is state 0
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Array, Sample

Floats = NDArray[np.float32]

_RATE = 0.03
"""Learning rate of Adam in the first half of the steps; it then falls to 0."""

_DECAY, _DECAY_OF_SQUARES = 0.9, 0.99
_LEAST = 1e-6
"""Least probability of a class; smaller ones are raised to it before the logarithm."""


def probabilities_of(weights: Floats) -> Floats:
    """Return probabilities along the last axis."""
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _before_softmax(gradient: Floats, shares: Floats) -> Floats:
    """Return the gradient of the weights, from that of their softmax values."""
    return np.asarray(shares * (gradient - (gradient * shares).sum(axis=-1, keepdims=True)))


@dataclass(frozen=True, eq=False)
class WordBatch:
    """Words with their classes, in the order in which they are read."""

    symbols: Array
    """`[place, word]`."""
    classes: Array

    @classmethod
    def of(cls, sample: Sample) -> "WordBatch":
        """Return all words of a sample."""
        symbols = sample.symbols.T[:0:-1].copy()
        left = np.arange(len(symbols), 0, -1)[:, None]
        symbols[left > sample.lengths] = sample.num_symbols
        return cls(symbols, sample.classes)

    def part(self, rows: Array) -> "WordBatch":
        """Return some of the words."""
        return WordBatch(self.symbols[:, rows], self.classes[rows])


class SoftAutomaton:
    """A recurrence of probabilities, and the state of the optimiser that trains it."""

    def __init__(
        self,
        *,
        num_symbols: int,
        num_states: int,
        num_classes: int,
        stay: float,
        draw: np.random.Generator,
    ) -> None:
        """Draw the weights; `stay` favours staying in a state."""
        weights = draw.standard_normal((num_symbols, num_states, num_states))
        self.moves: Floats = (weights + stay * np.eye(num_states)).astype(np.float32)
        """`[symbol, state, state]`, before the softmax."""
        self.answers: Floats = draw.normal(0, 0.1, (num_states, num_classes)).astype(np.float32)
        """`[state, class]`, before the softmax."""
        self._means = [np.zeros_like(array) for array in (self.moves, self.answers)]
        self._squares = [np.zeros_like(array) for array in (self.moves, self.answers)]
        self._steps = 0

    def train_step(self, batch: WordBatch, rate: float = 1.0) -> float:
        """Make a step of Adam with a share of the learning rate; return the loss before it."""
        loss, gradients = self.loss(batch)
        self._steps += 1
        weights = (self.moves, self.answers)
        for index, gradient in enumerate(gradients):
            mean, square = self._means[index], self._squares[index]
            mean += (1 - _DECAY) * (gradient - mean)
            square += (1 - _DECAY_OF_SQUARES) * (gradient * gradient - square)
            scale = np.sqrt(square / (1 - _DECAY_OF_SQUARES**self._steps)) + 1e-8
            weights[index][:] -= rate * _RATE / (1 - _DECAY**self._steps) * mean / scale
        return loss

    def loss(self, batch: WordBatch) -> tuple[float, tuple[Floats, Floats]]:
        """Return the mean cross-entropy of the classes, and its gradients by the weights."""
        symbols, states, _ = self.moves.shape
        places, count = batch.symbols.shape
        rows = np.arange(count)
        moves, answers = probabilities_of(self.moves), probabilities_of(self.answers)
        flat = np.concatenate([moves, np.eye(states, dtype=np.float32)[None]]).reshape(-1, states)
        before = np.zeros((places, count, symbols + 1, states), dtype=np.float32)
        state = np.zeros((count, states), dtype=np.float32)
        state[:, 0] = 1
        for read, now in zip(batch.symbols, before, strict=True):
            now[rows, read] = state
            state = now.reshape(count, len(flat)) @ flat
        right = np.maximum((state @ answers)[rows, batch.classes], _LEAST)
        by_class = np.zeros((count, answers.shape[1]), dtype=np.float32)
        by_class[rows, batch.classes] = -1 / (right * count)
        by_answers = state.T @ by_class
        by_state = np.empty((places, count, states), dtype=np.float32)
        now, back = by_class @ answers.T, np.ascontiguousarray(flat.T)
        for place in range(places - 1, -1, -1):
            by_state[place] = now
            now = (now @ back).reshape(count, -1, states)[rows, batch.symbols[place]]
        by_moves = before.reshape(places * count, len(flat)).T @ by_state.reshape(-1, states)
        gradient = by_moves.reshape(-1, states, states)[:symbols]
        loss = float(-np.log(right).mean())
        return loss, (_before_softmax(gradient, moves), _before_softmax(by_answers, answers))

    def snap(self) -> Array:
        """Return the likeliest transitions, `[state, symbol]`."""
        return np.ascontiguousarray(self.moves.argmax(axis=-1).T)
