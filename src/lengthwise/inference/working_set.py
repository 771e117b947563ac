"""The words that a search gets of many: a part of them, which grows by those that refute it.

Most of what millions of words say of an automaton, some ten thousand say, too, and a search takes
longer, the more symbols it reads. So it gets the shortest words, which meet most often, and words
spread over all others. Every word then judges what it finds. Those that it misjudges are
counterexamples: some join the words of the search, which continues. Where labels may be wrong, a
misjudged word may be right, so that other words join.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lengthwise.inference.judge import Judge
from lengthwise.inference.sample import Array, Sample, answers_of
from lengthwise.inference.searcher import count_wrong
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language

ENOUGH = 2**19
"""Number of symbols in all words up to which a search gets all of them."""

_LEAST = 2**12
"""Number of words of training that a search gets, however long they are."""

_MORE = 2**12
"""Number of words that join, of each kind."""


@dataclass(frozen=True, eq=False)
class Working:
    """The words of a search, by their rows among all words of training and of validation."""

    judge: Judge
    """Judges by all words."""
    chosen: Array
    judging: Array

    @classmethod
    def of(cls, judge: Judge) -> "Working":
        """Return the words with which a search begins: all, if these are not many."""
        train, valid = len(judge.train), len(judge.valid)
        symbols = int(judge.train.lengths.sum() + judge.valid.lengths.sum())
        if symbols <= ENOUGH:
            return cls(judge, np.arange(train), np.arange(valid))
        size = max(_LEAST, ENOUGH * (train + valid) // symbols)
        return cls(judge, _some(train, size), _some(valid, size // 8))

    @property
    def are_all(self) -> bool:
        """Return whether the search has all words."""
        counts = len(self.judge.train), len(self.judge.valid)
        return (len(self.chosen), len(self.judging)) == counts

    @cached_property
    def few(self) -> Judge:
        """Judges by the words of the search."""
        train, valid = self.judge.train, self.judge.valid
        if not self.are_all:
            train, valid = train.part(self.chosen), valid.part(self.judging)
        return replace(self.judge, train=train.wide, valid=valid.wide)

    def grow(self, language: Language) -> "Working | None":
        """Return more words if enough of all words refute the automaton found, or else None."""
        if self.are_all:
            return None
        train, valid, noise = self.judge.train, self.judge.valid, self.judge.noise
        lines = train.num_lines + valid.num_lines
        if count_wrong(language, train) + count_wrong(language, valid) <= bound_wrong_labels(
            noise, lines
        ):
            return None
        if noise > 0:
            rows = _some(len(train), 2 * len(self.chosen))
            judging = _some(len(valid), 2 * len(self.judging))
        else:
            rows = _with_some(self.chosen, _find_misjudged(language, train), 2 * _MORE)
            judging = _with_some(self.judging, _find_misjudged(language, valid), _MORE)
        if len(rows) + len(judging) == len(self.chosen) + len(self.judging):
            return None
        return replace(self, chosen=rows, judging=judging)


def _with_some(rows: Array, candidates: Array, size: int) -> Array:
    """Return rows, and a number of others that are not among them."""
    new = np.setdiff1d(candidates, rows)
    return np.union1d(rows, new[_some(len(new), size)])


def _some(count: int, size: int) -> Array:
    """Return the sorted rows of a number of words: half the shortest, half spread over the
    others."""
    if size >= count:
        return np.arange(count)
    short = size // 2
    spread = np.linspace(short, count - 1, size - short).astype(np.int64)
    return np.unique(np.concatenate([np.arange(short), spread]))


def _find_misjudged(language: Language, sample: Sample) -> Array:
    """Return the rows of the words whose class an automaton does not give."""
    return np.flatnonzero(answers_of(language, sample) != sample.classes)
