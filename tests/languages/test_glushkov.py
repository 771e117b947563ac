"""Machines of expressions: sizes, and what is too large."""

import random
import re
import string

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.regex import from_regex


def test_too_large_a_machine_is_refused() -> None:
    with pytest.raises(LanguageError, match=r"expression '.*'.*at most 200,000 states"):
        from_regex("(a|b)*a(a|b){20}")


def test_what_is_large_before_it_is_minimised_is_no_trouble() -> None:
    """More than 30,000 sets of places, but every word is in."""
    assert from_regex("(a|b)*a(a|b){14}|(a|b)*", "ab").num_states == 1


def letters(number: int, alphabet: str) -> str:
    return "".join(random.Random(number).choices(alphabet, k=number))


LARGE = {
    "5,000 letters of 2": (letters(5000, "ab"), 5002),
    "5,000 letters of 26": (letters(5000, string.ascii_lowercase), 5002),
    "500 words": ("|".join(letters(n, "abcdefgh") for n in range(3, 13) for _ in range(50)), None),
    "any of 500 words": (f"({'|'.join(letters(10, 'abcdefgh') for _ in range(500))})*", 11),
    "1,000 nested stars": ("(" * 1000 + "a" + ")*" * 1000, 1),
    "2,000 nested stars that add a letter": ("(a|" * 2000 + "b" + ")*" * 2000, 1),
    "2,000 stars in a row": ("(a*b*)" * 1000, 2001),
    "2,000 options and as many letters": ("a?" * 2000 + "a" * 2000, 4002),
    "4,900 nested options": ("(a{0,70}){0,70}", 4902),
    "a billion empty words": ("a(){999999999}", 3),
}


@pytest.mark.slow_for(
    "2,000 options and as many letters", "4,900 nested options", "5,000 letters of 26"
)
@pytest.mark.parametrize("name", LARGE)
def test_large_expressions_are_no_trouble(name: str) -> None:
    """Those that were too much once: each took minutes or all memory."""
    expression, num_states = LARGE[name]
    assert num_states in (None, from_regex(expression).num_states)


@pytest.mark.slow_for("large sets")
@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("(a|b)*a(a|b){2000}", "at most 200,000 states"),
        ("".join(map(chr, range(0x4E00, 0x4E00 + 5000))), "at most 200 states"),
        ("(a?b?){32}^(b?a?){32}", "take more than 8,000,000 steps"),
        ("a{" + "9" * 5000 + "}", "column 2: a count has at most 9 digits"),
    ],
    ids=["subsets", "a wide table", "large sets", "a long count"],
)
def test_what_explodes_is_refused_with_the_numbers(expression: str, told: str) -> None:
    with pytest.raises(LanguageError, match=told) as caught:
        from_regex(expression)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("a" * 5001, "5,001"),
        ("a{9999}", "9,999"),
        ("(a{100}b){100}", "10,100"),
        ("a{90}^a{90}", "8,281"),
        ("a{6000}|b{4000}", "10,000"),
        ("((a{999999999}){999999999}){999}", "more than 10^18"),
    ],
)
def test_too_large_an_expression_is_refused_with_its_size(expression: str, number: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(f"has {number}. Repeat less.")):
        from_regex(expression)


def test_a_large_alphabet_costs_what_its_classes_cost() -> None:
    language = from_regex(r"[\x00-\uffff]*\d{3}[^a-f]")
    assert (language.num_states, language.num_symbols) == (6, 63_459)
    assert "中文123z" in language
    assert "中文123a" not in language
    assert language == language.minimise()
    with pytest.raises(LanguageError, match="names 1,112,035 symbols, but an alphabet has at most"):
        from_regex(r"[\x00-\U0010ffff]")


def test_classes_that_overlap_in_too_many_ways_are_refused() -> None:
    with pytest.raises(LanguageError, match="overlap in more than 1,000,000 ways"):
        from_regex("|".join(f"[!-{chr(0x1000 + i)}]" for i in range(3000)))


def test_many_states_in_a_row_are_no_trouble() -> None:
    assert from_regex("(a|b){2000}").num_states == 2002
