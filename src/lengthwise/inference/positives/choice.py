"""Choose a class and a level by the words: the shortest description that validation agrees with.

At a higher level the smallest language has fewer words, down to those of the sample alone. Two
things say where to stop. The words of validation, which did not make the language, must be in it,
except for as few as a piece that no word of training has would explain. Of these, the shortest
description is chosen: the bits of the automaton, and for each word of training and validation the
bits that choose it among the words of its length that are in the language (or, if it is not, among
all words of its length).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lengthwise.inference.limits import chance_of_at_least
from lengthwise.inference.portfolio import End
from lengthwise.inference.positives.contract import PositiveClass, never_stop
from lengthwise.inference.positives.reversible import KReversible
from lengthwise.inference.positives.sizes import log_shares
from lengthwise.inference.positives.testable import KTestable, PrefixClosed
from lengthwise.inference.sample import Sample, answers_of, join_samples
from lengthwise.inference.searcher import AttemptLostError, log_choices, size_in_bits
from lengthwise.languages.language import Language

POSITIVES: dict[str, PositiveClass] = {
    each_class.name: each_class for each_class in (KTestable(), PrefixClosed(), KReversible())
}
"""The classes that can be assumed of words of one label; all are tried by default."""

RARE = 0.01
"""Share of the words of validation that may have a piece which no word of training has."""

DOUBTFUL = 0.05
"""Probability of that number of such words below which they speak against a language."""


@dataclass(frozen=True, slots=True)
class PositiveChoice:
    """A class and a level, and the smallest language of it with all words."""

    assumed: PositiveClass
    level: int
    language: Language
    rejected: int
    """Words of validation that the smallest language with those of training does not have."""
    is_agreed: bool
    """Says whether validation agrees."""
    bits: float

    @property
    def rank(self) -> tuple[bool, float]:
        """The value that is least for the best choice."""
        return not self.is_agreed, self.bits


def choose(
    train: Sample,
    valid: Sample,
    *,
    assume: str | None = None,
    max_states: int = 256,
    check: Callable[[], None] = never_stop,
) -> tuple[PositiveChoice | None, End]:
    """Return the best choice, of one class or of all, and why the search ended.

    The language has all words of training and validation. The choice is None if none was made in
    time, or all have more than `max_states` states.
    """
    best: PositiveChoice | None = None
    end: End = "exhausted"
    classes = [POSITIVES[assume]] if assume else list(POSITIVES.values())
    try:
        for assumed in classes:
            for choice in _levels(assumed, train, valid, max_states, check):
                best = choice if best is None or choice.rank < best.rank else best
    except AttemptLostError:
        end = "out of time"
    except KeyboardInterrupt:
        end = "stopped"
    if best is None:
        return None, end
    every = best.assumed.smallest(join_samples(train, valid), best.level)
    return None if every is None else replace(best, language=every), end


def _levels(
    assumed: PositiveClass,
    train: Sample,
    valid: Sample,
    max_states: int,
    check: Callable[[], None],
) -> Iterator[PositiveChoice]:
    """Yield the levels of a class, up to the first that is too large or not agreed."""
    for level in range(assumed.least, assumed.most + 1):
        language = assumed.smallest(train, level, check)
        if language is None or language.num_states > max_states:
            break
        rejected = int((answers_of(language, valid) == 0).sum())
        is_agreed = chance_of_at_least(rejected, len(valid), RARE) >= DOUBTFUL
        bits = size_in_bits(language) + _bits_of_words(language, (train, valid))
        bits += log_choices(len(valid), rejected) + math.log2(len(valid) + 1)
        yield PositiveChoice(assumed, level, language, rejected, is_agreed, bits)
        if not is_agreed:  # and the languages of higher levels have fewer words
            return


def _bits_of_words(language: Language, samples: Sequence[Sample]) -> float:
    """Return the bits that choose each word among those of its length."""
    longest = max(int(sample.lengths.max(initial=0)) for sample in samples)
    shares, symbol, bits = log_shares(language, longest), math.log2(language.num_symbols), 0.0
    for sample in samples:
        bits += float(sample.lengths.sum()) * symbol
        inside = sample.lengths[answers_of(language, sample) == 1]
        bits += float(
            np.bincount(inside, minlength=longest + 1) @ np.where(np.isfinite(shares), shares, 0.0)
        )
    return bits
