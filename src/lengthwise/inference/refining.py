"""Local search: redirect one transition of an automaton at a time, while fewer words are misjudged.

Where labels may be wrong, merging decides on samples of few words, and one wrong decision spoils
what follows. All words together often show it afterwards: with the transition that was wrong led
elsewhere, many more of them are right.
"""

import numpy as np

from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import Read, read_freely
from lengthwise.languages.language import Language

_ROUNDS = 60
"""Greatest number of times that all transitions are tried."""

_PASSING, _REDIRECTING = 4, 8_000
"""Symbols of plain reading in the time of a symbol of words that are followed, and of one more
transition."""

_READ_AT_ONCE, _CLEARED_AT_ONCE = 2, 20
"""Symbols that are read on, and numbers that are cleared, in the time of one of plain reading."""


class _Tables:
    """An automaton as arrays, which changes, and how a sample passes it."""

    def __init__(self, language: Language, sample: Sample, read: Read) -> None:
        self._count = read
        self.sample = sample
        self.moves = np.array(language.transitions, dtype=np.int64)
        self.start = language.start
        self.classes = np.array(language.classes, dtype=np.int64)
        self.weights = np.ones_like(sample.classes) if sample.weights is None else sample.weights
        place = np.min_scalar_type(-sample.symbols.shape[1])  # most words are short
        self.first = np.zeros((len(sample), self.moves.size), dtype=place)
        """Symbols left to read where a word first passes a transition, `[word, edge]`; or 0."""
        self.ends = np.full(len(sample), self.start)
        self.follow(np.arange(len(sample)))

    def follow(self, rows: Array) -> None:
        """Read words: where each first passes a transition, and where it ends."""
        sample, width = self.sample, self.moves.shape[1]
        lengths = sample.lengths[rows]
        self._count(
            _PASSING * int(lengths.sum())
            + len(rows) * self.moves.size // _CLEARED_AT_ONCE
            + len(sample)
        )
        self.first[rows] = 0
        state = np.full(len(rows), self.start)
        for left in range(int(lengths.max(initial=0)), 0, -1):
            begun = int(np.searchsorted(lengths, left))
            words = rows[begun:]
            edge = state[begun:] * width + sample.symbols[words, left]
            unseen = self.first[words, edge] == 0
            self.first[words[unseen], edge[unseen]] = left
            state[begun:] = self.moves.ravel()[edge]
        self.ends[rows] = state
        codes = self.ends * sample.num_classes + sample.classes
        counts = np.bincount(codes, self.weights, len(self.moves) * sample.num_classes)
        counts = counts.reshape(-1, sample.num_classes)
        self.classes = np.where(counts.any(axis=1), counts.argmax(axis=1), self.classes)
        self.wrong = np.where(self.classes[self.ends] != sample.classes, self.weights, 0)

    def redirect(self, edge: int) -> bool:
        """Lead an edge to its best target; return whether fewer words are misjudged then."""
        (rows,) = np.nonzero(self.first[:, edge])
        if not len(rows):
            return False
        count, width = self.moves.shape
        left = self.first[rows, edge].astype(np.int64) - 1
        self._count(_REDIRECTING + count * int(left.sum()) // _READ_AT_ONCE)
        order = np.argsort(-left, kind="stable")
        passing, left = rows[order], left[order]
        target = np.arange(count)[:, None]
        state = np.repeat(target, len(rows), axis=1)
        flat = self.moves.ravel()
        for rest in range(int(left.max(initial=0)), 0, -1):
            reading = int(np.searchsorted(-left, -rest, side="right"))
            codes = state[:, :reading] * width + self.sample.symbols[passing[:reading], rest]
            state[:, :reading] = np.where(codes == edge, target, flat[codes])
        wrong = (self.classes[state] != self.sample.classes[passing]) @ self.weights[passing]
        best = int(wrong.argmin())
        if wrong[best] >= self.wrong[rows].sum():
            return False
        flat[edge] = best
        self.follow(rows)
        return True


def refine(language: Language, sample: Sample, read: Read = read_freely) -> Language:
    """Return an automaton that misjudges as few words as single changes of transitions reach."""
    tables = _Tables(language.minimise(), sample, read)
    for _ in range(_ROUNDS):
        if not sum(tables.redirect(edge) for edge in range(tables.moves.size)):
            break
    return Language(
        alphabet=language.alphabet,
        transitions=tuple(map(tuple, tables.moves.tolist())),
        classes=tuple(tables.classes.tolist()),
        start=tables.start,
        class_names=language.class_names,
    ).minimise()
