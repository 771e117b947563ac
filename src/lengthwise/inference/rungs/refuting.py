"""Words that refute a class: all that it can see of one occurs in words of the other class.

A strictly local language rejects a word for a window that no word of it has, and a strictly
piecewise one for a subsequence. So a rejected word, all of whose windows (subsequences) occur in
accepted words, shows that the language is not of this class, with windows of this width. The words
of class 1 are those of the language.
"""

from collections.abc import Callable, Mapping
from itertools import combinations

from lengthwise.inference.sample import Sample

Word = tuple[int, ...]

_WIDTHS = {"SL": 4, "coSL": 4, "SP": 3, "coSP": 3}
"""Symbols of the longest windows and subsequences of a class."""

_LONGEST = {"SL": 1_000, "SP": 32}
"""Symbols of the longest words that are asked."""

_MOST_WORDS = 2_000
"""Greatest number of words that are asked; the shortest ones."""


def refuting_word(sample: Sample, assumed: str) -> tuple[int, str] | None:
    """Return the row of a word that refutes a class, and why; None if no such word is found.

    Rows are those of the sample. Only words with two classes refute, and only classes of windows
    and of subsequences are refuted.
    """
    if assumed not in _WIDTHS or sample.num_classes != 2:
        return None
    name = assumed.removeprefix("co")
    width, accepted = _WIDTHS[assumed], int(name == assumed)
    plural, pieces = _PIECES[name]
    rows = [
        row for row in range(min(len(sample), _MOST_WORDS)) if sample.lengths[row] <= _LONGEST[name]
    ]
    seen = set[Word]()
    for row in rows:
        if sample.classes[row] == accepted:
            seen |= pieces(sample.word(row), width)
    for row in rows:
        if sample.classes[row] != accepted and pieces(sample.word(row), width) <= seen:
            return row, (
                f"all its {plural} of up to {width} symbols, the longest that are searched, occur "
                f"in words"
            )
    return None


def _windows(word: Word, width: int) -> set[Word]:
    """Return all windows of a word between two marks, those at its ends included."""
    marked = (-1, *word, -1)
    if len(marked) <= width:
        return {marked}
    return {marked[at : at + width] for at in range(len(marked) - width + 1)}


def _subsequences(word: Word, width: int) -> set[Word]:
    return {piece for size in range(1, width + 1) for piece in combinations(word, size)}


_PIECES: Mapping[str, tuple[str, Callable[[Word, int], set[Word]]]] = {
    "SL": ("windows", _windows),
    "SP": ("subsequences", _subsequences),
}
