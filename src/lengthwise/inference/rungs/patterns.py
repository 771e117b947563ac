"""Grow long literals one symbol at a time, and keep the most informative ones of each length.

Words of 25 symbols have too many subsequences of six symbols for a pool. But if a subsequence
decides the class, what it begins with says something of the class, too. So literals grow at their
right end, by a symbol that follows at once or later, and a beam keeps those of each length that
leave the least entropy of the class.

The places where a literal ends in a word are the bits of an integer: so a symbol that follows at
once is a shift, and one that follows later is a mask.

Axes:
    literal    literals of one length
    step       0 for a symbol that follows later, 1 for one that follows at once
    symbol     symbols that occur in the words, then the mark
    word       words
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.rungs.literals import (
    MADE,
    MOST_ENTRIES,
    MOST_PLACES,
    Bits,
    Indexed,
    Kind,
    Literal,
    MarkedWords,
    Pool,
    later,
)
from lengthwise.inference.rungs.rules import Floats, left_entropy, logarithms
from lengthwise.inference.sample import Array

_AT_ONCE = 2**22
"""Ends that are computed at once."""

_LEAST = 3
"""Least number of words that a pattern holds of."""

_NARROWEST = 16
"""Least number of literals of one length that grow."""

_ENDS_AT_ONCE, _CELLS_AT_ONCE = 4, 50
"""Ends that are computed in the time of a symbol of plain reading, and columns of cells that are
counted for an end in the time in which it is computed."""

_MOST_CELLS = 512
"""Greatest number of cells of words that have patterns."""


def patterns(longest: int, tried: int, *, in_blocks: bool) -> Kind:
    """Return the kind of literals of up to `longest` symbols that grow from the best of each
    length, so many that about `tried` are made of them.

    They are subsequences, or (`in_blocks`) windows in order: the first may contain the mark before
    a word, and the last the mark behind it. The pool is empty if a word has more than
    `MOST_PLACES` places.
    """

    def pool(words: MarkedWords) -> Pool:
        holds = [np.zeros((0, len(words.digits)), dtype=bool)]
        literals = list[Literal]()
        total = 0
        if words.digits.shape[1] <= MOST_PLACES and words.num_cells <= _MOST_CELLS:
            growth = _Growth.of(words)
            width = max(tried // len(growth.symbols), _NARROWEST)
            for _ in range(longest):
                growth = growth.grow(width, in_blocks=in_blocks)
                number = int(np.count_nonzero(growth.ends))
                words.read(MADE * number)
                total += number
                if not growth.literals or total > MOST_ENTRIES:
                    break
                literals += growth.literals
                holds.append(growth.ends != 0)
        literal, word = np.nonzero(np.concatenate(holds))
        return Pool(
            codes=np.arange(len(literals)),
            coding=Indexed(literals),
            literal=literal,
            word=word,
            num_words=len(words.digits),
        )

    return pool


@dataclass(frozen=True, slots=True)
class _Growth:
    """Literals of one length."""

    words: MarkedWords
    symbols: Array
    places: Bits
    """The places of each symbol in each word, `[symbol, word]`."""
    open_cells: NDArray[np.float32]
    """1 in the column of the group of a word, if its cell has several classes, `[word, column]`."""
    literals: list[Literal]
    ends: Bits
    """The places where each literal ends in each word, `[literal, word]`."""

    @classmethod
    def of(cls, words: MarkedWords) -> "_Growth":
        """Return the mark before all words, from which literals grow."""
        places = words.places()
        symbols = np.flatnonzero(places.any(axis=1))
        cell, label = np.divmod(words.groups, words.num_classes)
        counts = np.bincount(words.groups, minlength=words.num_cells * words.num_classes)
        is_open = (counts.reshape(words.num_cells, -1) > 0).sum(axis=1) > 1
        rows = np.flatnonzero(is_open[cell])
        column = (np.cumsum(is_open) - 1)[cell[rows]] * words.num_classes + label[rows]
        open_cells = np.zeros((len(cell), int(is_open.sum()) * words.num_classes), np.float32)
        open_cells[rows, column] = 1
        mark = Literal(((words.num_symbols,),))
        ends = np.ones((1, len(cell)), dtype=np.uint64)
        return cls(words, symbols, places[symbols], open_cells, [mark], ends)

    def grow(self, width: int, *, in_blocks: bool) -> "_Growth":
        """Return the best literals of one symbol more."""
        is_adjacent = [False, True] if in_blocks else [False]
        size = max(1, _AT_ONCE // max(len(is_adjacent) * self.places.size, 1))
        bits = np.concatenate(
            [
                self._judge(self._following(slice(first, first + size), is_adjacent))
                for first in range(0, len(self.literals), size)
            ]
        )
        bits[:, 0, -1] = np.inf  # the mark after other symbols says nothing more
        best = np.argsort(bits, axis=None, kind="stable")[:width]
        best = best[np.isfinite(bits.ravel()[best])]
        old, step, symbol = np.unravel_index(best, bits.shape)
        following = self._following(slice(None), is_adjacent)[old, step]
        new = self.symbols[symbol].tolist()
        literals = [
            self._append(self.literals[literal], number, is_adjacent=is_adjacent[by])
            for literal, by, number in zip(old.tolist(), step.tolist(), new, strict=True)
        ]
        return replace(self, literals=literals, ends=following & self.places[symbol])

    def _following(self, rows: slice, is_adjacent: Sequence[bool]) -> Bits:
        """Return the places that may follow literals, `[literal, step, word]`."""
        ends, one = self.ends[rows], np.uint64(1)
        return np.stack([ends << one if step else later(ends) for step in is_adjacent], axis=1)

    def _judge(self, following: Bits) -> Floats:
        """Return the entropy of the class that each literal of one symbol more leaves, infinite if
        it holds of too few words, `[literal, step, symbol]`."""
        ends = following.size * len(self.places) // _ENDS_AT_ONCE
        self.words.read(ends * (1 + self.open_cells.shape[1] // _CELLS_AT_ONCE))
        holds = (following[:, :, None] & self.places) != 0
        counts = (holds.astype(np.float32) @ self.open_cells).astype(np.int64)
        others = self.open_cells.sum(axis=0).astype(np.int64) - counts
        log = logarithms(len(self.open_cells))
        shape = (*counts.shape[:-1], -1, self.words.num_classes)
        left = sum(left_entropy(each.reshape(shape), log) for each in (counts, others))
        return np.where(holds.sum(axis=-1) < _LEAST, np.inf, np.sum(left, axis=-1))

    def _append(self, literal: Literal, symbol: int, *, is_adjacent: bool) -> Literal:
        """Return a literal with a symbol more, in its last block or in a block of its own."""
        *before, last = literal.blocks
        if is_adjacent:
            return Literal((*before, (*last, symbol)))
        is_mark = literal.blocks == ((self.words.num_symbols,),)
        return Literal(((symbol,),) if is_mark else (*literal.blocks, (symbol,)))
