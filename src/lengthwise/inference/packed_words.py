"""Words packed for local search: a block of several symbols is read at once, by many automata.

An automaton's table of single symbols gives one of all strings of up to `block` symbols, by as many
look-ups as it has entries. Words are then read a block at a time, all words by all candidates in
one pass, so that a candidate costs a few look-ups a word.

Axes:
    candidate  automata of equal size over the same symbols, which start in state 0
    code       strings of up to `block` symbols, shorter ones first, then in the order of symbols
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Array, Sample, line_weights
from lengthwise.inference.searcher import Read, read_freely

Floats = NDArray[np.float64]

_MOST_CODES = 130
"""Greatest number of strings that a block may be: a larger table takes longer than the words."""

_MOST_PAIRS = 300
"""Greatest number of strings of up to two symbols; with more, symbols are read one by one."""

_AT_ONCE = 2**18
"""Number of places `[candidate, word]`, or entries of tables, that are read at once, to stay in the
processor's cache."""

_BETWEEN = 2**23
"""Approximate number of places read between two counts of them."""

_READ_AT_ONCE = 4
"""Blocks that are read in the time of a symbol of plain reading."""


def _num_codes(num_symbols: int, block: int) -> int:
    return sum(num_symbols**size for size in range(block + 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class PackedWords:
    """Some words of a sample, in blocks; the last block of each word is full."""

    blocks: Array
    """Codes `[place, word]`; the code 0, of the empty string, comes before the first symbol."""
    classes: Array
    num_symbols: int
    num_classes: int
    block: int
    """Symbols of a block."""
    lines: NDArray[Any] | None = None
    """The number of times that each word was seen, as `Sample` has it."""

    @classmethod
    def of(cls, sample: Sample, rows: Array) -> "PackedWords":
        """Pack the words of some rows, in the order of the rows."""
        base = sample.num_symbols
        block = 2 if _num_codes(base, 2) <= _MOST_PAIRS else 1
        while block < 16 and _num_codes(base, block + 1) <= _MOST_CODES:
            block += 1
        lengths = sample.lengths[rows]
        places = -(-int(lengths.max(initial=0)) // block)
        codes = np.zeros((places, len(rows)), dtype=np.int64)
        first = np.array([_num_codes(base, size - 1) for size in range(block + 1)])
        for place in range(places):
            size = np.zeros(len(rows), dtype=np.int64)
            for left in range((places - place) * block, (places - place - 1) * block, -1):
                is_present = lengths >= left
                if is_present.any():
                    longer = codes[place] * base + sample.symbols[rows, left * is_present]
                    codes[place] = np.where(is_present, longer, codes[place])
                size += is_present
            codes[place] += first[size]
        return cls(
            blocks=codes,
            classes=sample.classes[rows],
            num_symbols=base,
            num_classes=sample.num_classes,
            block=block,
            lines=None if sample.lines is None else sample.lines[rows],
        )

    def __len__(self) -> int:
        return len(self.classes)

    def part(self, first: int, last: int) -> "PackedWords":
        """Return the words from one number up to another."""
        return PackedWords(
            blocks=np.ascontiguousarray(self.blocks[:, first:last]),
            classes=self.classes[first:last],
            num_symbols=self.num_symbols,
            num_classes=self.num_classes,
            block=self.block,
            lines=None if self.lines is None else self.lines[first:last],
        )

    @cached_property
    def weights(self) -> Array | None:
        """The weight of each word, as `Sample` has it."""
        return line_weights(self.lines)

    def counts(self, moves: Array, read: Read = read_freely) -> Array:
        """Return how many words of each class end in each state, `[candidate, state, class]`; each
        word counts by its weight.

        `moves[candidate, state, symbol]` are the transitions. `read` counts what is read, several
        times a second.
        """
        table = moves.shape[1] * _num_codes(self.num_symbols, self.block)
        step = max(1, _AT_ONCE // max(len(self), table))
        parts = [self._counts(moves[at : at + step], read) for at in range(0, len(moves), step)]
        return np.concatenate(parts)

    def _counts(self, moves: Array, read: Read) -> Array:
        number, states, _ = moves.shape
        table = _compose_tables(moves, self.block)
        width = table.shape[1]
        flat = (table * width).ravel()
        state = np.repeat(np.arange(number) * states * width, len(self)).reshape(number, -1)
        index = np.empty_like(state)
        between = 1 + _BETWEEN // max(1, state.size)
        for place, codes in enumerate(self.blocks):
            if place % between == 0:
                read(state.size * min(between, len(self.blocks) - place) // _READ_AT_ONCE)
            np.add(state, codes, out=index)
            np.take(flat, index, out=state, mode="clip")
        state //= width
        state *= self.num_classes
        state += self.classes
        size = number * states * self.num_classes
        weights = None if self.weights is None else np.tile(self.weights, number)
        counts = count_weighted(state.ravel(), weights, size)
        return counts.reshape(number, states, self.num_classes)


def count_weighted(codes: Array, weights: Array | None, size: int) -> Array:
    """Return how often each code occurs, of the codes below a size; or its weights added up."""
    counts = np.bincount(codes, weights, minlength=size)
    return counts if weights is None else counts.astype(np.int64)


def _compose_tables(moves: Array, block: int) -> Array:
    """Return the tables of all strings of up to `block` symbols, `[candidate * state, code]`.

    The states of all candidates are numbered one after the other.
    """
    number, states, symbols = moves.shape
    flat = (moves + (np.arange(number) * states)[:, None, None]).reshape(-1, symbols)
    reached = np.arange(number * states)[:, None]
    parts = [reached]
    for _ in range(block):
        reached = flat[reached].reshape(number * states, -1)
        parts.append(reached)
    return np.concatenate(parts, axis=1)


def log_likelihood(counts: Array) -> Floats:
    """Return the logarithm of the probability of the classes, by the state that a word ends in.

    Each state of `counts[..., state, class]` has the shares of the classes that ended in it. The
    result is 0 exactly if all words that end in one state have one class, and else below.
    """
    logs = _times_log(int(counts.sum(axis=(-1, -2)).max(initial=0)))
    return (logs[counts].sum(axis=-1) - logs[counts.sum(axis=-1)]).sum(axis=-1)


_TABLE: list[Floats] = [np.zeros(2)]


def _times_log(most: int) -> Floats:
    """Return x log x for the integers from 0 to at least `most`."""
    if len(_TABLE[0]) <= most:
        numbers = np.arange(2 * most, dtype=np.float64)
        _TABLE[0] = numbers * np.log(np.maximum(numbers, 1))
    return _TABLE[0]


def count_misjudged(counts: Array) -> Array:
    """Return the number of words whose class differs from that of most words of their state."""
    return counts.sum(axis=(-1, -2)) - counts.max(axis=-1).sum(axis=-1)
