from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError, WordError
from lengthwise.languages.language import Language
from strategies import all_words, domained, machines, recognisers, words

LENGTH = 6


def class_of(language: Language, word: tuple[int, ...]) -> str:
    """The oracle: step by step, `outside` for a word outside the domain."""
    if language.domain is not None and class_of(language.domain, word) != "1":
        return "outside"
    state = language.start
    for symbol in word:
        state = language.transitions[state][symbol]
    return language.class_names[language.classes[state]]


@given(st.one_of(machines(max_states=9), domained()))
def test_minimising_changes_no_word(language: Language) -> None:
    small = language.minimised()
    for word in all_words(language, LENGTH):
        assert class_of(small, word) == class_of(language, word)


@given(machines(max_states=9))
def test_a_minimal_machine_has_no_state_too_many(language: Language) -> None:
    """The oracle: mark pairs of states as different until no pair is left to mark."""
    small = language.minimised()
    states = range(small.num_states)
    different = {
        (s, t) for s, t in product(states, repeat=2) if small.classes[s] != small.classes[t]
    }
    for _ in states:
        rows = small.transitions
        different |= {
            (s, t)
            for s, t in product(states, repeat=2)
            if any(pair in different for pair in zip(rows[s], rows[t], strict=True))
        }
    assert len(different) == small.num_states * (small.num_states - 1)
    assert small.reachable() == list(states)


@given(machines(max_states=9), st.randoms())
def test_minimal_machines_do_not_depend_on_the_numbering(
    language: Language, random: Random
) -> None:
    order = list(range(language.num_states))
    random.shuffle(order)
    place = {state: i for i, state in enumerate(order)}
    shuffled = Language(
        alphabet=language.alphabet,
        transitions=tuple(tuple(place[t] for t in language.transitions[s]) for s in order),
        classes=tuple(language.classes[s] for s in order),
        start=place[language.start],
        class_names=language.class_names,
    )
    assert shuffled.minimised() == language.minimised()


@given(st.one_of(machines(), domained()), st.one_of(machines(), domained()))
def test_difference_is_the_first_word_on_which_two_languages_differ(
    left: Language, right: Language
) -> None:
    found = left.difference(right)
    differing = (w for w in all_words(left, LENGTH) if class_of(left, w) != class_of(right, w))
    expected = next(differing, None)
    if expected is not None or (found is not None and len(found) <= LENGTH):
        assert found == expected


@pytest.mark.parametrize("names", [("in", "outside"), ("outside", "outside_")])
def test_a_class_may_be_called_as_words_outside_the_domain_are(names: tuple[str, str]) -> None:
    """The words of two symbols with an even number of the first, and of the second, of two."""
    evens = Language(
        alphabet=("a", "b"), transitions=((1, 0), (0, 1)), classes=(0, 1), class_names=names
    )
    inside = replace(evens, class_names=("0", "1"), classes=(1, 0))
    bounded = replace(evens, domain=inside)
    assert len(set(bounded.total().class_names)) == 3
    assert bounded.difference(evens) == evens.difference(bounded) == (0,)
    assert bounded.difference(bounded) is None
    assert bounded.minimised().classify(()) == 0


@given(st.one_of(machines(), domained()))
def test_counts_are_those_of_all_words(language: Language) -> None:
    for length in range(LENGTH):
        found = Counter(
            class_of(language, word) for word in product(range(language.num_symbols), repeat=length)
        )
        assert language.counts(length) == tuple(found[name] for name in language.class_names)


@given(st.one_of(machines(), domained()))
def test_words_come_in_length_order_and_none_is_left_out(language: Language) -> None:
    inside = [w for w in all_words(language, LENGTH) if class_of(language, w) != "outside"]
    assert list(language.words(max_length=LENGTH)) == inside
    of_class_1 = [w for w in inside if class_of(language, w) == "1"]
    assert list(language.words(max_length=LENGTH, only=1)) == of_class_1


