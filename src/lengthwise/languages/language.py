"""Regular languages: automata with classes, and what one asks of a language or makes of two.

The automaton sorts all words into classes; a recogniser is the two-class case, with class 1 for
members.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from lengthwise.arguments import require_integer
from lengthwise.errors import LanguageError
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.moore_machine import OUTSIDE, MooreMachine
from lengthwise.messages import format_count, shorten
from lengthwise.registry import Catalogue

if TYPE_CHECKING:
    from lengthwise.languages.ladder import Ladder

_SHOWN = 40
"""Characters of a string that a message shows."""

_LATER: Catalogue[Callable[["Language"], "Ladder"]] = Catalogue(
    "question", {"ladder": "lengthwise.languages.ladder:ladder"}
)
"""Questions about languages that take long to import, imported when one is first asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Language(MooreMachine):
    """A complete deterministic automaton with a class on every state.

    `transitions[state][symbol]` is the next state. The class of a word is the class of the state
    that it leads to from `start`. With a `domain`, the language is defined on the words of class 1
    of `domain` only (a two-class language over the same alphabet, without a domain of its own).

    Nothing is converted: sequences are tuples, and states and classes integers (no `True`, no 1.0).

    Examples:
        >>> import lengthwise as lw
        >>> parity = lw.language("parity")
        >>> parity.encode("0110"), parity.decode((1, 0)), parity.classify("0111")
        ((0, 1, 1, 0), '10', 1)
        >>> parity.counts(3), list(parity.words(max_length=1))
        ((4, 4), [(), (0,), (1,)])
        >>> parity.decode(parity.difference(lw.language("first")))
        '01'
        >>> ~parity & lw.language("first")
        Language(4 states over '0 1', classes '0 1')

    Raises:
        LanguageError: the alphabet, the table, the classes or the domain are of another type, or do
            not fit together.
    """

    domain: "Language | None" = None

    def ladder(self) -> "Ladder":
        """Decide which transformer can carry the language, and the classes on which that depends
        (`lengthwise.languages.ladder`).
        """
        return _LATER["ladder"](self)

    def __repr__(self) -> str:
        symbols = shorten(list_symbols(self.alphabet), _SHOWN)
        classes = shorten(" ".join(self.class_names), _SHOWN)
        prefix = f"{shorten(self.spec, _SHOWN)}: " if self.spec else ""
        return (
            f"Language({prefix}{format_count(self.num_states, 'state')} over {symbols!r}, classes "
            f"{classes!r})"
        )

    def difference(self, other: "Language") -> tuple[int, ...] | None:
        """Return the first shortest word on which two languages differ, or None if they are equal.

        They differ on a word if its classes have different names, or if only one domain contains
        it.

        Args:
            other: a language over the same symbols.

        Raises:
            LanguageError: the other one is not a Language, or is over other symbols.
        """
        _require_language(other)
        own_classes, other_classes = (
            [*((True, name) for name in language.class_names), (False, OUTSIDE)]
            for language in (self, other)
        )
        differing = self.total().combine(
            other.total(), lambda a, b: int(own_classes[a] != other_classes[b])
        )
        return differing.shortest(1)

    # ---- the algebra of recognisers ----------------------------------------------------------

    def __invert__(self) -> "Language":
        _require_recogniser(self)
        return replace(self, classes=tuple(1 - c for c in self.classes), spec="")

    def __and__(self, other: "Language") -> "Language":
        return self._boolean(other, lambda a, b: a & b)

    def __or__(self, other: "Language") -> "Language":
        return self._boolean(other, lambda a, b: a | b)

    def __xor__(self, other: "Language") -> "Language":
        return self._boolean(other, lambda a, b: a ^ b)

    def __sub__(self, other: "Language") -> "Language":
        return self._boolean(other, lambda a, b: a & (1 - b))

    def _boolean(self, other: "Language", operation: Callable[[int, int], int]) -> "Language":
        _require_recogniser(self)
        _require_recogniser(other)
        result = replace(
            self.combine(other, operation), domain=_intersect_domains(self.domain, other.domain)
        )
        return result.minimise()

    # ---- counting ----------------------------------------------------------------------------

    def counts(self, length: int) -> tuple[int, ...]:
        """Return the number of words of the domain of this length, by class, as exact integers.

        Args:
            length: number of symbols.

        Raises:
            LanguageError: the length is not an integer, or is below 0.
        """
        require_integer("length", length, error=LanguageError)
        machine = self.total()
        ways = [0] * machine.num_states
        ways[machine.start] = 1
        for _ in range(length):
            after = [0] * machine.num_states
            for state, row in enumerate(machine.transitions):
                if ways[state]:
                    for target in row:
                        after[target] += ways[state]
            ways = after
        totals = [0] * machine.num_classes
        for state, number in enumerate(ways):
            totals[machine.classes[state]] += number
        return tuple(totals[: self.num_classes])

    def words(self, *, max_length: int, only: int | None = None) -> Iterator[tuple[int, ...]]:
        """Yield the words of the domain, or of one class, by length and then in alphabet order.

        Dead ends are not entered, so the time is proportional to the number of words, and for each
        length up to that of the last word taken, to the number of states.

        Args:
            max_length: most symbols of a word.
            only: the class; all classes unless it is given.

        Raises:
            LanguageError: there is no such length or class.
        """
        longest = require_integer("max_length", max_length, error=LanguageError)
        if (
            only is not None
            and require_integer("only", only, error=LanguageError) >= self.num_classes
        ):
            raise LanguageError(f"only={only} is not a class: they are 0..{self.num_classes - 1}.")
        return self._words(longest, only)

    def _words(self, max_length: int, only: int | None) -> Iterator[tuple[int, ...]]:
        machine = self.total()

        def is_wanted(c: int) -> bool:
            return c < self.num_classes if only is None else c == only

        sources: list[list[int]] = [[] for _ in machine.transitions]
        for state, row in enumerate(machine.transitions):
            for target in {*row}:
                sources[target].append(state)
        alive = [frozenset(s for s, c in enumerate(machine.classes) if is_wanted(c))]
        for length in range(max_length + 1):
            if length:
                alive.append(frozenset(chain.from_iterable(sources[s] for s in alive[-1])))
            if machine.start not in alive[length]:
                continue
            prefix: list[int] = []
            states = [machine.start]
            untried = [0]
            while untried:
                left = length - len(prefix)
                row = machine.transitions[states[-1]]
                symbol = untried[-1]
                if left and symbol < len(row):
                    untried[-1] += 1
                    if row[symbol] in alive[left - 1]:
                        prefix.append(symbol)
                        states.append(row[symbol])
                        untried.append(0)
                    continue
                if left == 0:
                    yield tuple(prefix)
                states.pop()
                untried.pop()
                if prefix:
                    prefix.pop()


def _intersect_domains(left: Language | None, right: Language | None) -> Language | None:
    if left is None or right is None:
        return left or right
    return left & right


def _require_language(language: object) -> None:
    if not isinstance(language, Language):
        raise LanguageError(
            f"this takes two Languages, but one of them is a {type(language).__name__}. Write "
            f"language(...) around a name or an expression."
        )


def _require_recogniser(language: Language) -> None:
    _require_language(language)
    if language.class_names != ("0", "1"):
        raise LanguageError(
            f"boolean operations need the classes 0 and 1, but this language has "
            f"{language.num_classes}: {', '.join(language.class_names[:8])}."
        )
