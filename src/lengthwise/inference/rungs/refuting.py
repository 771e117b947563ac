"""Words that refute a class: all that it can see of one occurs in words of the other class.

A strictly local language rejects a word for a window that no word of it has, and a strictly
piecewise one for a subsequence. So a rejected word, all of whose windows (subsequences) occur in
accepted words, shows that the language is not of this class, with windows of this width.
"""

from collections.abc import Callable, Mapping
from itertools import combinations

from lengthwise.inference.sample import Sample

Word = tuple[int, ...]

_WIDTHS = {"SL": 4, "coSL": 4, "SP": 3, "coSP": 3}
"""Symbols of the longest windows and subsequences of a class."""

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
    what, pieces = _PIECES[name]
    words = [sample.word(row) for row in range(min(len(sample), _MOST_WORDS))]
    classes = sample.classes[: len(words)].tolist()
    seen = set[Word]()
    for word, label in zip(words, classes, strict=True):
        if label == accepted:
            seen |= pieces(word, width)
    for row, (word, label) in enumerate(zip(words, classes, strict=True)):
        if label != accepted and pieces(word, width) <= seen:
            return row, f"all its {what} of up to {width} symbols occur in words"
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
