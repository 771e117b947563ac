from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.languages.language import Language
from strategies import all_words, class_of, machines, machines_with_domain, words

LENGTH = 6


@given(st.one_of(machines(max_states=9), machines_with_domain()))
def test_minimising_changes_no_word(language: Language) -> None:
    small = language.minimise()
    for word in all_words(language, LENGTH):
        assert class_of(small, word) == class_of(language, word)


@given(machines(max_states=9))
def test_a_minimal_machine_has_no_state_too_many(language: Language) -> None:
    """The oracle: mark pairs of states as different until no pair is left to mark."""
    small = language.minimise()
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
    assert shuffled.minimise() == language.minimise()


@given(machines_with_domain(), st.data())
def test_a_word_outside_the_domain_is_refused(language: Language, data: st.DataObject) -> None:
    word = data.draw(words(language))
    if class_of(language, word) == "outside":
        with pytest.raises(WordError, match=r"cannot occur there|stops too early"):
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


@pytest.mark.parametrize("word", [3, None, 1.5])
def test_what_is_no_word_is_refused_in_a_line(word: Any) -> None:
    with pytest.raises(WordError, match="a word is a string such as '0', or a list"):
        PARITY.classify(word)
