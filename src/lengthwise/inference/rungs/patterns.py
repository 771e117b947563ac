"""Grow long literals symbol by symbol, from those that say most of the class.

The subsequences of six symbols that words of 25 symbols have are too many for a pool. But each part
of one that decides the class says something of it, too. So literals grow at their right end, by a
symbol that follows at once or after others, and of each length those stay that leave the least
entropy of the class.

The places where a literal ends in a word are the bits of an integer: so a symbol that follows at
once is a shift, and one that follows later is a mask.

Axes:
    literal    literals of one length
    step       symbols that follow at once, then symbols that follow after others
    word       words
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lengthwise.inference.rungs.literals import (
    MOST_PLACES,
    Bits,
    Kind,
    Listed,
    Literal,
    MarkedWords,
    Pool,
    later,
)
from lengthwise.inference.rungs.rules import Floats, left_entropy, logarithms

_AT_ONCE = 2**22
"""Ends that are computed at once."""

_LEAST = 3
"""Words of which a pattern has to hold."""


def patterns(longest: int, tried: int, *, in_blocks: bool) -> Kind:
    """Return the kind of literals of up to `longest` symbols that grow from the best of each
    length, of which about `tried` are made.

    They are subsequences, or (`in_blocks`) windows in order, of which the first may contain the
    mark before a word and the last the mark behind it.
    """

    def pool(words: MarkedWords) -> Pool:
        holds = [np.zeros((0, len(words.digits)), dtype=bool)]
        literals = list[Literal]()
        if words.digits.shape[1] <= MOST_PLACES:
            growth, width = _Growth.of(words), max(tried // words.num_symbols, 1)
            for _ in range(longest):
                growth = growth.grow(width, in_blocks=in_blocks)
                if not growth.literals:
                    break
                literals += growth.literals
                holds.append(growth.ends != 0)
        literal, word = np.nonzero(np.concatenate(holds))
        return Pool(
            codes=np.arange(len(literals)),
            coding=Listed(literals),
            literal=literal,
            word=word,
            num_words=len(words.digits),
        )

    return pool


@dataclass(frozen=True, slots=True)
class _Growth:
    """Literals of one length."""

    words: MarkedWords
    places: Bits
    """The places of each symbol, and those of the mark, in each word, `[symbol, word]`."""
    literals: list[Literal]
    ends: Bits
    """Where each literal ends in each word, `[literal, word]`."""

    @classmethod
    def of(cls, words: MarkedWords) -> "_Growth":
        """Return the mark before all words, from which literals grow."""
        mark, ends = Literal(((words.num_symbols,),)), np.ones((1, len(words.digits)), np.uint64)
        return cls(words, words.places(), [mark], ends)

    def grow(self, width: int, *, in_blocks: bool) -> "_Growth":
        """Return the best literals of one symbol more."""
        is_adjacent = [False, True] if in_blocks else [False]
        size = max(1, _AT_ONCE // (len(is_adjacent) * self.places.size or 1))
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
        literals = [
            self._append(self.literals[literal], new, is_adjacent=is_adjacent[by])
            for literal, by, new in zip(old.tolist(), step.tolist(), symbol.tolist(), strict=True)
        ]
        return replace(self, literals=literals, ends=following & self.places[symbol])

    def _following(self, rows: slice, is_adjacent: Sequence[bool]) -> Bits:
        """Return the places that may follow literals, `[literal, step, word]`."""
        ends, one = self.ends[rows], np.uint64(1)
        return np.stack([ends << one if step else later(ends) for step in is_adjacent], axis=1)

    def _judge(self, following: Bits) -> Floats:
        """Return the entropy of the class that each literal of one symbol more leaves, infinite if
        it holds of too few words, `[literal, step, symbol]`."""
        self.words.check()
        num_classes, num_cells = self.words.num_classes, self.words.num_cells
        # a cell of one class has no entropy, whatever is known
        total = np.bincount(self.words.groups, minlength=num_cells * num_classes)
        mixed = (total.reshape(num_cells, num_classes) > 0).sum(axis=1) > 1
        is_open = np.repeat(mixed, num_classes)
        groups = np.eye(num_cells * num_classes, dtype=np.float32)[:, is_open][self.words.groups]
        holds = (following[:, :, None] & self.places) != 0
        counts = (holds.astype(np.float32) @ groups).astype(np.int64)
        cells = counts.reshape(*counts.shape[:-1], -1, num_classes)
        others = total[is_open].reshape(-1, num_classes) - cells
        log = logarithms(len(groups))
        left = (left_entropy(cells, log) + left_entropy(others, log)).sum(axis=-1)
        return np.where(holds.sum(axis=-1) < _LEAST, np.inf, left)

    def _append(self, literal: Literal, symbol: int, *, is_adjacent: bool) -> Literal:
        """Return a literal with a symbol more, in its last block or in a block of its own."""
        *before, last = literal.blocks
        if is_adjacent:
            return Literal((*before, (*last, symbol)))
        is_mark = literal.blocks == ((self.words.num_symbols,),)
        return Literal(((symbol,),) if is_mark else (*literal.blocks, (symbol,)))
