"""The smallest bimachine of a Python function on words, learned by queries and tested to a bound.

A beginning u and a continuation v are asked about by f(uv): what it writes on v tells beginnings
apart, and what it writes on u tells endings apart. An observation table for each (L*, Angluin 1987)
gives the two automata, and f itself the table of outputs; a word on which they are wrong adds its
suffixes to the tests of one table and its prefixes to those of the other (Maler and Pnueli 1995).

Let the two automata have m states together, P a word to each state of the left one and Q one from
each state of the right one, V and U the tests of the two tables. The result agrees with f on all
p u q, p u v and t u q with p in P, q in Q, v in V, t in U and u of at most n - m + 3 symbols, so it
is exact if n states are enough for f (the W-method of Vasilevskii 1973 and Chow 1978, for both
automata; it is meant for n - m small).
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from lengthwise.errors import LanguageError, in_a_line
from lengthwise.languages.functions.function import Function
from lengthwise.languages.minimise import Table
from lengthwise.languages.validation import check_alphabet, short
from lengthwise.messages import format_count

Word = tuple[int, ...]

MAX_STATES = 100
"""Largest number of states, of both automata together, that can be asked for."""

MAX_TESTS = 200_000
"""Largest number of words of the test."""

_RANDOM_WORDS = 500

_REPEATED = 20
"""Lengths of words that are asked twice."""

_SHOWN = 4
"""Beginnings or endings that a message shows."""

Side = Literal["beginnings", "endings"]
_OTHER: Mapping[Side, Side] = {"beginnings": "endings", "endings": "beginnings"}


def learn_function(
    function: Callable[[str], Any], alphabet: Sequence[str], *, max_states: int, seed: int = 0
) -> Function:
    """Learn the smallest bimachine of a function, exact if `max_states` are enough for it.

    `function` takes a word as it is written and returns one of as many symbols, as a string or,
    where symbols have several characters, a list. `max_states` bounds the states of both automata
    together; a sequential function of n states has n + 1. 500 random words are asked besides.

    >>> learn_function(lambda word: word[::-1], "ab", max_states=6)
    Traceback (most recent call last):
    ...
    lengthwise.errors.LanguageError: the function needs more than max_states=6 states, both \
