"""The contract of a class that words of one label can show: its smallest language with the words.

Words of a language alone do not say what is outside it: the language of all words has them, too.
What can be said needs an assumption, a class of languages. In each class here, and at each level k,
one language is the smallest: it is a part of every language of the class that has the words.

Many words. The smallest language of some of the words is a part of that of all; if it has all of
them, it is the same. So the shortest words begin, and those that are missing join.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from lengthwise.inference.sample import Sample, answers_of
from lengthwise.languages.language import Language


def never_stop() -> None:
    """Let a search run to its end."""


Word = tuple[int, ...]

MOST_PARTS = 50_000
"""Greatest number of windows, or of nodes of a prefix tree, that make up an automaton."""


_BEGIN = 1_000
"""Number of words that begin."""


class PositiveClass(ABC):
    """A class of languages at levels k; each level contains the one before."""

    name: ClassVar[str]
    """The name in `--assume`."""
    least: ClassVar[int]
    most: ClassVar[int]
    """The levels that are tried."""

    def smallest(
        self, sample: Sample, level: int, check: Callable[[], None] = never_stop
    ) -> Language | None:
        """Return the smallest language of a level that has all words, whatever their classes.

        Its symbols and classes are numbers, and class 1 is the language. None is returned where it
        has too many parts. `check` may raise `AttemptLostError`.
        """
        rows = np.arange(min(len(sample), _BEGIN))
        while True:
            language = self.of_few(sample.part(rows), level, check)
            if language is None:
                return None
            check()
            missing = np.flatnonzero(answers_of(language, sample) == 0)
            if not len(missing):
                return language
            assert not np.isin(rows, missing).any(), "a language has the words it was made of"
            rows = np.union1d(rows, missing[: len(rows)])

    @abstractmethod
    def of_few(self, sample: Sample, level: int, check: Callable[[], None]) -> Language | None:
        """Return the same language for few words."""

    @abstractmethod
    def at(self, level: int) -> str:
        """Return the name of a level, such as `2-testable`."""

    @abstractmethod
    def means(self, level: int) -> str:
        """Return what decides whether a word is in a language of this level."""
