"""The smallest automaton of a Python function on words, learned by queries and tested to a bound.

L* (Angluin, 1987; counterexamples as in Rivest and Schapire, 1993) learns the automaton: two words
lead to one state if no suffix distinguishes them (Myhill and Nerode). The W-method (Vasilevskii,
1973; Chow, 1978) tests it: let the hypothesis have m states, P a word to each of them, and W a set
of suffixes that distinguishes them. If the function has an automaton of at most n states, and
agrees with the hypothesis on all words

    p u w,    p in P,  u of at most n - m + 1 symbols,  w in W,

then it agrees on every word.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lengthwise.errors import LanguageError, in_a_line
from lengthwise.languages.language import Language
from lengthwise.languages.validation import check_alphabet, short
from lengthwise.messages import format_count

Word = tuple[int, ...]
Classify = Callable[[str], Any]

MAX_STATES = 500
"""Largest number of states that can be asked for."""

MAX_TESTS = 500_000
"""Largest number of words p u w of the test with u of two symbols or more."""

MAX_QUESTIONS = 1_000_000
"""Largest number of words that learning asks, besides those of the test."""

_FEWEST_TESTS = 20_000
"""Number of words p u w that are tested even if the bound needs fewer."""

_RANDOM_WORDS = 1_000
_LONGEST = 300


def from_function(
    classify: Classify, alphabet: Sequence[str], *, max_states: int, seed: int = 0
) -> Language:
    """Learn the smallest automaton of a function, exact if `max_states` states are enough for it.

    `classify` takes a word as it is written (`0110`, or `s1 s2` if a symbol has several characters)
    and returns its class: a truth value, or an integer from 0 to `max_states` - 1 (an automaton
    with that many states has no more classes).

    The result is exact if some automaton of at most `max_states` states computes the function: the
    test to that bound (see above) is always finished. A function that needs more states is refused
    if that shows in the test, on 20,000 words like those of the test, or on 2,000 random words,
    drawn with `seed`: 1,000 of up to 3 `max_states` + 10 symbols (at most 300), and 1,000 that lead
    to a state, continue at random, and end with a suffix that distinguishes states. If it does not
    show, the result is wrong on other words.

    >>> language = from_function(lambda word: word.count("1") % 3, "01", max_states=4)
    >>> language.num_states, language.classify("11011")
    (3, 1)

    Raises:
        LanguageError: the function needs more than `max_states` states; or the test takes more than
            `MAX_TESTS` words, and the message has the largest bound that can be tested; or learning
            takes more than `MAX_QUESTIONS`; or the function fails, answers a word in two ways, or
            returns something that is not a class; or the alphabet or `max_states` is wrong.
    """
    symbols = tuple(alphabet)
    check_alphabet(symbols)
    if type(max_states) is not int or not 1 <= max_states <= MAX_STATES:
        raise LanguageError(
            f"max_states is an integer from 1 to {MAX_STATES}, but it is {short(max_states)}. "
            f"Give the most states that the function can need."
        )
    search = _Search(classify, symbols, max_states)
    generator = random.Random(seed)
    longest = 3 * max_states + 10
    doubtful = [_draw_word(len(symbols), longest, generator) for _ in range(_RANDOM_WORDS)]
    search.require_repeatable(doubtful)
    hypothesis = search.hypothesis()
    while doubtful:
        for word in doubtful:
            while hypothesis.classes[hypothesis.run(word)] != search.ask(word):
                hypothesis = search.learn_from(word, hypothesis)
        doubtful = search.counterexamples(hypothesis, generator)
    return hypothesis.minimise()


class _Search:
    """Observation table of L*: states are words that the suffixes distinguish."""

    def __init__(self, classify: Classify, alphabet: tuple[str, ...], max_states: int) -> None:
        self._classify = classify
        self._alphabet = alphabet
        self._max_states = max_states
        self._separator = " " if any(len(symbol) > 1 for symbol in alphabet) else ""
        self._answers: dict[Word, int] = {}
        self._suffixes: list[Word] = [()]
        self._access: list[Word] = [()]
        """A word to each state of the last hypothesis."""
        self._blocks: dict[Word, tuple[int, int]] = {}
        """Number of the answers to a word with the first suffixes, and how many these are."""
        self._numbers: dict[tuple[int, int], int] = {}

    def ask(self, word: Word) -> int:
        """Return the class of a word; the function is called once for each word."""
        if word not in self._answers:
            if len(self._answers) == MAX_QUESTIONS:
                raise LanguageError(
                    f"at most {MAX_QUESTIONS:,} words are asked to find the states of a function, "
                    f"but this one has shown {format_count(len(self._access), 'state')} by then, "
                    f"and is not done. Use fewer symbols or states."
                )
            self._answers[word] = self._call(word)
        return self._answers[word]

    def _call(self, word: Word) -> int:
        text = self._text(word)
        try:
            answer: object = self._classify(text)
        except (Exception, SystemExit) as error:
            raise LanguageError(
                f"the function fails on the word {short(text)} ({in_a_line(error)}). Fix it: it "
                f"has to accept any word, including the empty one."
            ) from error
        largest = max(self._max_states - 1, 1)  # a truth value is always a class
        if not isinstance(answer, int | np.integer | np.bool_) or not 0 <= answer <= largest:
            raise LanguageError(
                f"a class is a truth value or an integer from 0 to {largest} (max_states - 1), "
                f"but the function returns {short(answer)} for the word {short(text)}. Number "
                f"the classes 0, 1, 2, ..."
            )
        return int(answer)

    def require_repeatable(self, words: Sequence[Word]) -> None:
        """Refuse a function that answers one of some words in two ways."""
        for word in words:
            first, second = self.ask(word), self._call(word)
            if first != second:
                raise LanguageError(
                    f"a function gives a word one class, but this one returns {first} for "
                    f"{short(self._text(word))}, then {second}. Remove what is random or "
                    f"remembered."
                )

    def learn_from(self, word: Word, wrong: Language) -> Language:
        """Return the next hypothesis, after one that is wrong on a word.

        Reading the word goes wrong at some symbol: the suffix after it distinguishes the word to
        the next state from the word so far, so it splits a state. It is found by bisection.
        """

        def answer(symbols: int) -> int:
            state = wrong.run(word[:symbols])
            return self.ask(self._access[state] + word[symbols:])

        right, low, high = self.ask(word), 0, len(word)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if answer(middle) == right else (low, middle)
        self._suffixes.append(word[high:])
        return self.hypothesis(word)

    def hypothesis(self, word: Word = ()) -> Language:
        """Return the automaton whose states are the words that the suffixes distinguish.

        Raises:
            LanguageError: it would have too many states; the message names the word that led to it.
        """
        index = {self._block(()): 0}
        words: list[Word] = [()]
        table = []
        for access in words:
            row = []
            for symbol in range(len(self._alphabet)):
                target = self._block((*access, symbol))
                if target not in index:
                    index[target] = len(words)
                    words.append((*access, symbol))
                row.append(index[target])
            table.append(tuple(row))
            if len(words) > self._max_states:
                raise LanguageError(
                    f"the function needs more than max_states={self._max_states} states, as the "
                    f"word {short(self._text(word or words[-1]))} shows. Allow more, or check that "
                    f"the language is regular."
                )
        self._access = words
        return Language(
            alphabet=self._alphabet,
            transitions=tuple(table),
            classes=tuple(self.ask(word) for word in words),
        )

    def counterexamples(self, hypothesis: Language, generator: random.Random) -> list[Word]:
        """Return words on which a hypothesis is wrong; none if it is exact to the bound.

        Raises:
            LanguageError: that takes too many words.
        """
        suffixes = self._distinguishing()
        walks = [
            (
                *generator.choice(self._access),
                *_draw_word(hypothesis.num_symbols, 2 * hypothesis.num_states + 10, generator),
                *generator.choice(suffixes),
            )
            for _ in range(_RANDOM_WORDS)
        ]
        wrong = [
            word for word in walks if hypothesis.classes[hypothesis.run(word)] != self._call(word)
        ]
        if wrong:
            return wrong
        first = next(self._systematic(hypothesis, suffixes), None)
        return [] if first is None else [first]

    def _systematic(self, hypothesis: Language, suffixes: Sequence[Word]) -> Iterator[Word]:
        """Yield the words p u w on which a hypothesis is wrong, by the length of u."""
        spare = self._max_states - hypothesis.num_states
        num_tests = 0
        for length in itertools.count():
            if length > spare + 1 and (num_tests > _FEWEST_TESTS or length > _LONGEST):
                return
            num_tests += len(self._access) * hypothesis.num_symbols**length * len(suffixes)
            if length > spare + 1 and num_tests > MAX_TESTS:
                return
            if length > 1 and num_tests > MAX_TESTS:  # shorter ones are in the table
                raise self._untestable(hypothesis, spare, length - 2, len(suffixes))
            for middle in itertools.product(range(hypothesis.num_symbols), repeat=length):
                for access in self._access:
                    state = hypothesis.run((*access, *middle))
                    for suffix in suffixes:
                        word = (*access, *middle, *suffix)
                        if hypothesis.classes[hypothesis.run(suffix, state)] != self._call(word):
                            yield word

    def _untestable(
        self, hypothesis: Language, spare: int, more: int, per_state: int
    ) -> LanguageError:
        """Return the error for a bound that is too far above the states that were found."""
        states = hypothesis.num_states
        return LanguageError(
            f"the function shows {format_count(states, 'state')}, but to be sure that there are no "
            f"others, up to max_states={self._max_states}, takes {states * per_state:,} times "
            f"{hypothesis.num_symbols}^{spare + 1} words, more than {MAX_TESTS:,}. Ask for "
            f"max_states={states + more}, if it has no more."
        )

    def _distinguishing(self) -> list[Word]:
        """Return suffixes, among them the empty one, that distinguish all states."""
        suffixes: list[Word] = []
        blocks = [0] * len(self._access)
        count = 0
        for suffix in sorted(self._suffixes, key=len):
            numbers: dict[tuple[int, int], int] = {}
            finer = [
                numbers.setdefault((block, self.ask(word + suffix)), len(numbers))
                for word, block in zip(self._access, blocks, strict=True)
            ]
            if len(numbers) > count:
                suffixes.append(suffix)
                blocks, count = finer, len(numbers)
        return suffixes

    def _block(self, word: Word) -> int:
        """Return a number that two words share if no suffix distinguishes them."""
        block, known = self._blocks.get(word, (0, 0))
        for suffix in self._suffixes[known:]:
            block = self._numbers.setdefault(
                (block, self.ask(word + suffix)), len(self._numbers) + 1
            )
        self._blocks[word] = block, len(self._suffixes)
        return block

    def _text(self, word: Word) -> str:
        return self._separator.join(self._alphabet[symbol] for symbol in word)


def _draw_word(num_symbols: int, longest: int, generator: random.Random) -> Word:
    """Return a random word of a random length."""
    length = generator.randint(0, min(longest, _LONGEST))
    return tuple(generator.choices(range(num_symbols), k=length))
