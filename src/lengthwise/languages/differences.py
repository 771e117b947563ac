"""The words on which two languages differ: the shortest each way, and how many of each length.

The languages may have different alphabets: a word with a symbol that one of them lacks is not in
it, or `outside` it where its classes are others than 0 and 1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lengthwise.languages.language import Language
from lengthwise.languages.moore_machine import OUTSIDE

MAX_STEPS = 5_000_000
"""Largest number of transitions of pairs of states that are followed: seconds."""

Word: TypeAlias = tuple[int, ...]
Pair: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal["only first", "only second", "differs", ""]


@dataclass(frozen=True, slots=True)
class CountedLength:
    """Numbers of words of a length."""

    length: int
    total: int
    only_first: int
    """Words of the first language alone; 0 where languages have other classes than 0 and 1."""
    only_second: int
    differing: int
    """Words on which the languages differ."""


class Differences:
    """The differences between two languages.

    >>> from lengthwise.languages.spec import parse
    >>> found = Differences(parse("regex:(ab)*"), parse("regex:a(b|c)*"))
    >>> found.alphabet, found.equal, found.decode(found.only_second)
    (('a', 'b', 'c'), False, 'a')
    """

    def __init__(self, first: Language, second: Language) -> None:
        self.alphabet = (*first.alphabet, *(s for s in second.alphabet if s not in first.alphabet))
        """All symbols, those of the first language in front."""
        self._first, self._second = (_Side(one, self.alphabet) for one in (first, second))
        self.are_recognisers = {*self._first.labels, *self._second.labels} <= {"0", "1"}
        """Whether each accepts or rejects every word."""
        self.equal = self._first.values == self._second.values
        alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
        for symbol, columns in enumerate(
            zip(self._first.columns, self._second.columns, strict=True)
        ):
            alike.setdefault(columns, []).append(symbol)
        self._moves = [(symbols[0], len(symbols), *columns) for columns, symbols in alike.items()]
        self.searched: int | None = None
        """Number of symbols up to which words were compared; None if all were."""
        self._found = {} if self.equal else self._search()

    @property
    def only_first(self) -> Word | None:
        """The first shortest word of the first language alone."""
        return self._found.get("only first")

    @property
    def only_second(self) -> Word | None:
        """The first shortest word of the second language alone."""
        return self._found.get("only second")

    @property
    def shortest(self) -> Word | None:
        """The first shortest word on which the languages differ."""
        return min(self._found.values(), key=lambda word: (len(word), word), default=None)

    def classes(self, word: Word) -> tuple[str, str]:
        """Return the names of the classes that the two languages give a word."""
        return self._first.label(word) or OUTSIDE, self._second.label(word) or OUTSIDE

    def decode(self, word: Word) -> str:
        """Write a word as text."""
        spaced = any(len(symbol) > 1 for symbol in self.alphabet)
        return (" " if spaced else "").join(self.alphabet[symbol] for symbol in word)

    def counts(self, longest: int) -> list[CountedLength]:
        """Return how many words differ, by length, as exact integers.

        There are fewer lengths if more would take over `MAX_STEPS` steps.
        """
        counted, steps = [], 0
        ways = Counter[Pair]({(0, 0): 1})
        for length in range(longest + 1):
            kinds = Counter[Kind]()
            for pair, number in ways.items():
                kinds[self._kind(pair)] += number
            total = kinds.total()
            one, two = kinds["only first"], kinds["only second"]
            counted.append(CountedLength(length, total, one, two, total - kinds[""]))
            steps += len(ways) * len(self._moves)
            if steps > MAX_STEPS:
                break
            after = Counter[Pair]()
            for (state, other), number in ways.items():
                for _, alike, column, other_column in self._moves:
                    after[column[state], other_column[other]] += number * alike
            ways = after
        return counted

    def _kind(self, pair: Pair) -> Kind:
        first, second = self._first.labels[pair[0]], self._second.labels[pair[1]]
        if first == second:
            return ""
        if not self.are_recognisers:
            return "differs"
        return "only first" if first == "1" else "only second"

    def _search(self) -> dict[Kind, Word]:
        """Return the first shortest word of each kind, by trying pairs of states."""
        wanted: list[Kind] = ["only first", "only second"] if self.are_recognisers else ["differs"]
        came: dict[Pair, tuple[Pair, int] | None] = {(0, 0): None}
        found: dict[Kind, Word] = {}
        for number, pair in enumerate(queue := [(0, 0)]):
            kind = self._kind(pair)
            if kind and kind not in found:
                found[kind] = _word(came, pair)
                if len(found) == len(wanted):
                    break
            if number * len(self._moves) > MAX_STEPS:
                self.searched = len(_word(came, pair)) - 1
                break
            for symbol, _, column, other_column in self._moves:
                after = column[pair[0]], other_column[pair[1]]
                if after not in came:
                    came[after] = pair, symbol
                    queue.append(after)
        return found


class _Side:
    """The minimal automaton of a language over more symbols; it starts in state 0.

    The label of a state is the name of its class, or None outside the language's words.
    """

    def __init__(self, language: Language, alphabet: Sequence[str]) -> None:
        machine = language.total()
        names: list[str | None] = [*language.class_names, None]
        number = {symbol: at for at, symbol in enumerate(language.alphabet)}
        sink, sink_class = machine.num_states, language.num_classes
        if names == ["0", "1", None] and language.domain is None:
            sink_class = 0
        small = Language(
            alphabet=tuple(alphabet),
            transitions=(
                *(
                    tuple(row[number[s]] if s in number else sink for s in alphabet)
                    for row in machine.transitions
                ),
                (sink,) * len(alphabet),
            ),
            classes=(*machine.classes, sink_class),
            start=machine.start,
            class_names=tuple(map(str, range(len(names)))),
        ).minimise()
        self.columns = list(zip(*small.transitions, strict=True))
        self.labels = [names[c] for c in small.classes]
        self.values = (small.transitions, self.labels)

    def label(self, word: Word) -> str | None:
        """Return the label of the state that a word leads to."""
        state = 0
        for symbol in word:
            state = self.columns[symbol][state]
        return self.labels[state]


def _word(came: dict[Pair, tuple[Pair, int] | None], pair: Pair) -> Word:
    word: list[int] = []
    while (step := came[pair]) is not None:
        pair = step[0]
        word.append(step[1])
    return tuple(reversed(word))
