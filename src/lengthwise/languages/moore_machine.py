"""The automaton that a language is: its table, how it reads words, and its smallest form.

It is a Moore machine: complete, deterministic, with a class on every state. States, symbols and
classes are the integers 0..n-1; symbols and classes also have names, which users read and type.
Monoids and the ladder are computed from it, and `Language` is built on them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from lengthwise.display import Viewed
from lengthwise.errors import LanguageError, WordError
from lengthwise.languages import minimise
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.validation import (
    check_alphabet,
    check_classes,
    check_symbols,
    check_table,
)
from lengthwise.messages import format_count

_FITTING = 20
"""Symbols that a message lists."""

OUTSIDE = "outside"
"""Name of the class that `MooreMachine.total` adds for words outside the domain, if it is free."""

MAX_PAIRS = 100_000
"""Largest number of pairs of states of a product, which are minimised within seconds."""

M = TypeVar("M", bound="MooreMachine")


@dataclass(frozen=True, kw_only=True, slots=True)
class MooreMachine(Viewed):
    """Base of `Language`, which says what the fields mean and is what one makes.

    Raises:
        LanguageError: the alphabet, the table, the classes or the domain are of another type, or do
            not fit together.
    """

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    classes: tuple[int, ...]
    start: int = 0
    class_names: tuple[str, ...] = ()
    domain: "MooreMachine | None" = None
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

    # ---- words -------------------------------------------------------------------------------

    @property
    def spaced(self) -> bool:
        """Tell whether words are written with spaces, as some symbol has several characters."""
        return max(map(len, self.alphabet)) > 1

    def encode(self, text: str) -> tuple[int, ...]:
        """Encode a written word: `0110`, or `s1 s2 s1` if a symbol has several characters.

        Spaces between symbols of one character are ignored: `0 1 1 0` is the same word.

        Args:
            text: the word as it is written.

        Raises:
            WordError: a symbol is not in the alphabet; the message names it and its column.
        """
        if not isinstance(text, str):
            raise WordError(
                f"a written word is a string, but got {text!r:.40}. Write symbols one after the "
                f"other, with spaces between them if some have several characters."
            )
        if not self._index:
            self._index.update(zip(self.alphabet, range(self.num_symbols), strict=True))
        word = []
        for column, symbol in _split(text, self.spaced):
            if symbol not in self._index:
                raise WordError(
                    f"column {column}: symbol {symbol!r} is not in the alphabet. Use: "
                    f"{list_symbols(self.alphabet)}"
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

        Args:
            word: the integers of its symbols.
            state: where it begins; the start state unless it is given.
        """
        current = self.start if state is None else state
        for symbol in word:
            current = self.transitions[current][symbol]
        return current

    def classify(self, word: str | Sequence[int]) -> int:
        """Return the class of a word, given as a string or as a sequence of encoded integers.

        Raises:
            WordError: it is not a word, a symbol is not in the alphabet, an encoded one is not
                an integer 0..`num_symbols` - 1 (a list of strings is not an encoded word), or the
                word is outside the domain.
        """
        if not isinstance(word, Iterable):
            raise WordError(
                f"a word is a string such as {self.decode((0,))!r}, or a list of symbol numbers, "
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
                place = "at the start" if not position else f"after {last!r}"
                fitting = [
                    name for name, after in zip(self.alphabet, row, strict=True) if after in alive
                ]
                few = len(fitting) <= _FITTING
                listed = f"{'Use:' if few else 'Use such as'} {' '.join(fitting[:_FITTING])}"
                remedy = listed if fitting else "End the word before it"
                raise WordError(
                    f"symbol {position + 1}, {self.alphabet[symbol]!r}, cannot occur there: no "
                    f"well-formed word has that {place}. {remedy}."
                )
            state = row[symbol]
        if self.domain.classes[state] != 1:
            raise WordError(
                f"the word stops too early, after {format_count(len(word), 'symbol')}: it only "
                f"begins a well-formed word. Add symbols, or remove the last ones."
            )

    # ---- machines ----------------------------------------------------------------------------

    def reachable(self) -> list[int]:
        """Return the reachable states, in the order of their shortest words."""
        return minimise.reachable(self.transitions, self.start)

    def reaching(self, is_goal: Callable[[int], bool]) -> frozenset[int]:
        """Return the states from which some word (perhaps empty) leads to a state of a wanted
        class.

        Args:
            is_goal: function that says whether a class is one of these.
        """
        sources: list[list[int]] = [[] for _ in self.transitions]
        for state, row in enumerate(self.transitions):
            for target in row:
                sources[target].append(state)
        queue = [state for state, c in enumerate(self.classes) if is_goal(c)]
        seen = set(queue)
        for state in queue:
            for source in sources[state]:
                if source not in seen:
                    seen.add(source)
                    queue.append(source)
        return frozenset(seen)

    def total(self) -> Self:
        """Extend the language to *all* words: words outside the domain get one more class.

        The extra class, named `outside` if no class is, is the last. A language without a domain is
        returned unchanged.
        """
        if self.domain is None:
            return self
        outside = self.num_classes
        return self.combine(
            self.domain,
            lambda class_number, inside: class_number if inside == 1 else outside,
            (*self.class_names, find_unused_name(OUTSIDE, self.class_names)),
        )

    def minimise(self) -> Self:
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

    def combine(
        self,
        other: "MooreMachine",
        classify: Callable[[int, int], int],
        class_names: tuple[str, ...] = ("0", "1"),
    ) -> Self:
        """Return the product automaton, which gives a word the class `classify(own, other's)`.

        Only reachable pairs of states are built; domains are ignored.

        Args:
            other: an automaton over the same symbols.
            classify: function from the two classes of a word to its class.
            class_names: names of the classes of the product.

        Raises:
            LanguageError: the symbols differ, or there are more than `MAX_PAIRS` pairs.
        """
        require_one_alphabet(self, other)
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
            if len(pairs) > MAX_PAIRS:
                raise LanguageError(
                    f"two languages are combined in at most {MAX_PAIRS:,} pairs of their states, "
                    f"but automata of {self.num_states:,} and {other.num_states:,} states have "
                    f"more. Minimise them first, or use smaller ones."
                )
        return type(self)(
            alphabet=self.alphabet,
            transitions=tuple(rows),
            classes=tuple(classify(self.classes[a], other.classes[b]) for a, b in pairs),
            class_names=class_names,
        )

    def shortest(self, wanted: int) -> tuple[int, ...] | None:
        """Return the first shortest word of a class, or None; domains are ignored.

        Args:
            wanted: the number of the class.
        """
        words: dict[int, tuple[int, ...]] = {self.start: ()}
        for state in (queue := [self.start]):
            if self.classes[state] == wanted:
                return words[state]
            for symbol, target in enumerate(self.transitions[state]):
                if target not in words:
                    words[target] = (*words[state], symbol)
                    queue.append(target)
        return None


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


def require_one_alphabet(first: MooreMachine, second: MooreMachine) -> None:
    """Refuse two languages over different alphabets.

    Raises:
        LanguageError: they are.
    """
    if first.alphabet != second.alphabet:
        raise LanguageError(
            f"two languages are combined over one alphabet, but these have "
            f"{list_symbols(first.alphabet)!r} and {list_symbols(second.alphabet)!r}. Give both "
            f"the same."
        )


def find_unused_name(name: str, used: Collection[str]) -> str:
    """Return a name, or, if it is used, the name with as few underscores after it as are needed."""
    while name in used:
        name += "_"
    return name


def _minimise(machine: M) -> M:
    """Merge states that no word distinguishes; states are in the order of their shortest words."""
    transitions, classes = minimise.minimise(machine.transitions, machine.classes, machine.start)
    return replace(machine, transitions=transitions, classes=classes, start=0)


def _check_domain(language: MooreMachine, domain: object) -> None:
    if not isinstance(domain, type(language)):
        raise LanguageError(f"a domain is a Language, but it is a {type(domain).__name__}.")
    if domain.alphabet != language.alphabet:
        raise LanguageError("a language and its domain have the same alphabet, but these differ.")
    if domain.domain is not None or domain.class_names != ("0", "1"):
        raise LanguageError("a domain has the classes 0 and 1 and no domain of its own.")
    if domain.start not in domain.reaching(lambda c: c == 1):
        raise LanguageError("a domain has at least one word, but this one is empty.")
