"""The contract of a searcher: a way to make automata from labelled words, attempt by attempt.

The portfolio (`portfolio`) asks several searchers in turn and keeps the best automaton. An attempt
depends on its number, the words and the best automaton so far alone: so a search that was stopped
continues with the next attempt, and its result does not depend on the speed of the machine.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from lengthwise.inference.sample import Sample, answers_of
from lengthwise.languages.language import Language

_SHOWN_EVERY = 0.3
"""Seconds between two times that progress is shown."""

Read: TypeAlias = Callable[[int], None]
"""Counts symbols that an attempt reads; raises `AttemptLostError` or `AttemptPutOffError` to end
the attempt."""


def read_freely(symbols: int) -> None:
    """Let an attempt read as much as it likes."""


@dataclass(frozen=True, slots=True)
class SearchTask:
    """The words that a searcher gets, what it may find, and the best automaton so far."""

    sample: Sample
    """The words of training, shortest first."""
    noise: float = 0.0
    """Share of the labels that may be wrong."""
    max_states: int = 256
    """Greatest number of states of a hypothesis."""
    best: Language | None = None
    """The best automaton that any searcher has made so far."""
    least_states: int = 1
    """States that every automaton has that fits the words, as far as that is proved."""
    read: Read = read_freely
    """Counts what an attempt reads, by which the portfolio shares the time: about as many symbols
    as plain reading would read in the time, a hundred million a second. The count must not depend
    on a clock. A long attempt calls it several times a second."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The end of an attempt."""

    language: Language | None
    """The hypothesis, with numbers as symbols and classes; None if there is none."""
    bits: float = math.inf
    """Bits of the hypothesis in terms of its searcher, where these can be fewer than those of the
    automaton."""
    least_states: int = 1
    """States that every automaton has that fits the words, as the attempt proved."""


class AttemptLostError(Exception):
    """The time of a search is used up; the attempt that was running is lost."""


class AttemptPutOffError(Exception):
    """An attempt has read all that it may read for now. It is made again, and may read more, when
    the other searchers have had their turn."""


@dataclass(slots=True)
class SearchClock:
    """Shows the progress of a search several times a second, and ends it after its budget."""

    budget: float
    """Seconds."""
    show: Callable[[float], None]
    """Called with the seconds since the start."""
    start: float = field(default_factory=time.monotonic)
    last_shown: float = -math.inf

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def read(self, symbols: int = 0) -> None:
        """Show progress, if it is time; raise `AttemptLostError` if the budget is used up.

        The time counts, and not the symbols.
        """
        seconds = self.seconds
        if seconds - self.last_shown > _SHOWN_EVERY:
            self.last_shown = seconds
            self.show(seconds)
        if seconds > self.budget:
            raise AttemptLostError


class Searcher(ABC):
    """A way to make automata from labelled words."""

    name: str
    share: ClassVar[float] = 1.0
    """Symbols that it reads for each one that another searcher reads."""
    late: ClassVar[int] = 0
    """Symbols that count as read before its first attempt, so that others come first."""

    @property
    def most_classes(self) -> float:
        """Greatest number of classes that it can tell apart; with more it is not asked."""
        return math.inf

    @abstractmethod
    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        """Make attempt `number`, from 0; return None if there are no more.

        The attempts that promise most for their time come first. A hypothesis need not fit all
        words: the portfolio judges it, and other searchers may improve it.
        """


def to_language(
    transitions: np.ndarray, classes: np.ndarray, sample: Sample, start: int = 0
) -> Language:
    """Return the minimal automaton of arrays `[state, symbol]` and `[state]`, with numbers as
    symbols and classes."""
    return Language(
        alphabet=tuple(str(number) for number in range(sample.num_symbols)),
        transitions=tuple(map(tuple, np.asarray(transitions).tolist())),
        classes=tuple(np.asarray(classes).tolist()),
        start=start,
        class_names=tuple(str(number) for number in range(sample.num_classes)),
    ).minimise()


def count_wrong(language: Language, sample: Sample) -> int:
    """Return the number of words whose class an automaton does not give; of repeated words, the
    number of lines."""
    return sample.wrong_lines(answers_of(language, sample) != sample.classes)


def log_choices(count: int, size: int) -> float:
    """Return the bits that name which `size` of `count` things are chosen."""
    ways = math.lgamma(count + 1) - math.lgamma(size + 1) - math.lgamma(count - size + 1)
    return ways / math.log(2)


def size_in_bits(language: Language) -> float:
    """Return the bits that describe an automaton.

    Each state names its class, and either all its targets, or the commonest one and the symbols
    that lead elsewhere with theirs: so a rule about few symbols is short over a large alphabet.
    """
    states, symbols = language.num_states, language.num_symbols
    target, symbol = math.log2(max(states, 2)), math.log2(max(symbols, 2))
    bits = states * math.log2(max(len(language.class_names), 2))
    for row in language.transitions:
        counts = np.bincount(row, minlength=states)
        exceptions = symbols - int(counts.max())
        bits += min(target + exceptions * (symbol + target), symbols * target)
    return bits
