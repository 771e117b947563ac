"""Local search: redirect one transition of an automaton at a time, while fewer words are misjudged.

Where labels may be wrong, merging decides on samples of few words, and one wrong decision spoils
what follows. All words together often show it afterwards: with the transition that was wrong led
elsewhere, many more of them are right.
"""

import numpy as np

from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Read, read_freely
from lengthwise.languages.language import Language

_ROUNDS = 60
"""Greatest number of times that all transitions are tried."""

_PASSING, _REDIRECTING = 2, 5_000
"""Symbols of plain reading in the time of a symbol of all words, and of one more transition."""

_READ_AT_ONCE, _CLEARED_AT_ONCE = 3, 20
"""Symbols that are read, and numbers that are cleared, in the time of one of plain reading."""


class _Tables:
    """An automaton as arrays, which changes, and a sample."""

    def __init__(self, language: Language, sample: Sample, read: Read) -> None:
        self._count = read
        self.sample = sample
        self.moves = np.array(language.transitions, dtype=np.int64)
        self.start = language.start
        self.classes = np.array(language.classes, dtype=np.int64)
        self.weights = np.ones_like(sample.classes) if sample.weights is None else sample.weights

    def judge(self) -> None:
        """Read all words: how often each passes a transition first, and where it ends."""
        sample, count = self.sample, len(self.sample)
        cleared = count * self.moves.size // _CLEARED_AT_ONCE
        self._count(_PASSING * sample.symbols.size + cleared)
        state = np.full(count, self.start)
        width = sample.symbols.shape[1]
        place = np.min_scalar_type(-width)  # most words are short
        self.first = np.zeros((count, self.moves.size), dtype=place)
        for left in range(width - 1, 0, -1):
            rows = np.flatnonzero(sample.lengths >= left)
            edge = state[rows] * self.moves.shape[1] + sample.symbols[rows, left]
            unseen = self.first[rows, edge] == 0
            self.first[rows[unseen], edge[unseen]] = left
            state[rows] = self.moves.ravel()[edge]
        counts = np.zeros((len(self.moves), sample.num_classes), dtype=np.int64)
        np.add.at(counts, (state, sample.classes), self.weights)
        seen = counts.any(axis=1)
        self.classes[seen] = counts[seen].argmax(axis=1)
        self.wrong = np.where(self.classes[state] != sample.classes, self.weights, 0)

    def redirect(self, edge: int) -> tuple[int, int]:
        """Return the best target of an edge, and how many fewer words it misjudges."""
        rows = np.flatnonzero(self.first[:, edge])
        if not len(rows):
            return 0, int(self.moves.ravel()[edge])
        count = len(self.moves)
        read = count * int(self.first[rows, edge].sum())
        self._count(_REDIRECTING + read // _READ_AT_ONCE)
        table = np.repeat(self.moves.reshape(1, -1), count, axis=0)
        table[:, edge] = np.arange(count)
        left = self.first[rows, edge].astype(np.int64) - 1
        state = np.repeat(np.arange(count)[:, None], len(rows), axis=1)
        shift = (np.arange(count) * self.moves.size)[:, None]
        width = self.moves.shape[1]
        order = np.argsort(-left, kind="stable")
        rows, left = rows[order], left[order]
        flat = table.ravel()
        for rest in range(int(left.max(initial=0)), 0, -1):
            reading = np.searchsorted(-left, -rest, side="right")
            symbols = self.sample.symbols[rows[:reading], rest]
            state[:, :reading] = flat[shift + state[:, :reading] * width + symbols]
        wrong = (self.classes[state] != self.sample.classes[rows]) @ self.weights[rows]
        best = int(wrong.argmin())
        return int(self.wrong[rows].sum() - wrong[best]), best


def refine(language: Language, sample: Sample, read: Read = read_freely) -> Language:
    """Return an automaton that misjudges as few words as single changes of transitions reach."""
    tables = _Tables(language.minimise(), sample, read)
    for _ in range(_ROUNDS):
        tables.judge()
        before = int(tables.wrong.sum())
        for edge in range(tables.moves.size):
            gain, target = tables.redirect(edge)
            if gain > 0:
                tables.moves.ravel()[edge] = target
                tables.judge()
        if tables.wrong.sum() >= before:
            break
    return Language(
        alphabet=language.alphabet,
        transitions=tuple(map(tuple, tables.moves.tolist())),
        classes=tuple(tables.classes.tolist()),
        start=tables.start,
        class_names=language.class_names,
    ).minimise()
