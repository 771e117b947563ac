from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from strategies import all_words, class_of, machines, machines_with_domain, recognisers, words

LENGTH = 6

PARITY = Language(alphabet=("0", "1"), transitions=((0, 1), (1, 0)), classes=(0, 1))


@given(st.one_of(machines(), machines_with_domain()), st.one_of(machines(), machines_with_domain()))
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
    assert bounded.minimise().classify(()) == 0


@given(st.one_of(machines(), machines_with_domain()))
def test_counts_are_those_of_all_words(language: Language) -> None:
    for length in range(LENGTH):
        found = Counter(
            class_of(language, word) for word in product(range(language.num_symbols), repeat=length)
        )
        assert language.counts(length) == tuple(found[name] for name in language.class_names)


@given(st.one_of(machines(), machines_with_domain()))
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


def test_what_is_no_length_has_no_counts() -> None:
    for length in (-1, 1.5, "a", True):
        with pytest.raises(LanguageError, match="length is an integer of 0 or more, but got"):
            PARITY.counts(length)  # type: ignore[arg-type]


def test_a_class_of_the_ladder_that_there_is_not_is_told() -> None:
    with pytest.raises(LanguageError, match="Did you mean 'star_free'"):
        PARITY.ladder()["starfree"]
    assert "star_free" in list(PARITY.ladder())


def test_boolean_operations_take_languages_alone() -> None:
    other: Any = "tomita-3"
    for operation in (PARITY.__and__, PARITY.__or__, PARITY.__xor__, PARITY.__sub__):
        with pytest.raises(LanguageError, match=r"takes two Languages, but one of them is a str"):
            operation(other)
