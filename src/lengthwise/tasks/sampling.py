"""Words of a class and a length, drawn exactly uniformly and without rejection.

Let N_r[s] be the number of words of length r that lead from state s to the class. In state s, with
r symbols to come, symbol a is drawn with probability N_(r-1)[s a] / N_r[s]; so every word of the
class comes with probability 1 / N_n[start] (`uniform_walk`).
"""

from functools import cached_property

import numpy as np
import torch
from torch import Generator

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.uniform_walk import MAX_COUNTS, Each, Walk, Words, longest_walk

_SEARCHED = 10_000
"""Distance up to which the error message looks for a possible length near an impossible one."""


class UniformSampler:
    """Draws words of the domain of a language, uniformly within a class or over all classes.

    Tables grow with the longest length asked for and serve all lengths.
    """

    def __init__(self, language: Language, bits: int = 30) -> None:
        assert 1 <= bits <= 30
        self.language = language
        self.automaton = Automaton(language.minimise())
        self._reach = _Reach(self.automaton)
        self._bits = bits

    def exists(self, length: int, c: int) -> bool:
        """Return whether class `c` has a word of this length."""
        return c in self._reach.classes(length)

    def classes_at(self, length: int) -> tuple[int, ...]:
        """Return the classes that have a word of this length."""
        return self._reach.classes(length)

    def draw(self, classes: Each, lengths: Each, generator: Generator) -> Words:
        """Draw one word for each class and length, uniform among the words of both.

        Raises:
            TaskError: a class has no word of its length, or there are too many counts to keep.
        """
        for c, length in _distinct_pairs(classes, lengths):
            self._require(c, length)
        self.require_room(longest_walk(lengths))
        return self._by_class.draw(classes, lengths, generator)

    def draw_any(self, lengths: Each, generator: Generator) -> Words:
        """Draw one word for each length, uniform among all words of the domain of that length.

        Raises:
            TaskError: the domain has no word of a length, or there are too many counts to keep.
        """
        self.require_words(lengths)
        self._require_room(longest_walk(lengths), 1)
        return self._over_all.draw(torch.zeros_like(lengths), lengths, generator)

    def require_words(self, lengths: Each) -> None:
        """Refuse lengths at which the domain has no word.

        Raises:
            TaskError: the domain has no word of a length; the message names the nearest that do.
        """
        for length in torch.unique(lengths).tolist():
            if not self.classes_at(length):
                raise TaskError(
                    f"{self._name()} has no word of length {length}. {self._near(length, None)}"
                )

    def require_room(self, length: int) -> None:
        """Refuse a longest length for which the counts of all classes are too many to keep.

        Cheap: nothing is counted yet.

        Raises:
            TaskError: there are too many; the message says how many, and what is possible.
        """
        self._require_room(length, self.language.num_classes)

    @cached_property
    def _by_class(self) -> Walk:
        ends = self.automaton.classes.numpy()[:, None]
        return Walk(self.automaton, ends == np.arange(self.language.num_classes), self._bits)

    @cached_property
    def _over_all(self) -> Walk:
        ends = self.automaton.classes.numpy()[:, None]
        return Walk(self.automaton, ends < self.language.num_classes, self._bits)

    def _require_room(self, length: int, num_goals: int) -> None:
        num_states = self.automaton.num_states
        needed = (length + 1) * num_states * num_goals
        if needed <= MAX_COUNTS:
            return
        longest = MAX_COUNTS // (num_states * num_goals) - 1
        shorter = f"words of at most {longest} symbols, " if longest >= 0 else ""
        fewer = "a language with fewer classes or states" if num_goals > 1 else "a smaller language"
        raise TaskError(
            f"uniform words of {self._name()} of {length} symbols need {needed} counts "
            f"({length + 1} lengths x {num_states} states x {num_goals} "
            f"{'classes' if num_goals > 1 else 'class'}), but the limit is {MAX_COUNTS}. Use "
            f"{shorter}{'or ' if shorter else ''}{fewer}."
        )

    def _require(self, c: int, length: int) -> None:
        names = self.language.class_names
        if not 0 <= c < len(names):
            raise TaskError(f"class {c} does not exist. The classes are 0..{len(names) - 1}.")
        if not self.exists(length, c):
            raise TaskError(
                f"class {names[c]} of {self._name()} has no word of length {length}. "
                f"{self._near(length, c)}"
            )

    def _near(self, length: int, c: int | None) -> str:
        def fits(other: int) -> bool:
            classes = self.classes_at(other)
            return bool(classes) if c is None else c in classes

        if length < 0:
            return "A length is 0 or more."
        below = [n for n in range(max(0, length - _SEARCHED), length) if fits(n)][-1:]
        above = next((n for n in range(length + 1, length + _SEARCHED) if fits(n)), None)
        lengths = [str(n) for n in (*below, *([] if above is None else [above]))]
        return (
            f"Nearest that has one: {' and '.join(lengths)}." if lengths else "No length has one."
        )

    def _name(self) -> str:
        return self.language.spec or "the language"


def _distinct_pairs(classes: Each, lengths: Each) -> list[tuple[int, int]]:
    """Return the pairs of class and length, sorted by one number each (30 times faster)."""
    if len(lengths) == 0:
        return []
    low = int(lengths.min())
    span = int(lengths.max()) - low + 1
    pairs = [divmod(key, span) for key in torch.unique(classes * span + lengths - low).tolist()]
    return [(c, low + above) for c, above in pairs]


class _Reach:
    """The classes that have a word of a length: a sequence that repeats, so it is cheap."""

    def __init__(self, automaton: Automaton) -> None:
        self._targets = automaton.transitions.tolist()
        self._class_of = automaton.classes.tolist()
        self._num_classes = automaton.num_classes
        self._sets = [frozenset({automaton.start})]
        self._classes = [self._present(self._sets[0])]
        self._seen = {self._sets[0]: 0}
        self._repeats_from: int | None = None

    def classes(self, length: int) -> tuple[int, ...]:
        if length < 0:
            return ()
        while self._repeats_from is None and length >= len(self._sets):
            after = frozenset(t for state in self._sets[-1] for t in self._targets[state])
            if after in self._seen:
                self._repeats_from = self._seen[after]
            else:
                self._seen[after] = len(self._sets)
                self._sets.append(after)
                self._classes.append(self._present(after))
        if length >= len(self._sets):
            assert self._repeats_from is not None
            first, period = self._repeats_from, len(self._sets) - self._repeats_from
            length = first + (length - first) % period
        return self._classes[length]

    def _present(self, states: frozenset[int]) -> tuple[int, ...]:
        classes = {self._class_of[state] for state in states}
        return tuple(sorted(c for c in classes if c < self._num_classes))
