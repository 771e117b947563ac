"""The hypothesis: of many automata that merging and local search make, the one that fits best.

Merging the shortest words alone is fast and often right, since they meet most often; all words then
show, by local search, what was wrong. No choice of the number of words and of the caution suits all
data, so several are tried, in a fixed order, and the result depends on the words alone.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lengthwise.inference.distinguish import needed_states
from lengthwise.inference.merging import MergedTooLargeError, merged_automaton
from lengthwise.inference.refining import refined
from lengthwise.inference.sample import Sample, answers_of, joined
from lengthwise.languages.language import Language

Progress: TypeAlias = Callable[[int, int], None]
"""A function of the number of attempts that were made, and of the most that there can be."""

_CAUTIONS = (384.0, 24.0)
"""Bits of evidence at which merging begins to decide."""

_MERGED = (1_000, 2_000, 500, 1_500, 4_000)
"""Numbers of the shortest words that are merged alone."""

_REFINED = 8_000
"""Greatest number of words of local search while many labels may be wrong."""

_NEARLY = 0.1
"""Share of misjudged words up to which local search goes on with all words."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """An automaton, and how many words it misjudges."""

    language: Language
    wrong: int
    wrong_in_validation: int

    def rank(self, noise: float) -> tuple[float, ...]:
        """Return what makes one better than another, if it is less.

        Without noise: words of training, then of validation, then states. With noise: the bits that
        describe the automaton and the words that it misjudges.
        """
        states = self.language.num_states
        if noise == 0:
            return (self.wrong, self.wrong_in_validation, states)
        each = math.log2((1 - noise) / noise)
        transition = math.log2(max(2, states))
        size = states * (
            self.language.num_symbols * transition + math.log2(self.language.num_classes)
        )
        return ((self.wrong + self.wrong_in_validation) * each + size,)


def best_automaton(
    train: Sample,
    valid: Sample,
    *,
    noise: float = 0.0,
    max_states: int,
    progress: Progress | None = None,
) -> Language | None:
    """Return the automaton that fits the words best, with numbers as symbols and classes.

    Without noise it fits all words; the words of validation that it misjudges are then added to
    those of training, and it is searched anew. None is returned if none has at most `max_states`.
    `progress` is called with the number of attempts that are over, and of all.
    """
    found = _search(train, valid, noise, max_states, progress)
    if noise > 0 and found is not None:
        return refined(found.language, joined(train, valid))
    if found is None or found.wrong or found.wrong_in_validation:
        both = joined(train, valid)
        none = both.part(np.zeros(0, dtype=np.int64))
        found = _search(both, none, noise, max_states, progress)
    return None if found is None or found.wrong else found.language


def _search(
    train: Sample, valid: Sample, noise: float, max_states: int, progress: Progress | None
) -> _Fit | None:
    """Return the best of all automata that are tried.

    One that misjudges no word is followed by smaller ones only, and by none if none can be smaller.
    """
    best: _Fit | None = None
    most = max_states
    attempts = list(_attempts(len(train), noise))
    for number, attempt in enumerate(attempts):
        if progress:
            progress(number, len(attempts))
        if attempt.is_last and best is not None and (noise > 0 or best.wrong == 0):
            break
        try:
            found = merged_automaton(
                train.part(np.arange(attempt.words)),
                noise=attempt.noise,
                caution=attempt.caution,
                max_states=most,
                guesses=attempt.is_last or attempt.words < len(train),
            )
        except MergedTooLargeError:
            continue
        found = _improved(found.minimised(), train, noise, attempt.words)
        wrong = [_misjudged(found, each) for each in (train, valid)]
        fit = _Fit(found, *wrong)
        if best is not None and fit.rank(noise) >= best.rank(noise):
            continue
        best = fit
        if noise == 0 and wrong == [0, 0]:
            most = found.num_states - 1
            if needed_states(found, train) == found.num_states:
                break
    if progress:
        progress(len(attempts), len(attempts))
    return best


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt at merging."""

    words: int
    """Number of the shortest words that are merged."""
    caution: float
    noise: float
    """Share of wrong labels that is allowed for."""
    is_last: bool = False
    """Whether it is made only if all others failed."""


def _attempts(count: int, noise: float) -> Iterator[_Attempt]:
    few = [words for words in _MERGED if words < count]
    for words in (count, *few) if noise == 0 or not few else few:
        for caution in _CAUTIONS:
            for share in sorted({noise, noise / 4}):
                yield _Attempt(words, caution, share)
    yield _Attempt(count, _CAUTIONS[0], noise, is_last=True)


def _improved(language: Language, train: Sample, noise: float, merged_words: int) -> Language:
    """Return an automaton after local search on twice, four and eight times as many words as were
    merged, and, without noise, on all words if it does well."""
    count = len(train)
    sizes = [
        words for words in (2 * merged_words, 4 * merged_words, 8 * merged_words) if words < count
    ]
    for words in (*sizes, count):
        wrong = _misjudged(language, train)
        if wrong <= _expected(noise, count) or (words == count and wrong > _NEARLY * count):
            break
        if words <= _REFINED or noise == 0:
            language = refined(language, train.part(np.arange(words)))
    return language


def _misjudged(language: Language, sample: Sample) -> int:
    return int((answers_of(language, sample) != sample.classes).sum())


def _expected(noise: float, count: int) -> float:
    """Return three standard deviations more wrong labels than there are on average."""
    return noise * count + 3 * math.sqrt(noise * (1 - noise) * count)
