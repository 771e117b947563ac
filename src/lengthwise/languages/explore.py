"""Inference of the minimal automaton of a Python function on words, by queries as in L*.

Two words lead to one state if no suffix distinguishes them (Myhill and Nerode); the necessary
suffixes are found from counterexamples.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.languages.validation import short

Word = tuple[int, ...]

_MOST_CHECKED = 20_000
"""Approximate number of words checked where `check_length` is not given."""

_RANDOM_WORDS = 1_000


def from_function(
    classify: Callable[[str], int],
    alphabet: Sequence[str],
    *,
    max_states: int = 1_000,
    check_length: int | None = None,
    seed: int = 0,
) -> Language:
    """Find the smallest automaton that agrees with `classify` on all words that were checked.

    `classify` takes a word as it is written (`0110`, or `s1 s2` if a symbol has several characters)
    and returns its class: a truth value, or an integer from 0 to `max_states` - 1 (an automaton
    with that many states has no more classes).

    *All* words of at most `check_length` symbols are checked (by default a length with about 20,000
    words), and 1,000 longer random words drawn with `seed`; the result agrees on each of them. Two
    automata of m and n states that differ do so on a word of at most m + n - 2 symbols. So a result
    with m states is exact whenever the function has an automaton of at most `check_length` + 2 - m
    states. Nothing is guaranteed beyond that.

    >>> language = from_function(lambda word: word.count("1") % 3, "01")
    >>> language.num_states, language.classify("11011")
    (3, 1)

    Raises:
        LanguageError: there are more than `max_states` states (the function may not be regular), or
            a class is no truth value and no integer from 0 to `max_states` - 1.
    """
    search = _Search(classify, tuple(alphabet), max_states)
    if check_length is None:
        check_length = _affordable_length(len(alphabet))
    found = search.hypothesis()
    before = None
    while found != before:
        before = found
        for word in _words_to_check(len(alphabet), check_length, random.Random(seed)):
            if found.classes[found.run(word)] != search.ask(word):
                search.learn_from(word)
                found = search.hypothesis()
    return found.minimised()


class _Search:
    """Observation table of L*: states are words that the suffixes distinguish."""

    def __init__(
        self, classify: Callable[[str], int], alphabet: tuple[str, ...], max_states: int
    ) -> None:
        self._classify = classify
        self._alphabet = alphabet
        self._max_states = max_states
        self._separator = " " if any(len(symbol) > 1 for symbol in alphabet) else ""
        self._answers: dict[Word, int] = {}
        self._suffixes: dict[Word, None] = {(): None}

    def ask(self, word: Word) -> int:
        """Return the class of a word; the function is called once for each word."""
        if word not in self._answers:
            text = self._separator.join(self._alphabet[symbol] for symbol in word)
            answer = self._classify(text)
            largest = max(self._max_states - 1, 1)  # a truth value is always a class
            if not isinstance(answer, int) or not 0 <= answer <= largest:
                raise LanguageError(
                    f"a class is a truth value or an integer from 0 to {largest} (max_states - 1), "
                    f"but the function says {short(answer)} of the word {short(text)}. Number "
                    f"the classes 0, 1, 2, ..."
                )
            self._answers[word] = int(answer)
        return self._answers[word]

    def learn_from(self, word: Word) -> None:
        """Add all suffixes of a counterexample, some of which split a state.

        The next hypothesis is right on this word: if reading it goes wrong at some symbol, the
        suffix after that symbol distinguishes two words of one state.
        """
        for start in range(len(word)):
            self._suffixes[word[start:]] = None

    def hypothesis(self) -> Language:
        """Return the automaton whose states are the words that the suffixes distinguish."""
        index = {self._row(()): 0}
        words: list[Word] = [()]
        rows = []
        for access in words:
            row = []
            for symbol in range(len(self._alphabet)):
                target = self._row((*access, symbol))
                if target not in index:
                    index[target] = len(words)
                    words.append((*access, symbol))
                row.append(index[target])
            rows.append(tuple(row))
            if len(words) > self._max_states:
                raise LanguageError(
                    f"at most {self._max_states} states are explored, but the function needs more. "
                    f"Raise max_states, or check that the language is regular."
                )
        return Language(
            alphabet=self._alphabet,
            transitions=tuple(rows),
            classes=tuple(self.ask(word) for word in words),
        )

    def _row(self, word: Word) -> tuple[int, ...]:
        return tuple(self.ask(word + suffix) for suffix in self._suffixes)


def _affordable_length(num_symbols: int) -> int:
    """Return the largest length, at most 200, up to which there are about 20,000 words or fewer."""
    words, length = 1, 0
    while length < 200 and words + num_symbols ** (length + 1) <= _MOST_CHECKED:
        length += 1
        words += num_symbols**length
    return max(length, 1)


def _words_to_check(num_symbols: int, length: int, generator: random.Random) -> Iterator[Word]:
    for shorter in range(length + 1):
        yield from itertools.product(range(num_symbols), repeat=shorter)
    for _ in range(_RANDOM_WORDS):
        longer = generator.randint(length + 1, 3 * length + 10)
        yield tuple(generator.choices(range(num_symbols), k=longer))
