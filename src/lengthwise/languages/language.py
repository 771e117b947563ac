"""Regular languages as complete deterministic automata with a class on every state.

Such an automaton (a Moore machine) sorts all words into classes; a recogniser is the two-class
case, with class 1 for members. States, symbols and classes are the integers 0..n-1; symbols and
classes also have names, which users read and type.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from lengthwise.arguments import whole
from lengthwise.display import Viewed
from lengthwise.errors import LanguageError, WordError
from lengthwise.languages import minimise
from lengthwise.languages.characters import listed
from lengthwise.languages.validation import (
    check_alphabet,
    check_classes,
    check_symbols,
    check_table,
)
from lengthwise.registry import Catalogue
from lengthwise.wording import counted, shortened

if TYPE_CHECKING:
    from lengthwise.languages.ladder import Ladder

_FITTING = 20
"""Symbols that a message lists."""

_SHOWN = 40
"""Characters of a text that a line shows."""

_LATER: Catalogue[Callable[["Language"], "Ladder"]] = Catalogue(
    "question", {"ladder": "lengthwise.languages.ladder:ladder"}
)
"""Questions about languages that are built on them, imported when one is first asked."""

OUTSIDE = "outside"
"""Name of the class that `Language.total` adds for words outside the domain, if it is free."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Language(Viewed):
    """A complete deterministic automaton with a class on every state.

    `transitions[state][symbol]` is the next state. The class of a word is the class of the state
    that it leads to from `start`. With a `domain`, the language is defined on the words of class 1
    of `domain` only (a two-class language over the same alphabet, without a domain of its own).

    Nothing is converted: sequences are tuples, and states and classes integers (no `True`, no 1.0).

    Raises:
        LanguageError: the alphabet, the table, the classes or the domain are of another type, or do
            not fit together.
    """

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    classes: tuple[int, ...]
    start: int = 0
    class_names: tuple[str, ...] = ()
    domain: "Language | None" = None
    spec: str = field(default="", compare=False)
    """Specification from which `lengthwise.languages.spec.parse` builds this language; empty if
    unknown.
    """
    _index: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The number of each symbol, from the first word that is encoded on."""

    def __post_init__(self) -> None:
        check_alphabet(self.alphabet)
        check_classes(self.classes, self.class_names)
        if not self.class_names:
            names = tuple(str(c) for c in range(max(2, max(self.classes, default=0) + 1)))
            object.__setattr__(self, "class_names", names)
        check_table(self.alphabet, self.transitions, self.classes, self.start, self.num_classes)
        if self.domain is not None:
            _check_domain(self, self.domain)

    @property
    def num_states(self) -> int:
        """Number of states of the automaton as given, reachable or not."""
        return len(self.transitions)

    @property
    def num_symbols(self) -> int:
        """Size of the alphabet."""
        return len(self.alphabet)

    @property
    def num_classes(self) -> int:
        """Number of classes, used or not."""
        return len(self.class_names)

    def __repr__(self) -> str:
        symbols = shortened(listed(self.alphabet), _SHOWN)
        classes = shortened(" ".join(self.class_names), _SHOWN)
        named = f"{shortened(self.spec, _SHOWN)}: " if self.spec else ""
        return (
            f"Language({named}{counted(self.num_states, 'state')} over {symbols!r}, classes "
            f"{classes!r})"
        )

    # ---- words -------------------------------------------------------------------------------

    @property
    def spaced(self) -> bool:
        """Tell whether words are written with spaces, as some symbol has several characters."""
        return max(map(len, self.alphabet)) > 1

    def encode(self, text: str) -> tuple[int, ...]:
        """Encode a written word: `0110`, or `s1 s2 s1` if a symbol has several characters.

        Spaces between symbols of one character are ignored: `0 1 1 0` is the same word.

        Raises:
            WordError: a symbol is not in the alphabet; the message names it and its column.
        """
        if not isinstance(text, str):
            raise WordError(
                f"a written word is a text, but got {text!r:.40}. Write symbols one after the "
                f"other, with spaces between them if some have several characters."
            )
        if not self._index:
            self._index.update(zip(self.alphabet, range(self.num_symbols), strict=True))
        word = []
        for column, symbol in _split(text, self.spaced):
            if symbol not in self._index:
                raise WordError(
                    f"column {column}: symbol {symbol!r} is not in the alphabet. Use: "
                    f"{listed(self.alphabet)}"
                )
            word.append(self._index[symbol])
        return tuple(word)

    def decode(self, word: Iterable[int]) -> str:
        """Write an encoded word as text; the inverse of `encode`.

        Raises:
            WordError: something in the word is not the integer of a symbol.
        """
        word = tuple(word)
        check_symbols(word, self.num_symbols)
        return (" " if self.spaced else "").join(self.alphabet[symbol] for symbol in word)

    def run(self, word: Iterable[int], state: int | None = None) -> int:
        """Return the state reached by reading `word` from `state` (default: the start state).

        The symbols are not checked, for speed; `classify` checks them.
        """
        current = self.start if state is None else state
        for symbol in word:
            current = self.transitions[current][symbol]
        return current

    def classify(self, word: str | Sequence[int]) -> int:
        """Return the class of a word, given as written text or as a sequence of encoded integers.

        Raises:
            WordError: it is no word, a symbol is not in the alphabet, an encoded one is not an
                integer 0..`num_symbols` - 1 (symbols as texts are no encoded word), or the word is
                outside the domain.
        """
        if not isinstance(word, Iterable):
            raise WordError(
                f"a word is a text such as {self.decode((0,))!r}, or a list of numbers of symbols, "
                f"but got {word!r:.40}."
            )
        symbols = self.encode(word) if isinstance(word, str) else word
        self.require_in_domain(symbols)
        return self.classes[self.run(symbols)]

    def __contains__(self, word: object) -> bool:
        if self.class_names != ("0", "1"):
            raise LanguageError(
                f"membership needs the classes 0 and 1, but this language has "
                f"{self.num_classes} ({', '.join(self.class_names[:8])}). Use classify."
            )
        return isinstance(word, str | tuple | list) and self.classify(word) == 1

    def require_in_domain(self, word: Sequence[int]) -> None:
        """Refuse a word outside the domain; the message names the first position that goes wrong.

        Raises:
            WordError: no word of the domain begins as `word` does up to the position that is named,
                or `word` stops too early, or something in it is not the integer of a symbol.
        """
        check_symbols(word, self.num_symbols)
        if self.domain is None:
            return
        alive = self.domain.reaching(lambda c: c == 1)
        state = self.domain.start
        for position, symbol in enumerate(word):
            row = self.domain.transitions[state]
            if row[symbol] not in alive:
                last = self.decode(word[:position][-10:])
                there = "at the start" if not position else f"after {last!r}"
                fitting = [
                    name for name, after in zip(self.alphabet, row, strict=True) if after in alive
                ]
                few = len(fitting) <= _FITTING
                listed = f"{'Use:' if few else 'Use such as'} {' '.join(fitting[:_FITTING])}"
                remedy = listed if fitting else "End the word before it"
                raise WordError(
                    f"symbol {position + 1}, {self.alphabet[symbol]!r}, cannot stand there: no "
                    f"well-formed word has that {there}. {remedy}."
                )
            state = row[symbol]
        if self.domain.classes[state] != 1:
            raise WordError(
                f"the word stops too early, after {counted(len(word), 'symbol')}: it only "
                f"begins a well-formed word. Add symbols, or remove the last ones."
            )

    # ---- machines ----------------------------------------------------------------------------

    def reachable(self) -> list[int]:
        """Return the reachable states, in the order of their shortest words."""
        return minimise.reachable(self.transitions, self.start)

    def reaching(self, wanted: Callable[[int], bool]) -> frozenset[int]:
        """Return the states from which some word (perhaps empty) leads to a state of a wanted
        class.
        """
        sources: list[list[int]] = [[] for _ in self.transitions]
        for state, row in enumerate(self.transitions):
            for target in row:
                sources[target].append(state)
        found = [state for state, c in enumerate(self.classes) if wanted(c)]
        seen = set(found)
        for state in found:
            for source in sources[state]:
                if source not in seen:
                    seen.add(source)
                    found.append(source)
        return frozenset(seen)

    def total(self) -> "Language":
        """Extend the language to *all* words: words outside the domain get one more class.

        The extra class, named `outside` if no class is, is the last. A language without a domain is
        returned unchanged.
        """
        if self.domain is None:
            return self
        outside = self.num_classes
        return self.combined(
            self.domain,
            lambda own, inside: own if inside == 1 else outside,
            (*self.class_names, unused_name(OUTSIDE, self.class_names)),
        )

    def minimised(self) -> "Language":
        """Return the smallest automaton with the same classes on the same domain.

        States are numbered in the order of their shortest, first words, so two languages over one
        alphabet are equal if and only if their minimised automata are equal. With a domain, the
        automaton tracks the domain too: the class of a state outside it is 0.
        """
        small = _minimise(self.total())
        if self.domain is None:
            return replace(small, spec=self.spec)
        inside = tuple(int(c != self.num_classes) for c in small.classes)
        return replace(
            small,
            classes=tuple(c * i for c, i in zip(small.classes, inside, strict=True)),
            class_names=self.class_names,
            domain=_minimise(replace(small, classes=inside, class_names=("0", "1"))),
            spec=self.spec,
        )

    def combined(
        self,
        other: "Language",
        classify: Callable[[int, int], int],
        class_names: tuple[str, ...] = ("0", "1"),
    ) -> "Language":
        """Return the product automaton, which gives a word the class `classify(own, other's)`.

        Only reachable pairs of states are built; domains are ignored.
        """
        if self.alphabet != other.alphabet:
            raise LanguageError(
                f"two languages are combined over one alphabet, but these have "
                f"{listed(self.alphabet)!r} and {listed(other.alphabet)!r}. Give both the same."
            )
        index = {(self.start, other.start): 0}
        rows = []
        for left, right in (pairs := [(self.start, other.start)]):
            row = []
            targets = zip(self.transitions[left], other.transitions[right], strict=True)
            for target in targets:
                if target not in index:
                    index[target] = len(pairs)
                    pairs.append(target)
                row.append(index[target])
            rows.append(tuple(row))
        return Language(
            alphabet=self.alphabet,
            transitions=tuple(rows),
            classes=tuple(classify(self.classes[a], other.classes[b]) for a, b in pairs),
            class_names=class_names,
        )

    def difference(self, other: "Language") -> tuple[int, ...] | None:
        """Return the first shortest word on which two languages differ, or None if they are equal.

        They differ on a word if its classes have different names, or if only one domain contains
        it.

        Raises:
            LanguageError: the other one is no Language, or is over other symbols.
        """
        _require_language(other)
        mine, theirs = (
            [*((True, name) for name in each.class_names), (False, OUTSIDE)]
            for each in (self, other)
        )
        both = self.total().combined(other.total(), lambda a, b: int(mine[a] != theirs[b]))
        return both.shortest(1)

    def shortest(self, wanted: int) -> tuple[int, ...] | None:
        """Return the first shortest word of a class, or None; domains are ignored."""
        words: dict[int, tuple[int, ...]] = {self.start: ()}
        for state in (queue := [self.start]):
            if self.classes[state] == wanted:
                return words[state]
            for symbol, target in enumerate(self.transitions[state]):
                if target not in words:
                    words[target] = (*words[state], symbol)
                    queue.append(target)
        return None

    def ladder(self) -> "Ladder":
        """Decide which transformer can carry the language, and the classes on which that depends
        (`lengthwise.languages.ladder`).
        """
        return _LATER["ladder"](self)

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
            self.combined(other, operation), domain=_shared_domain(self.domain, other.domain)
        )
        return result.minimised()

    # ---- counting ----------------------------------------------------------------------------

    def counts(self, length: int) -> tuple[int, ...]:
        """Return the number of words of the domain of this length, by class, as exact integers.

        Raises:
            LanguageError: the length is no whole number, or below 0.
        """
        whole("length", length, error=LanguageError)
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

        Raises:
            LanguageError: there is no such length or class.
        """
        longest = whole("max_length", max_length, error=LanguageError)
        if only is not None and whole("only", only, error=LanguageError) >= self.num_classes:
            raise LanguageError(f"only={only} is no class: they are 0..{self.num_classes - 1}.")
        return self._words(longest, only)

    def _words(self, max_length: int, only: int | None) -> Iterator[tuple[int, ...]]:
        machine = self.total()

        def wanted(c: int) -> bool:
            return c < self.num_classes if only is None else c == only

        sources: list[list[int]] = [[] for _ in machine.transitions]
        for state, row in enumerate(machine.transitions):
            for target in {*row}:
                sources[target].append(state)
        alive = [frozenset(s for s, c in enumerate(machine.classes) if wanted(c))]
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


