"""Pairs of an input and its output of equal length as arrays.

Axes:
    pair   pairs
    place  positions of the symbols, from the left; places behind the last one are not used
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Array
from lengthwise.languages.functions.function import Function
from lengthwise.languages.minimise import Table


@dataclass(frozen=True, kw_only=True, eq=False)
class Paired:
    """Inputs and outputs `[pair, place]`, as numbers of symbols; 0 where there is none."""

    inputs: Array
    outputs: Array
    lengths: Array
    num_symbols: int
    num_outputs: int

    @classmethod
    def of_words(
        cls,
        pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
        num_symbols: int,
        num_outputs: int,
    ) -> "Paired":
        """Return pairs that are given one by one."""
        lengths = np.array([len(word) for word, _ in pairs], dtype=np.int64)
        width = int(lengths.max(initial=0))
        inputs, outputs = (np.zeros((len(pairs), width), dtype=np.int64) for _ in range(2))
        for row, (word, output) in enumerate(pairs):
            inputs[row, : len(word)], outputs[row, : len(word)] = word, output
        return cls(
            inputs=inputs,
            outputs=outputs,
            lengths=lengths,
            num_symbols=num_symbols,
            num_outputs=num_outputs,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Where there is a symbol, `[pair, place]`."""
        return np.arange(self.inputs.shape[1]) < self.lengths[:, None]

    def part(self, rows: NDArray[np.bool_] | Array) -> "Paired":
        """Return some of the pairs."""
        return Paired(
            inputs=self.inputs[rows],
            outputs=self.outputs[rows],
            lengths=self.lengths[rows],
            num_symbols=self.num_symbols,
            num_outputs=self.num_outputs,
        )

    def join(self, other: "Paired") -> "Paired":
        """Return the pairs of both."""
        width = max(self.inputs.shape[1], other.inputs.shape[1])

        def stack(*arrays: Array) -> Array:
            more = [((0, 0), (0, width - array.shape[1])) for array in arrays]
            return np.concatenate([np.pad(a, by) for a, by in zip(arrays, more, strict=True)])

        return Paired(
            inputs=stack(self.inputs, other.inputs),
            outputs=stack(self.outputs, other.outputs),
            lengths=np.concatenate([self.lengths, other.lengths]),
            num_symbols=self.num_symbols,
            num_outputs=self.num_outputs,
        )

    def turn(self, values: Array) -> Array:
        """Return values `[pair, place]` from the other end of each word; 0 behind its last one."""
        places = self.lengths[:, None] - 1 - np.arange(values.shape[1])
        turned = np.take_along_axis(values, np.maximum(places, 0), axis=1)
        return np.where(places >= 0, turned, 0)

    def reverse(self) -> "Paired":
        """Return the reversed inputs with the reversed outputs."""
        return Paired(
            inputs=self.turn(self.inputs),
            outputs=self.turn(self.outputs),
            lengths=self.lengths,
            num_symbols=self.num_symbols,
            num_outputs=self.num_outputs,
        )

    def prefixes(self) -> Array:
        """Return a number for the symbols before each position: equal ones have equal numbers."""
        numbers = np.zeros_like(self.inputs)
        count = 1
        for place in range(1, self.inputs.shape[1]):
            keys = numbers[:, place - 1] * self.num_symbols + self.inputs[:, place - 1]
            distinct, which = np.unique(keys, return_inverse=True)
            numbers[:, place] = count + which
            count += len(distinct)
        return numbers

    def states(self, automaton: Table) -> Array:
        """Return the state of an automaton before each position."""
        moves, states = np.array(automaton, dtype=np.int64), np.zeros_like(self.inputs)
        for place in range(1, self.inputs.shape[1]):
            states[:, place] = moves[states[:, place - 1], self.inputs[:, place - 1]]
        return states

    def states_behind(self, automaton: Table) -> Array:
        """Return the state of an automaton that has read what follows each position, backwards."""
        return self.turn(self.reverse().states(automaton))

    def written(self, function: Function) -> Array:
        """Return the outputs of a function."""
        table = np.array(function.table, dtype=np.int64)
        left = self.states(function.left)
        return table[left, self.inputs, self.states_behind(function.right)]

    def wrong(self, function: Function) -> NDArray[np.bool_]:
        """Return where a function writes another symbol, `[pair, place]`."""
        return (self.written(function) != self.outputs) & self.inside
