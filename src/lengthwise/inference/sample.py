"""Labelled words as arrays in which equal suffixes have equal numbers.

A prefix tree of 100,000 words of 40 symbols has millions of nodes. State merging needs less of it:
which words have a suffix in common. `suffixes` is that, so that a subtree is a set of numbers.

Axes:
    word  words, shortest first, then in the order of their symbols
    left  symbols that are left to read, from 0
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.languages.language import Language

Array = NDArray[np.int64]

_AT_ONCE = 2**15
"""Number of words that are read at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """Different words, each with a class.

    `symbols[word, left]` is the symbol that is read when `left` symbols are left, itself included;
    column 0 is not used.
    """

    symbols: NDArray[Any]
    """Of any type of integers: many words have a small one, in which numbers soon run over."""
    lengths: Array
    classes: Array
    num_symbols: int
    num_classes: int
    rows: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Row of each word among those that the sample was made of."""
    lines: NDArray[Any] | None = None
    """How often each word was seen with its class, and with its next most frequent class, where
    labels may be wrong, `[word, 2]`; None if each word was seen once."""

    @classmethod
    def of(
        cls,
        tokens: NDArray[Any],
        lengths: Array,
        classes: Array,
        num_symbols: int,
        num_classes: int,
        *,
        lines: NDArray[Any] | None = None,
    ) -> "Sample":
        """Return the sample of right-aligned words `[word, place]`, of the type of the tokens."""
        symbols = np.zeros((len(tokens), tokens.shape[1] + 1), dtype=tokens.dtype)
        keys = _blank_keys(len(symbols), symbols.shape[1], num_symbols)
        for first in range(0, len(symbols), _AT_ONCE):  # what is at hand stays in the cache
            part = slice(first, first + _AT_ONCE)
            symbols[part, 1:] = tokens[part, ::-1]
            symbols[part][np.arange(symbols.shape[1]) > lengths[part, None]] = 0
            _fill_keys(keys, part, symbols[part], lengths[part], num_symbols)
        order = np.lexsort((*keys[::-1], lengths))
        return cls(
            symbols=symbols[order],
            lengths=lengths[order],
            classes=classes[order],
            num_symbols=num_symbols,
            num_classes=num_classes,
            rows=order,
            lines=None if lines is None else lines[order],
        )

    @classmethod
    def of_words(
        cls,
        words: Sequence[Sequence[int]],
        classes: Sequence[int],
        num_symbols: int,
        num_classes: int,
    ) -> "Sample":
        """Return the sample of words that are given one by one."""
        lengths = np.array([len(word) for word in words], dtype=np.int64)
        tokens = np.zeros((len(words), int(lengths.max(initial=0))), dtype=np.int64)
        for row, word in enumerate(words):
            tokens[row, tokens.shape[1] - len(word) :] = word
        return cls.of(tokens, lengths, np.array(classes, dtype=np.int64), num_symbols, num_classes)

    def __len__(self) -> int:
        return len(self.lengths)

    def part(self, chosen: NDArray[np.bool_] | Array) -> "Sample":
        """Return some of the words, which stay in order if `chosen` is a mask or is sorted."""
        lengths = self.lengths[chosen]
        width = int(lengths.max(initial=0)) + 1
        return Sample(
            symbols=np.ascontiguousarray(self.symbols[chosen, :width]),
            lengths=lengths,
            classes=self.classes[chosen],
            num_symbols=self.num_symbols,
            num_classes=self.num_classes,
            rows=self.rows[chosen],
            lines=None if self.lines is None else self.lines[chosen],
        )

    @property
    def wide(self) -> "Sample":
        """The same words, with symbols that can be counted with: as searchers get them."""
        if self.symbols.dtype == np.int64:
            return self
        return replace(self, symbols=self.symbols.astype(np.int64))

    def word(self, row: int) -> tuple[int, ...]:
        """Return a word as a sequence of its symbols."""
        return tuple(self.symbols[row, self.lengths[row] : 0 : -1].tolist())

    @cached_property
    def suffixes(self) -> NDArray[Any]:
        """The number of the suffix of each word by its length, `[word, left]`; 0 if it is empty.

        Suffixes have equal numbers exactly if they are equal. A length that the word does not have
        has the number 0, too.
        """
        is_small = self.symbols.dtype != np.int64 and self.symbols.size < 2**31
        numbers = np.zeros(self.symbols.shape, dtype=np.int32 if is_small else np.int64)
        count = 1
        for left in range(1, self.symbols.shape[1]):
            words = np.flatnonzero(self.lengths >= left)
            before = numbers[words, left - 1].astype(np.int64)
            pairs = before * self.num_symbols + self.symbols[words, left]
            distinct, which = np.unique(pairs, return_inverse=True)
            numbers[words, left] = count + which
            count += len(distinct)
        return numbers

    @cached_property
    def num_suffixes(self) -> int:
        """Number of different suffixes, the empty one included."""
        return int(self.suffixes.max(initial=0)) + 1

    @cached_property
    def weights(self) -> Array | None:
        """How many more lines each word has with its class than with another; None if one each.

        A word that is misjudged costs as many wrong labels more than one that is not.
        """
        return line_weights(self.lines)

    @property
    def num_lines(self) -> int:
        """How often its words were seen."""
        return len(self) if self.lines is None else int(self.lines.sum())

    def wrong_lines(self, misjudged: NDArray[np.bool_]) -> int:
        """Return how many lines have other labels than an automaton gives their words.

        With more than two classes it is the least number, which holds if the automaton gives the
        words that it misjudges their next most frequent label.
        """
        if self.lines is None:
            return int(misjudged.sum())
        return int(np.where(misjudged, *self.lines.T).sum())

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of the words of each class; half a word is added to each, so that none is 0."""
        counts = np.bincount(self.classes, minlength=self.num_classes) + 0.5
        return counts / counts.sum()

    @property
    def entropy(self) -> float:
        """The bits that say the class of a word, by these shares."""
        return -float((self.shares * np.log2(self.shares)).sum())


