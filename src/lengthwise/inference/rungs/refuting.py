"""Words that refute a class: all that it can see of one occurs in words of the other class.

A strictly local language rejects a word for a window that no word of it has, and a strictly
piecewise one for a subsequence. So a rejected word, all of whose windows (subsequences) occur in
accepted words, shows that the language is not of this class, with windows of this width. The words
of class 1 are those of the language.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from lengthwise.inference.rungs.literals import MarkedWords, later
from lengthwise.inference.sample import Array, Sample

Word = tuple[int, ...]

HasOwn: TypeAlias = Callable[[Word], bool]
"""Says whether a word may have a piece that no accepted word has."""

_WIDTH = 6
"""Symbols of the longest windows and subsequences that are searched."""

_LONGEST = {"SL": 1_000, "SP": 32}
"""Symbols of the longest words that are asked."""

_MOST_WORDS = 2_000
"""Greatest number of words that are asked; the shortest ones."""

_MOST_NODES = 50_000
"""Subsequences that are followed; words that would need more refute nothing."""


def refuting_word(sample: Sample, assumed: str) -> tuple[int, str] | None:
    """Return the row of a word that refutes a class, and why; None if no such word is found.

    Rows are those of the sample. Only words with two classes refute, and only classes of windows
    and of subsequences are refuted.
    """
    name = assumed.removeprefix("co")
    if name not in _PIECES or sample.num_classes != 2:
        return None
    accepted = int(name == assumed)
    plural, pieces_of = _PIECES[name]
    asked = np.flatnonzero(sample.lengths[:_MOST_WORDS] <= _LONGEST[name])
    is_accepted = sample.classes[asked] == accepted
    has_own = pieces_of(sample, asked[is_accepted])
    for row in asked[~is_accepted].tolist():
        if not has_own(sample.word(row)):
            return row, (
                f"all its {plural} of up to {_WIDTH} symbols, the longest that are searched, occur "
                f"in words"
            )
    return None


def _windows(sample: Sample, accepted: Array) -> HasOwn:
    """Return the function that says whether a word has a window that no accepted word has; words
    are between marks."""

    def windows(word: Word) -> set[Word]:
        marked = (-1, *word, -1)
        return {marked[at : at + _WIDTH] for at in range(max(len(marked) - _WIDTH, 0) + 1)}

    seen = set[Word]().union(*(windows(sample.word(row)) for row in accepted.tolist()))
    return lambda word: not windows(word) <= seen


def _subsequences(sample: Sample, accepted: Array) -> HasOwn:
    """Return the function that says whether a word has a subsequence that no accepted word has."""
    places = MarkedWords.of(sample.part(accepted)).places()
    left = _MOST_NODES

    def has_own(word: Word) -> bool:
        """Follow the subsequences of a word, those first that fewest accepted words have."""
        nonlocal left
        nodes = [(0, 0, np.ones(places.shape[1], dtype=np.uint64))]
        while nodes and left > 0:
            left -= 1
            length, start, ends = nodes.pop()
            firsts = [word.index(symbol, start) for symbol in set(word[start:])]
            if not firsts:
                continue
            following = later(ends) & places[[word[at] for at in firsts]]
            number = (following != 0).sum(axis=1)
            if not number.all():
                return True
            if length + 1 < _WIDTH:
                nodes += [
                    (length + 1, firsts[child] + 1, following[child])
                    for child in np.argsort(-number, kind="stable").tolist()
                ]
        return left == 0

    return has_own


_PIECES: Mapping[str, tuple[str, Callable[[Sample, Array], HasOwn]]] = {
    "SL": ("windows", _windows),
    "SP": ("subsequences", _subsequences),
}