def _split(text: str, spaced: bool) -> Iterator[tuple[int, str]]:
    """Yield the symbols of a written word, each with its column (from 1)."""
    if not spaced:
        yield from ((column, c) for column, c in enumerate(text, start=1) if c != " ")
        return
    column = 1
    for symbol in text.split(" "):
        if symbol:
            yield column, symbol
        column += len(symbol) + 1


def unused_name(name: str, used: Collection[str]) -> str:
    """Return a name, or, if it is used, the name with as few underscores after it as are needed."""
    while name in used:
        name += "_"
    return name


def _minimise(machine: Language) -> Language:
    """Merge states that no word distinguishes; states are in the order of their shortest words."""
    transitions, classes = minimise.minimised(machine.transitions, machine.classes, machine.start)
    return replace(machine, transitions=transitions, classes=classes, start=0)


def _shared_domain(left: Language | None, right: Language | None) -> Language | None:
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


def _check_domain(language: Language, domain: object) -> None:
    if not isinstance(domain, Language):
        raise LanguageError(f"a domain is a Language, but it is a {type(domain).__name__}.")
    if domain.alphabet != language.alphabet:
        raise LanguageError("a language and its domain have the same alphabet, but these differ.")
    if domain.domain is not None or domain.class_names != ("0", "1"):
        raise LanguageError("a domain has the classes 0 and 1 and no domain of its own.")
    if domain.start not in domain.reaching(lambda c: c == 1):
        raise LanguageError("a domain has at least one word, but this one is empty.")
