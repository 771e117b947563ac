"""Find the words that each literal holds for, for all literals of a kind at once.

A literal says that blocks of symbols occur in a word, one after the other without overlap; a
literal of one block can ask for several occurrences, with overlap, and its block can contain the
mark before and after each word. Symbols outside a tier are skipped first.

    one block                    a window (factor)      SL, LT; LTT with several occurrences
    blocks of one symbol each    a subsequence          SP, PT
    two blocks                   two windows in order   PLT

A pool lists pairs of a word and a literal that holds of it, so its size depends on the words and
not on the number of literals that an alphabet allows. Words are read a few at a time. If they have
more pairs than `MOST_ENTRIES`, the pool is empty, as they are too long for literals of this kind.

Axes:
    word   words
    place  places of a word from its left end, with a mark at place 0 and after the last symbol
    entry  pairs of a word and a literal that holds of it
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Read, read_freely

Mask = NDArray[np.bool_]
Bits = NDArray[np.uint64]

MOST_PLACES = 64
"""Places of a word, its marks included, that are the bits of an integer."""

MOST_TIMES = 5
"""Greatest number of occurrences that a literal asks for."""

_CODED = 2**62
"""Greatest number of possible pairs that have numbers; a larger alphabet has no such literals."""

_BITMAP = 40_000_000
"""Greatest number of possible pairs that are made different by a table instead of by sorting."""

MOST_ENTRIES = 2**25
"""Greatest number of entries of a pool."""

_AT_ONCE = 2**22
"""Approximate number of entries made at once."""

MADE, _SORTED = 5, 10
"""Symbols of plain reading in the time in which an entry is made, and in which it is sorted."""


def later(ends: Bits) -> Bits:
    """Return the places after the first one of each integer."""
    up_to_first = ends ^ (ends - np.uint64(1))
    return np.where(ends == 0, np.uint64(0), ~up_to_first)


@dataclass(frozen=True, slots=True)
class Literal:
    """Blocks that occur in a word in this order, the single block of a literal `times` times.

    The number of symbols stands for the mark.
    """

    blocks: tuple[tuple[int, ...], ...]
    times: int = 1

    @property
    def size(self) -> int:
        """Number of symbols that it names, plus the occurrences that it asks for beyond one."""
        return sum(map(len, self.blocks)) + self.times - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedWords:
    """Words from left to right, each between two marks.

    `digits[word, place]` is a symbol plus 1, `num_symbols + 1` at a mark, and 0 behind the word.
    """

    digits: Array
    groups: Array
    """`cell * num_classes + class` of each word; a cell is what is known of a word already."""
    num_symbols: int
    num_classes: int
    num_cells: int = 1
    read: Read = read_freely
    """Counts what is read, as that of `SearchTask` does."""

    @classmethod
    def of(cls, sample: Sample, read: Read = read_freely) -> "MarkedWords":
        """Return the words of a sample."""
        width = sample.symbols.shape[1] - 1
        left = sample.lengths[:, None] - np.arange(width)
        digits = np.zeros((len(sample), width + 2), dtype=np.int64)
        body = np.take_along_axis(sample.symbols, np.maximum(left, 0), axis=1) + 1
        digits[:, 1:-1] = np.where(left > 0, body, 0)
        digits[:, 0] = sample.num_symbols + 1
        digits[np.arange(len(sample)), sample.lengths + 1] = sample.num_symbols + 1
        return cls(
            digits=digits,
            groups=sample.classes,
            num_symbols=sample.num_symbols,
            num_classes=sample.num_classes,
            read=read,
        )

    def places(self) -> Bits:
        """Return the places of each symbol, and those of the mark, in each word, as the bits of an
        integer, `[symbol, word]`; words have `MOST_PLACES` places at most."""
        place = np.uint64(1) << np.arange(self.digits.shape[1], dtype=np.uint64)
        return np.stack(
            [
                np.where(self.digits == symbol + 1, place, np.uint64(0)).sum(axis=1)
                for symbol in range(self.num_symbols + 1)
            ]
        )

    def are_of(self, label: int) -> Array:
        """Return 1 for each word of a class, and 0 for the others."""
        return (self.groups % self.num_classes == label).astype(np.int64)

    def part(self, rows: Array) -> "MarkedWords":
        """Return some of the words."""
        digits = self.digits[rows]
        return replace(self, digits=digits[:, digits.any(axis=0)], groups=self.groups[rows])

    def on_tier(self, tier: Mask) -> "MarkedWords":
        """Return the words without the symbols outside a tier."""
        on_tier = np.concatenate([[False], tier, [True]])[self.digits]
        word, _ = np.nonzero(on_tier)
        place = (on_tier.cumsum(axis=1) - 1)[on_tier]
        digits = np.zeros((len(on_tier), int(place.max(initial=0)) + 1), dtype=np.int64)
        digits[word, place] = self.digits[on_tier]
        return replace(self, digits=digits)


class Coding(Protocol):
    """Names literals by their codes."""

    def literal(self, code: int) -> Literal:
        """Return the literal of a code."""

    def sizes(self, codes: Array) -> Array:
        """Return the size of each literal (`Literal.size`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """Codes that have the symbols of a literal as their digits."""

    base: int
    shape: tuple[int, ...]
    """Greatest length of each block."""
    counted: bool = False

    def literal(self, code: int) -> Literal:
        """Return the literal of a code."""
        times = 1
        if self.counted:
            code, times = divmod(code, MOST_TIMES + 1)
        blocks = []
        for longest in self.shape[::-1]:
            code, rest = divmod(code, self.base**longest)
            block = []
            while rest:
                rest, digit = divmod(rest, self.base)
                block.append(digit - 1)
            if block:
                blocks.append(tuple(block[::-1]))
        return Literal(tuple(blocks[::-1]), times)

    def sizes(self, codes: Array) -> Array:
        """Return the size of each literal."""
        total = np.zeros(len(codes), dtype=np.int64)
        if self.counted:
            codes, times = np.divmod(codes, MOST_TIMES + 1)
            total += times - 1
        while codes.any():
            codes, digit = np.divmod(codes, self.base)
            total += digit > 0
        return total


@dataclass(frozen=True, slots=True)
class Indexed:
    """Codes that are indices into a list."""

    literals: Sequence[Literal]

    def literal(self, code: int) -> Literal:
        """Return the literal of a code."""
        return self.literals[code]

    def sizes(self, codes: Array) -> Array:
        """Return the size of each literal."""
        return np.array([self.literals[code].size for code in codes.tolist()], dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Literals and the words that they hold of.

    Each literal has a number here, from 0, in the order of `codes`.
    """

    codes: Array
    coding: Coding
    literal: Array
    """The literal of each entry."""
    word: Array
    """The word of each entry."""
    num_words: int

    def __len__(self) -> int:
        return len(self.codes)

    def get(self, number: int) -> Literal:
        """Return a literal."""
        return self.coding.literal(int(self.codes[number]))

    @cached_property
    def sizes(self) -> Array:
        """The size of each literal (`Literal.size`)."""
        return self.coding.sizes(self.codes)

    def column(self, number: int) -> Mask:
        """Return which words a literal holds of."""
        holds = np.zeros(self.num_words, dtype=bool)
        holds[self.word[slice(*np.searchsorted(self.literal, [number, number + 1]))]] = True
        return holds

    def with_others(self, other: "Pool", numbers: Sequence[int]) -> "Pool":
        """Append some literals of another pool of the same words."""
        rows = [np.flatnonzero(other.column(number)) for number in numbers]
        new = np.repeat(np.arange(len(numbers)), list(map(len, rows)))
        literals = [*map(self.get, range(len(self))), *map(other.get, numbers)]
        return Pool(
            codes=np.arange(len(literals)),
            coding=Indexed(literals),
            literal=np.concatenate([self.literal, len(self) + new]),
            word=np.concatenate([self.word, *rows]),
            num_words=self.num_words,
        )

    def counts(self, groups: Array, num_groups: int) -> Array:
        """Return the number of words of each group that each literal holds of, `[literal,
        group]`."""
        flat = np.bincount(
            self.literal * num_groups + groups[self.word], minlength=len(self) * num_groups
        )
        return flat.reshape(len(self), num_groups)


Kind = Callable[[MarkedWords], Pool]
"""Makes the pool of the literals of a kind."""

Entries = Callable[[MarkedWords], tuple[Array, Array] | None]
"""Returns a word and a code for each literal that holds of it, with repeats; None if too many."""


def windows(longest: int, *, times: int = 1) -> Kind:
    """Return the kind of windows of up to `longest` symbols that occur up to `times` times."""

    def once(words: MarkedWords) -> tuple[Array, Array]:
        word, code, _ = _windows(words, longest)
        return word, code

    def often(words: MarkedWords) -> tuple[Array, Array]:
        size = (words.num_symbols + 2) ** longest
        word, code = once(words)
        keys, number = np.unique(word * size + code, return_counts=True)
        every, step = _repeat_indices(np.minimum(number, times))
        word, code = np.divmod(keys[every], size)
        return word, code * (MOST_TIMES + 1) + step + 1

    def pool(words: MarkedWords) -> Pool:
        size, num_entries = (words.num_symbols + 2) ** longest, longest * words.digits.shape[1]
        if times == 1:
            return _pool(words, once, num_entries, size, (longest,))
        return _pool(words, often, num_entries, size * (MOST_TIMES + 1), (longest,), counted=True)

    return pool


def subsequences(longest: int) -> Kind:
    """Return the kind of subsequences of up to `longest` symbols.

    Each is found where it ends first: each of its symbols is the first of its kind after the one
    before.
    """

    def entries(words: MarkedWords) -> tuple[Array, Array] | None:
        base, (count, width) = words.num_symbols + 2, words.digits.shape
        bounds, nexts = _following(words)
        place, code = np.arange(count) * width, np.zeros(count, dtype=np.int64)
        found_word, found_code, total = list[Array](), list[Array](), 0
        for _ in range(longest):
            number = bounds[place + 1] - bounds[place]
            if (total := total + int(number.sum())) > MOST_ENTRIES:
                return None
            every, step = _repeat_indices(number)
            place = nexts[bounds[place][every] + step]
            code = code[every] * base + words.digits.ravel()[place]
            found_word.append(place // width)
            found_code.append(code)
        return np.concatenate(found_word), np.concatenate(found_code)

    def pool(words: MarkedWords) -> Pool:
        base, width = words.num_symbols + 2, words.digits.shape[1]
        kinds = min(base, width)
        num_entries = kinds * width + kinds**longest
        return _pool(words, entries, num_entries, base**longest, (1,) * longest)

    return pool


def _following(words: MarkedWords) -> tuple[Array, Array]:
    """Return, for each place of all words, the places where a symbol follows it that has not
    occurred since: those from `bounds[place]` to `bounds[place + 1]` of the second array."""
    digits, width = words.digits, words.digits.shape[1]
    word, place = np.nonzero((digits > 0) & (digits <= words.num_symbols))
    kind = word * (words.num_symbols + 2) + digits[word, place]
    order = np.argsort(kind, kind="stable")
    word, place, kind = word[order], place[order], kind[order]
    before = np.zeros(len(place), dtype=np.int64)  # place 0 is before all symbols
    before[1:] = np.where(np.diff(kind) == 0, place[:-1], 0)
    every, step = _repeat_indices(place - before)
    since = (word * width + before)[every] + step
    order = np.argsort(since, kind="stable")
    bounds = np.zeros(digits.size + 1, dtype=np.int64)
    bounds[1:] = np.bincount(since, minlength=digits.size).cumsum()
    return bounds, (word * width + place)[every][order]


def _repeat_indices(number: Array) -> tuple[Array, Array]:
    """Return each index as often as its number says, and how often it came before."""
    every = np.repeat(np.arange(len(number)), number)
    return every, np.arange(len(every)) - np.repeat(number.cumsum() - number, number)


def order_windows(longest: int, shortest: int = 1) -> Kind:
    """Return the kind of two windows without marks, one after the other without overlap."""

    def entries(words: MarkedWords) -> tuple[Array, Array] | None:
        base = words.num_symbols + 2
        size = base**longest
        inner = replace(words, digits=np.where(words.digits > words.num_symbols, 0, words.digits))
        word, code, place = _windows(inner, longest, shortest)
        order = np.argsort((word * size + code) * words.digits.shape[1] + place)
        word, code, place = word[order], code[order], place[order]
        new = (np.diff(code, prepend=-1) != 0) | (np.diff(word, prepend=-1) != 0)
        firsts = np.flatnonzero(new)
        lasts = np.flatnonzero(np.append(new[1:], True)[: len(new)])
        word, code = word[firsts], code[firsts]
        length = np.searchsorted(base ** np.arange(longest + 1), code, side="right")
        first_end, last_start = place[firsts] + length, place[lasts]
        number = np.bincount(word, minlength=len(words.digits))[word]
        if int(number.sum()) > MOST_ENTRIES:
            return None
        every, step = _repeat_indices(number)
        other = np.searchsorted(word, word)[every] + step
        in_order = first_end[every] <= last_start[other]
        every, other = every[in_order], other[in_order]
        return word[every], code[every] * size + code[other]

    def pool(words: MarkedWords) -> Pool:
        size, width = (words.num_symbols + 2) ** longest, words.digits.shape[1]
        num_entries = min(longest * width, size) ** 2
        return _pool(words, entries, num_entries, size**2, (longest, longest))

    return pool


def _windows(words: MarkedWords, longest: int, shortest: int = 1) -> tuple[Array, Array, Array]:
    """Return the word, the code and the first place of each window; marks alone are left out."""
    base, digits = words.num_symbols + 2, words.digits
    parts = []
    code = np.zeros_like(digits)
    is_inner = (digits > 0) & (digits <= words.num_symbols)
    for length in range(1, min(longest, digits.shape[1]) + 1):
        code = code[:, : digits.shape[1] - length + 1] * base + digits[:, length - 1 :]
        if length < shortest:
            continue
        is_window = digits[:, length - 1 :] > 0
        is_window &= digits[:, : digits.shape[1] - length + 1] > 0
        if length == 1:
            is_window = is_window & is_inner
        word, place = np.nonzero(is_window)
        parts.append((word, code[word, place], place))
    word, code, place = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return word, code, place


def _pool(
    words: MarkedWords,
    entries: Entries,
    num_entries: int,
    size: int,
    shape: tuple[int, ...],
    *,
    counted: bool = False,
) -> Pool:
    """Return the pool of words that have about `num_entries` entries, with codes below `size`."""
    count = len(words.digits)
    code, word = np.divmod(_keys(words, entries, num_entries, size), max(count, 1))
    new = np.diff(code, prepend=-1) != 0
    return Pool(
        codes=code[new],
        literal=np.cumsum(new) - 1,
        word=word,
        num_words=count,
        coding=Packed(base=words.num_symbols + 2, shape=shape, counted=counted),
    )


def _keys(words: MarkedWords, entries: Entries, num_entries: int, size: int) -> Array:
    """Return the different pairs of a code and a word, sorted; none if they are too many."""
    count, none = len(words.digits), np.zeros(0, dtype=np.int64)
    if size * count > _CODED:
        return none
    occurs = np.zeros(size * count if size * count <= _BITMAP else 0, dtype=bool)
    parts, total, step = [none], 0, max(1, _AT_ONCE // num_entries)
    for first in range(0, count, step):
        rows = np.arange(first, min(first + step, count))
        pairs = entries(words if len(rows) == count else words.part(rows))
        if pairs is None:
            return none
        words.read((MADE if len(occurs) else MADE + _SORTED) * len(pairs[0]))
        keys = pairs[1] * count + pairs[0] + first
        if len(occurs):
            occurs[keys] = True
            continue
        keys = np.sort(keys)
        parts.append(keys[np.diff(keys, prepend=-1) != 0])
        if (total := total + len(parts[-1])) > MOST_ENTRIES:
            return none
    if len(occurs):
        keys = np.flatnonzero(occurs)
        return keys if len(keys) <= MOST_ENTRIES else none
    return np.sort(np.concatenate(parts)) if len(parts) > 2 else parts[-1]


def keep_literals(pool: Pool, least: int) -> Pool:
    """Return the literals that hold of at least `least` words, and fail at as many."""
    number = np.bincount(pool.literal, minlength=len(pool))
    good = (number >= least) & (number <= pool.num_words - least)
    is_good = good[pool.literal]
    return replace(
        pool,
        codes=pool.codes[good],
        literal=(np.cumsum(good) - 1)[pool.literal[is_good]],
        word=pool.word[is_good],
    )
