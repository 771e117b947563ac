"""The expression of an automaton has its words, for our own reader and for Python's."""

import doctest
import re

import pytest
from hypothesis import given, settings

from lengthwise.errors import LanguageError
from lengthwise.languages import elimination
from lengthwise.languages.elimination import to_regex
from lengthwise.languages.language import Language
from lengthwise.languages.regex import from_regex
from lengthwise.languages.spec import parse
from strategies import minimal_automaton, recognisers, texts


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(elimination).failed == 0


@settings(max_examples=40)
@given(recognisers(alphabet="ab-"))
def test_it_is_read_back(language: Language) -> None:
    text = to_regex(language)
    assert from_regex(text, language.alphabet).difference(language) is None
    pattern = re.compile(text)
    for word in texts("ab-", 4):
        assert bool(pattern.fullmatch(word)) == (language.classify(word) == 1)


@pytest.mark.parametrize("seed", range(4))
def test_more_states(seed: int) -> None:
    language = minimal_automaton(seed)
    assert from_regex(to_regex(language), language.alphabet).difference(language) is None


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("tomita-1", "1*"),
        ("tomita-2", "(10)*"),
        ("tomita-7", "0*(1+0+)?1*"),
        ("d-3", "(0(0(01)*1)*1)*"),
        ("regex:login(a|b)*logout", "login[ab]*logout"),
        ("regex:[a-z]+@[a-z]+", "[a-z]+@[a-z]+"),
        ("ltlf:G (a -> F b)", "(a*b)*"),
        ("regex[ab]:()", "()"),
    ],
)
def test_known_languages_are_short(spec: str, text: str) -> None:
    assert to_regex(parse(spec)) == text


def test_no_word() -> None:
    language = Language(alphabet=("a", "b"), transitions=((0, 0),), classes=(0,))
    assert to_regex(language) == "[^ab]"
    assert from_regex("[^ab]") == language


def test_what_has_no_expression_is_refused() -> None:
    for spec in ("cycle-navigation", "group:S3"):
        with pytest.raises(LanguageError, match="classes 0 and 1, no domain"):
            to_regex(parse(spec))
    states = 40
    rows = tuple(
        tuple((s * m + 1 + a) % states for a, m in enumerate((3, 7, 11))) for s in range(states)
    )
    many = Language(alphabet=tuple("abc"), transitions=rows, classes=(1, *[0] * (states - 1)))
    with pytest.raises(LanguageError, match="more than 5,000 symbols"):
        to_regex(many)