def test_words_of_any_length_are_found() -> None:
    once = Language(alphabet=("a",), transitions=((1,), (0,)), classes=(0, 1))
    *_, longest = once.words(max_length=2_001, only=1)
    assert longest == (0,) * 2_001


@given(recognisers(), recognisers(), st.data())
def test_boolean_operations_are_those_of_the_words(
    left: Language, right: Language, data: st.DataObject
) -> None:
    word = data.draw(words(left))
    a, b = word in left, word in right
    assert (word in ~left) is not a
    assert (word in (left & right)) is (a and b)
    assert (word in (left | right)) is (a or b)
    assert (word in (left ^ right)) is (a != b)
    assert (word in (left - right)) is (a and not b)


@given(domained(), st.data())
def test_a_word_outside_the_domain_is_refused(language: Language, data: st.DataObject) -> None:
    word = data.draw(words(language))
    if class_of(language, word) == "outside":
        with pytest.raises(WordError, match=r"cannot stand there|stops too early"):
            language.classify(word)
    else:
        assert language.class_names[language.classify(word)] == class_of(language, word)


@given(machines(alphabet="abc"), st.data())
def test_decode_and_encode_are_inverse(language: Language, data: st.DataObject) -> None:
    word = data.draw(words(language))
    assert language.encode(language.decode(word)) == word
    spaced = Language(
        alphabet=("a", "bb", "c"), transitions=language.transitions, classes=language.classes
    )
    assert spaced.encode(spaced.decode(word)) == word


def test_a_foreign_symbol_is_named_with_its_column() -> None:
    language = Language(alphabet=("a", "bb"), transitions=((0, 0),), classes=(0,))
    with pytest.raises(WordError, match="column 6: symbol 'x'"):
        language.encode("a bb x a")


PARITY = Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1))
ALL_WORDS = Language(alphabet=("0", "1"), transitions=((0, 0),), classes=(1,))


@pytest.mark.parametrize("language", [PARITY, replace(PARITY, domain=ALL_WORDS)])
@pytest.mark.parametrize(
    ("word", "message"),
    [
        ((0, -1), r"integers from 0 to 1, but its symbol 2 is -1 \(int\)"),
        ((2,), r"symbol 1 is 2 \(int\)"),
        ([1, 10**9], r"symbol 2 is 1000000000 \(int\)"),
        ((1, 1, True), r"symbol 3 is True \(bool\)"),
        ((1.0,), r"symbol 1 is 1.0 \(float\)"),
        (("0", "1"), r"symbol 1 is '0' \(str\). Write the word as text"),
    ],
)
def test_an_encoded_word_that_is_none_is_refused(
    language: Language, word: tuple[int, ...], message: str
) -> None:
    for use in (
        language.classify,
        language.require_in_domain,
        language.decode,
        language.__contains__,
    ):
        with pytest.raises(WordError, match=message) as caught:
            use(word)
        assert "\n" not in str(caught.value)


def test_what_is_no_length_has_no_counts() -> None:
    for length in (-1, 1.5, "a", True):
        with pytest.raises(LanguageError, match="length is a whole number of 0 or more, but got"):
            PARITY.counts(length)  # type: ignore[arg-type]


def test_a_class_of_the_ladder_that_there_is_not_is_told() -> None:
    with pytest.raises(LanguageError, match="Did you mean 'star_free'"):
        PARITY.ladder()["starfree"]
    assert "star_free" in list(PARITY.ladder())


@pytest.mark.parametrize("word", [3, None, 1.5])
def test_what_is_no_word_is_refused_in_a_line(word: Any) -> None:
    with pytest.raises(WordError, match="a word is a text such as '0', or a list of numbers"):
        PARITY.classify(word)


def test_boolean_operations_take_languages_alone() -> None:
    other: Any = "tomita-3"
    for operation in (PARITY.__and__, PARITY.__or__, PARITY.__xor__, PARITY.__sub__):
        with pytest.raises(LanguageError, match=r"takes two Languages, but one of them is a str"):
            operation(other)
