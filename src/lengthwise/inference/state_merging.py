"""State merging as a searcher: words of several numbers, with several degrees of caution.

Merging the shortest words alone is fast and often right, since they meet most often; all words then
show, by local search, what was wrong. No choice of the number of words and of the caution suits all
data, so several are tried, in a fixed order.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from lengthwise.inference.merging import MergedTooLargeError, merge_states
from lengthwise.inference.refining import refine
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Attempt, Searcher, SearchTask, count_wrong
from lengthwise.languages.language import Language

_CAUTIONS = (384.0, 24.0)
"""Bits of evidence at which merging begins to decide."""

_MERGED = (1_000, 2_000, 500, 1_500, 4_000)
"""Numbers of the shortest words that are merged alone."""

_REFINED = 8_000
"""Greatest number of words of local search while many labels may be wrong."""

_LONGEST = 500
"""Symbols of the longest words that are merged: what longer ones have left to read never meets."""

_NEARLY = 0.1
"""Share of misjudged words up to which local search continues with all words."""

_CHANCE = 0.1
"""An automaton judges words that were not merged no better than chance, if it has neither this
share fewer wrong nor this share more right than the commonest label has."""


class StateMerging(Searcher):
    """Merges states of the prefix tree by evidence, then redirects single transitions."""

    name = "state merging"
    share = 8.0

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Merge some of the shortest words; the last attempt refines the best automaton so far."""
        words = task.sample
        count = int(np.searchsorted(words.lengths, _LONGEST, side="right"))
        settings = _attempts(count, task.noise) if count else []
        if number > len(settings):
            return None
        if number == len(settings):
            if task.best is None or not count_wrong(task.best, words):
                return None
            return Attempt(refine(task.best, words, task.read))
        setting = settings[number]
        part = words.part(np.arange(setting.words))
        try:
            language = merge_states(
                part,
                noise=setting.noise,
                caution=setting.caution,
                max_states=task.max_states,
                guesses=setting.is_last or setting.words < len(words),
                read=task.read,
            ).minimise()
        except MergedTooLargeError:
            return Attempt(None)
        return Attempt(_improve(language, task, setting.words))


@dataclass(frozen=True, slots=True)
class _Merge:
    """An attempt at merging."""

    words: int
    """Number of the shortest words that are merged."""
    caution: float
    noise: float
    """Share of wrong labels that is allowed for."""
    is_last: bool = False
    """Says whether guesses are made however many states they need."""


@cache
def _attempts(count: int, noise: float) -> list[_Merge]:
    return [*_each(count, noise), _Merge(count, _CAUTIONS[0], noise, is_last=True)]


def _each(count: int, noise: float) -> Iterator[_Merge]:
    few = [words for words in _MERGED if words < count]
    for words in (count, *few) if noise == 0 or not few else few:
        for caution in _CAUTIONS:
            for share in sorted({noise, noise / 4}):
                yield _Merge(words, caution, share)


def _improve(language: Language, task: SearchTask, merged_words: int) -> Language:
    """Return an automaton after local search on twice, four and eight times as many words as were
    merged, and, without noise, on all words if it does well; then not if it is at chance."""
    train, noise = task.sample, task.noise
    count, lines = len(train), train.num_lines
    if noise == 0 and _is_at_chance(language, train.part(np.arange(merged_words, count))):
        return language
    sizes = [
        words for words in (2 * merged_words, 4 * merged_words, 8 * merged_words) if words < count
    ]
    for words in (*sizes, count):
        wrong = count_wrong(language, train)
        if wrong <= bound_wrong_labels(noise, lines) or (
            words == count and wrong > _NEARLY * lines
        ):
            break
        if words <= _REFINED or noise == 0:
            language = refine(language, train.part(np.arange(words)), task.read)
    return language


def _is_at_chance(language: Language, others: Sample) -> bool:
    """Return whether an automaton judges words that were not merged no better than chance."""
    share = float(others.shares.max())
    wrong = max((1 - _CHANCE) * (1 - share), 1 - (1 + _CHANCE) * share)
    return len(others) > 0 and count_wrong(language, others) > wrong * others.num_lines


def bound_wrong_labels(noise: float, count: int, deviations: float = 3.0) -> float:
    """Return so many standard deviations more wrong labels than there are on average."""
    return noise * count + deviations * math.sqrt(noise * (1 - noise) * count)
