import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from lengthwise.errors import LanguageError
from lengthwise.languages import function_learning
from lengthwise.languages.function_learning import from_function
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from strategies import machines


@pytest.mark.parametrize("spare", [0, 2])
@given(language=machines(max_states=5))
def test_the_machine_behind_a_function_is_found(spare: int, language: Language) -> None:
    bound = max(language.minimise().num_states, language.num_classes) + spare
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function_learning, "_RANDOM_WORDS", 20)
        patch.setattr(function_learning, "_FEWEST_TESTS", 0)
        found = from_function(language.classify, "ab", max_states=bound)
    assert found.difference(language) is None
    assert found.num_states == language.minimise().num_states


@pytest.mark.parametrize("spare", [0, 2])
@given(language=machines(max_states=5))
def test_the_systematic_test_alone_is_enough(spare: int, language: Language) -> None:
    """As if random words, and those beyond the bound, showed nothing."""
    bound = max(language.minimise().num_states, language.num_classes) + spare
    search = function_learning._Search(language.classify, ("a", "b"), bound)
    found = search.hypothesis()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(function_learning, "_FEWEST_TESTS", 0)
        while wrong := next(search._systematic(found, search._distinguishing()), None):
            found = search.learn_from(wrong, found)
    assert found.difference(language) is None


@pytest.mark.parametrize(
    ("function", "alphabet", "expression"),
    [
        (lambda w: "000" not in w, "01", "(1|01|001)*0{0,2}"),
        (lambda w: w[:1] == "1", "01", "1(0|1)*"),
        (lambda w: "1" * 9 in w, "01", "(0|1)*1{9}(0|1)*"),
        (lambda w: len(w) % 3 == 0, "abc", "((a|b|c){3})*"),
    ],
)
def test_a_function_and_an_expression_agree(
    function: Callable[[str], bool], alphabet: str, expression: str
) -> None:
    assert from_function(function, alphabet, max_states=10) == from_regex(expression, alphabet)


def test_a_state_that_random_words_do_not_reach_is_found_by_the_bound_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A single word is in the language: no random word is near it, but all words are tested."""
    secret = "1001101011"
    assert from_function(lambda w: w == secret, "01", max_states=12).num_states == 12
    monkeypatch.setattr(function_learning, "MAX_TESTS", 20_000)
    with pytest.raises(LanguageError, match=r"shows 1 state, .* takes 1 times 2\^23 words") as told:
        from_function(lambda w: w == secret * 2, "01", max_states=23)
    assert "Ask for max_states=13, if it has no more." in str(told.value)
    assert from_function(lambda w: w == secret * 2, "01", max_states=13).num_states == 1


def test_many_states_are_found() -> None:
    assert from_function(lambda w: w.count("a") % 60 == 0, "a", max_states=60).num_states == 60
    found = from_function(lambda w: int("0" + w, 2) % 31 == 0, "01", max_states=31)
    assert found.num_states == 31
    assert found.classify(f"{31 * 12345:b}") == 1


def test_symbols_of_several_characters_are_written_with_spaces() -> None:
    found = from_function(lambda w: w.split(" ").count("up") % 2, ["up", "down"], max_states=2)
    assert found.classify("up down up up") == 1
    assert found.num_states == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda w: w.count("0") == w.count("1"),
        lambda w: w == w[::-1],
        lambda w: len(w) in {n * n for n in range(30)},
    ],
    ids=["equal", "palindrome", "square"],
)
@pytest.mark.parametrize("bound", [1, 2, 10, 40])
def test_a_function_that_is_not_regular_is_refused_with_a_word(
    function: Callable[[str], bool], bound: int
) -> None:
    told = rf"needs more than max_states={bound} states, as the word '[01]*('|\.\.\.) shows\. Allow"
    with pytest.raises(LanguageError, match=told):
        from_function(function, "01", max_states=bound)


def test_a_class_that_is_no_class_is_refused() -> None:
    with pytest.raises(LanguageError, match=r"from 0 to 1 .* returns -1 for the word '"):
        from_function(lambda w: -1, "01", max_states=2)
    with pytest.raises(LanguageError, match=r"returns 0\.5 for the word '"):
        from_function(lambda w: 0.5, "01", max_states=2)
    with pytest.raises(LanguageError, match="returns None for the word '"):
        from_function(lambda w: None, "01", max_states=2)


@pytest.mark.parametrize("answer", [3, 10**9, 10**5000], ids=["3", "10^9", "10^5000"])
def test_a_class_past_the_states_is_refused(answer: int) -> None:
    with pytest.raises(LanguageError, match=r"from 0 to 2 \(max_states - 1\), but") as caught:
        from_function(lambda w: answer, "01", max_states=3)
    assert "\n" not in str(caught.value)


def test_a_function_that_fails_is_told_with_the_word() -> None:
    def failing(word: str) -> bool:
        if word == "ab":
            raise ValueError("no\nluck")
        return False

    with pytest.raises(LanguageError, match=r"fails on the word 'ab' \(ValueError: no\)\."):
        from_function(failing, "ab", max_states=2)


def test_a_function_that_leaves_the_program_is_told_with_the_word() -> None:
    with pytest.raises(LanguageError, match=r"fails on the word '[ab]*' \(SystemExit: 3\)\."):
        from_function(lambda w: sys.exit(3), "ab", max_states=2)


def test_a_function_that_changes_its_answers_is_refused() -> None:
    calls = itertools.count()
    with pytest.raises(LanguageError, match=r"returns 0 for '.*', then 1\. Remove what is random"):
        from_function(lambda w: next(calls) % 2, "ab", max_states=3)


@pytest.mark.parametrize("bound", [0, -1, 501, True, 2.0, "3", None])
def test_a_bound_is_a_whole_number(bound: Any) -> None:
    with pytest.raises(LanguageError, match="max_states is an integer from 1 to 500, but it"):
        from_function(bool, "ab", max_states=bound)


def test_an_alphabet_has_different_symbols() -> None:
    with pytest.raises(LanguageError, match="'a' appears twice"):
        from_function(bool, "aa", max_states=2)
    with pytest.raises(LanguageError, match="needs at least one symbol"):
        from_function(bool, "", max_states=2)


def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(function_learning, "MAX_QUESTIONS", 2_000)
    with pytest.raises(LanguageError, match="at most 2,000 words are asked"):
        from_function(lambda w: int("0" + w, 2) % 101 == 0, "01", max_states=101)


def test_the_largest_classes_are_found() -> None:
    found = from_function(lambda w: len(w) % 3, "a", max_states=3)
    assert found.num_classes == 3
    assert from_function(lambda w: True, "a", max_states=1).classes == (1,)
    assert from_function(lambda w: np.int64(len(w) % 3), "a", max_states=3) == found
    assert from_function(lambda w: np.True_, "a", max_states=1).classes == (1,)