automata together: there are 7 beginnings (such as 'aa', 'ab', 'ba', 'bb') and 1 ending ('') no \
two of which act alike. Allow more, or check that what it writes at a place depends on finitely \
much of what is before and after.

    Raises:
        LanguageError: the function needs more states, and the message has inputs that show it; or
            it fails, or writes another number of symbols, or another output the second time; or the
            test takes more than `MAX_TESTS` words.
    """
    symbols = tuple(alphabet)
    check_alphabet(symbols)
    if type(max_states) is not int or not 2 <= max_states <= MAX_STATES:
        raise LanguageError(
            f"max_states is an integer from 2 to {MAX_STATES}, but it is {short(max_states)}. "
            f"Count the states of both automata; one that is not needed has 1."
        )
    learner = _Learner(function, symbols, max_states)
    generator = random.Random(seed)
    learner.require_repeatable(generator)
    while (word := learner.find_wrong(made := learner.hypothesis(), generator)) is not None:
        learner.learn_from(word)
    return made


class _Learner:
    def __init__(
        self, function: Callable[[str], Any], alphabet: tuple[str, ...], max_states: int
    ) -> None:
        self._function, self._alphabet, self._max_states = function, alphabet, max_states
        self._joint = " " if max(map(len, alphabet)) > 1 else ""
        self._known: dict[Word, tuple[str, ...]] = {}
        # One of each symbol: what f writes on a symbol before any ending, and after any beginning.
        self.suffixes: list[Word] = [(x,) for x in range(len(alphabet))]
        self.prefixes: list[Word] = [(x,) for x in range(len(alphabet))]
        self._lefts: list[Word] = []
        """A word to each state of the left automaton, and to each of the right one below."""
        self._rights: list[Word] = []
        self._left: Table = ()
        self._right: Table = ()

    def ask(self, word: Word) -> tuple[str, ...]:
        """Return the output symbols of an input."""
        if word not in self._known:
            self._known[word] = self._call(word)
        return self._known[word]

    def _call(self, word: Word) -> tuple[str, ...]:
        text = self._text(word)
        try:
            output = self._function(text)
        except (Exception, SystemExit) as error:
            raise LanguageError(
                f"the function fails on the input {short(text)} ({in_a_line(error)}). Fix it: it "
                f"has to accept any input."
            ) from error
        parts = output.split() if isinstance(output, str) and " " in output else output
        written = tuple(parts) if isinstance(parts, str | list | tuple) else ()
        if len(written) != len(word) or any(
            not isinstance(symbol, str) or symbol.split() != [symbol] for symbol in written
        ):
            raise LanguageError(
                f"a function writes a symbol for each symbol, but this one writes {short(output)} "
                f"for {short(text)}. Return a string of that length, or a list of symbols."
            )
        return written

    def require_repeatable(self, generator: random.Random) -> None:
        """Refuse a function that writes something else the second time."""
        for length in range(_REPEATED):
            word = tuple(generator.choices(self._symbols, k=length))
            if self.ask(word) != (again := self._call(word)):
                raise LanguageError(
                    f"a function gives an input one output, but this one writes "
                    f"{' '.join(again)!r:.40} for {short(self._text(word))} the second time. "
                    f"Remove what is random or remembered."
                )

    def hypothesis(self) -> Function:
        """Return the bimachine of the two tables."""
        self._left, self._lefts = self._automaton("beginnings")
        self._right, self._rights = self._automaton("endings")
        cells = [
            [[self.ask((*p, x, *q))[len(p)] for q in self._rights] for x in self._symbols]
            for p in self._lefts
        ]
        outputs = sorted({cell for rows in cells for row in rows for cell in row})
        number = {symbol: index for index, symbol in enumerate(outputs)}
        return Function(
            alphabet=self._alphabet,
            outputs=tuple(outputs),
            left=self._left,
            right=self._right,
            table=tuple(
                tuple(tuple(number[cell] for cell in row) for row in rows) for rows in cells
            ),
        )

    @property
    def _symbols(self) -> range:
        return range(len(self._alphabet))

    def _look(self, word: Word, side: Side) -> tuple[tuple[str, ...], ...]:
        """Return what tells a beginning, or an ending, apart from others."""
        if side == "beginnings":
            return tuple(self.ask(word + suffix)[len(word) :] for suffix in self.suffixes)
        return tuple(self.ask(prefix + word)[: len(prefix)] for prefix in self.prefixes)

    def _automaton(self, side: Side) -> tuple[Table, list[Word]]:
        """Return the automaton of the words that tests tell apart, and a word to each state."""
        index = {self._look((), side): 0}
        words, rows = list[Word]([()]), list[tuple[int, ...]]()
        for word in words:
            row = []
            for x in self._symbols:
                longer = (*word, x) if side == "beginnings" else (x, *word)
                known = self._look(longer, side)
                if known not in index:
                    index[known] = len(words)
                    words.append(longer)
                row.append(index[known])
            rows.append(tuple(row))
            if len(words) >= self._max_states:
                others = self._rights if side == "beginnings" else self._lefts
                raise self._too_many({side: words, _OTHER[side]: others or [()]})
        return tuple(rows), words

    def _too_many(self, words: Mapping[Side, Sequence[Word]]) -> LanguageError:
        """Return the error for words of each side, no two of which lead to one state."""
        counts = " and ".join(map(self._count, words, words.values()))
        return LanguageError(
            f"the function needs more than max_states={self._max_states} states, both automata "
            f"together: there are {counts} no two of which act alike. Allow more, or check that "
            f"what it writes at a place depends on finitely much of what is before and after."
        )

    def _count(self, side: Side, words: Sequence[Word]) -> str:
        """Return a number of beginnings or endings, with some of them."""
        shown = ", ".join(repr(self._text(word)) for word in words[-_SHOWN:])
        listed = f"({shown})" if len(words) <= _SHOWN else f"(such as {shown})"
        return f"{format_count(len(words), side.removesuffix('s'))} {listed}"

    def learn_from(self, word: Word) -> None:
        """Add tests from a word on which the last hypothesis is wrong."""
        right = self.ask(word)
        for place in range(len(word)):
            state, after = _run(self._left, word[:place]), _run(self._right, word[:place:-1])
            begin, end = self._lefts[state], self._rights[after]
            if self.ask((*begin, word[place], *end))[len(begin)] != right[place]:
                break
        for each in (word, (*begin, *word[place:])):
            self.suffixes += [s for i in range(len(each)) if (s := each[i:]) not in self.suffixes]
            self.prefixes += [
                p for i in range(1, len(each) + 1) if (p := each[:i]) not in self.prefixes
            ]

    def find_wrong(self, made: Function, generator: random.Random) -> Word | None:
        """Return a word on which a hypothesis is wrong; None if it is exact to the bound.

        Raises:
            LanguageError: that takes too many words.
        """
        spare = self._max_states - len(made.left) - len(made.right)
        if spare < 0:
            raise self._too_many({"beginnings": self._lefts, "endings": self._rights})
        return next(
            (w for w in self._tests(made, spare, generator) if self._is_wrong(made, w)), None
        )

    def _is_wrong(self, made: Function, word: Word) -> bool:
        return tuple(made.outputs[y] for y in made.run(word)) != self.ask(word)

    def _tests(self, made: Function, spare: int, generator: random.Random) -> Iterator[Word]:
        longest = 3 * self._max_states + 10
        for _ in range(_RANDOM_WORDS):
            length = generator.randint(0, longest)
            word = tuple(generator.choices(self._symbols, k=length))
            yield word
        ends = {*self._rights, *self.suffixes}
        begins = {*self._lefts, *self.prefixes}
        together = [(b, self._rights) for b in begins] + [(b, [*ends]) for b in self._lefts]
        per_middle = sum(len(endings) for _, endings in together)
        count = per_middle * sum(len(self._alphabet) ** k for k in range(spare + 4))
        if count > MAX_TESTS:
            raise LanguageError(
                f"the function shows {len(made.left)} and {len(made.right)} states, but to be sure "
                f"that there are no others, up to max_states={self._max_states}, takes {count:,} "
                f"words, more than {MAX_TESTS:,}. Ask for max_states={self._max_states - 1} or "
                f"less, if it has no more."
            )
        for length in range(spare + 4):
            for middle in itertools.product(self._symbols, repeat=length):
                for begin, endings in together:
                    for end in endings:
                        yield (*begin, *middle, *end)

    def _text(self, word: Word) -> str:
        return self._joint.join(self._alphabet[x] for x in word)


def _run(automaton: Table, word: Word) -> int:
    state = 0
    for x in word:
        state = automaton[state][x]
    return state
