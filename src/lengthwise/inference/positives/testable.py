"""Strictly local languages from words of them: the windows that occur are the ones allowed.

A language is k-testable (in the strict sense; García and Vidal, 1990) if a word is in it exactly
when each window of k symbols of the word, marks at both ends included, is one of a fixed set; a
word too short for a window is its own window.

Exactness. Let L be such a language, with the set T, that has all words of a sample. T has all
windows that occur in the sample. So a word all of whose windows occur there is in L: the language
of these words is the smallest.

With the assumption that each beginning of a word of the language is in it, too (logs are cut off
anywhere), the smallest language is the one of all beginnings of the words. Each window of such a
beginning is one of the words, or ends with a mark behind symbols that are adjacent in some word. So
only the ends differ: no window is required at the end of a word. Among k-reversible languages the
assumption leads to the same: all states accept, so two with a common k symbols before them are one.

Axes:
    place   places of all words, one after the other, a mark before and behind each
"""

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from lengthwise.inference.positives.contract import MOST_PARTS, PositiveClass, Word
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import to_language
from lengthwise.languages.language import Language

MARK = -1
"""The mark before the first symbol of a word and behind the last."""


class KTestable(PositiveClass):
    """The languages that windows of k symbols decide."""

    name = "k-testable"
    least, most = 1, 8

    def of_few(self, sample: Sample, level: int, check: Callable[[], None]) -> Language | None:
        """Return the language of the words all of whose windows occur in the sample."""
        windows = windows_of(sample, level)
        return None if windows is None else _automaton(windows, level, sample, any_end=False)

    def at(self, level: int) -> str:
        """Return `2-testable`."""
        return f"{level}-testable"

    def means(self, level: int) -> str:
        """Return that the windows decide."""
        return f"the windows of {level} symbols in it, with a mark at both ends, decide"


class PrefixClosed(PositiveClass):
    """The k-testable languages that have each beginning of their words."""

    name = "prefix-closed"
    least, most = 1, 8

    def of_few(self, sample: Sample, level: int, check: Callable[[], None]) -> Language | None:
        """Return the language of the words all of whose windows occur, wherever they end."""
        windows = windows_of(sample, level)
        return None if windows is None else _automaton(windows, level, sample, any_end=True)

    def at(self, level: int) -> str:
        """Return `prefix-closed 2-testable`."""
        return f"prefix-closed {level}-testable"

    def means(self, level: int) -> str:
        """Return that the windows decide, except at the end."""
        return (
            f"the windows of {level} symbols in it, with a mark at the start, decide, and each "
            f"beginning of a word is in the language, too"
        )


def windows_of(sample: Sample, level: int) -> set[Word] | None:
    """Return the windows of `level` symbols of all words; None if there are too many."""
    base = sample.num_symbols + 1
    if base ** (level + 1) >= 2**62:
        return None
    places = _flat(sample)
    ends = np.flatnonzero(places == 0)
    windows = set[Word]()
    for size in range(2, level):  # a word with its two marks that is too short for a window
        short = ends[:-1][np.diff(ends) == size - 1]
        windows |= _distinct(places, short, size, base)
    starts = np.arange(max(len(places) - level + 1, 0))
    inner = np.cumsum(places == 0)  # a window has no mark but at its ends
    if level > 2:
        starts = starts[inner[starts + level - 2] == inner[starts]]
    windows |= _distinct(places, starts, level, base)
    return windows if len(windows) <= MOST_PARTS else None


def _flat(sample: Sample) -> Array:
    """Return the words one after the other, from symbol 1 on, with one mark, 0, between two."""
    symbols = sample.symbols[:, :0:-1].astype(np.int64) + 1
    width = symbols.shape[1]
    marked = np.concatenate([symbols, np.zeros((len(symbols), 1), dtype=np.int64)], axis=1)
    is_inside = np.arange(width + 1) >= width - sample.lengths[:, None]
    return np.concatenate([[0], marked[is_inside]])


def _distinct(places: Array, starts: Array, size: int, base: int) -> set[Word]:
    """Return the different windows of `size` places from these starts on."""
    codes = np.zeros(len(starts), dtype=np.int64)
    for offset in range(size):
        codes = codes * base + places[starts + offset]
    known = np.unique(codes)
    if len(known) > MOST_PARTS:
        known = known[: MOST_PARTS + 1]
    digits = [known // base**place % base - 1 for place in reversed(range(size))]
    return set(zip(*(column.tolist() for column in digits), strict=True))


def _automaton(windows: set[Word], level: int, sample: Sample, *, any_end: bool) -> Language:
    """Return the automaton whose states are the last symbols, of a mark and the word so far."""
    context = max(level - 1, 0)
    after = defaultdict[Word, set[int]](set)
    for window in windows:
        for size in range(1, len(window) + 1):
            if size == level or window[0] == MARK:
                after[window[: size - 1]].add(window[size - 1])
    first: Word = (MARK,) if context else ()
    numbers, rows, classes = {first: 1}, [[0] * sample.num_symbols], [0]
    for state in (waiting := [first]):
        row = [0] * sample.num_symbols
        for symbol in after[state]:
            if symbol == MARK:
                continue
            target = (*state, symbol)[-context:] if context else ()
            if target not in numbers:
                numbers[target] = len(numbers) + 1
                waiting.append(target)
            row[symbol] = numbers[target]
        rows.append(row)
        classes.append(int(any_end or MARK in after[state]))
    return to_language(np.array(rows), np.array(classes), sample, start=1)