def line_weights(lines: NDArray[Any] | None) -> Array | None:
    """Return the weights of words by their lines, as `Sample` has both."""
    return None if lines is None else np.subtract(*lines.T, dtype=np.int64)


def join_samples(first: Sample, other: Sample) -> Sample:
    """Return the words of two samples, which have nfirst in common, as first; shortest first, then
    those of the first sample."""
    width = max(first.symbols.shape[1], other.symbols.shape[1])
    lengths = np.concatenate([first.lengths, other.lengths])
    order = np.argsort(lengths, kind="stable")
    symbols = np.zeros((len(lengths), width), dtype=np.result_type(first.symbols, other.symbols))
    symbols[: len(first), : first.symbols.shape[1]] = first.symbols
    symbols[len(first) :, : other.symbols.shape[1]] = other.symbols
    lines = [each.lines for each in (first, other) if each.lines is not None]
    return Sample(
        symbols=symbols[order],
        lengths=lengths[order],
        classes=np.concatenate([first.classes, other.classes])[order],
        num_symbols=first.num_symbols,
        num_classes=first.num_classes,
        rows=order,
        lines=np.concatenate(lines)[order] if lines else None,
    )


def _together(num_symbols: int) -> int:
    """Return how many symbols, or the end of the word, one integer holds."""
    return max(1, int(63 / math.log2(num_symbols + 2)))


def _blank_keys(count: int, width: int, num_symbols: int) -> list[Array]:
    """Return keys for the symbols of all words; the first key holds the first symbols."""
    needed = math.ceil((width - 1) / _together(num_symbols))
    return [np.zeros(count, dtype=np.int64) for _ in range(needed)]


def _fill_keys(
    keys: list[Array], part: slice, symbols: NDArray[Any], lengths: Array, num_symbols: int
) -> None:
    """Fill the keys of some words, by which those of one length are sorted by their symbols."""
    together, base, rows = _together(num_symbols), num_symbols + 1, np.arange(len(symbols))
    for place in range(symbols.shape[1] - 1):
        left = lengths - place
        symbol = symbols[rows, np.maximum(left, 0)].astype(np.int64) + 1
        key = keys[place // together][part]
        key *= base
        key += np.where(left > 0, symbol, 0)


def states_of(language: Language, sample: Sample) -> Array:
    """Return the state in which each word ends."""
    moves = np.array(language.transitions, dtype=np.int64)
    final = np.full(len(sample), language.start, dtype=np.int64)
    for first in range(0, len(sample), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        states, lengths = final[part], sample.lengths[part]
        symbols = sample.symbols[part, : int(lengths.max(initial=0)) + 1]
        for left in range(symbols.shape[1] - 1, 0, -1):
            is_active = lengths >= left
            states[is_active] = moves[states[is_active], symbols[is_active, left]]
    return final


def answers_of(language: Language, sample: Sample) -> Array:
    """Return the class that an automaton gives to each word."""
    return np.array(language.classes, dtype=np.int64)[states_of(language, sample)]
