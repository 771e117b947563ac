"""Python functions are learned exactly, or refused with inputs that tell."""

import re
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_strategies import draw_function
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.learning import learn_function
from ordinary import few


@given(seed=st.integers(0, 10**6), left=st.integers(1, 4), right=st.integers(1, 3))
@settings(max_examples=few(8), deadline=None)
def test_a_drawn_function_is_learned_exactly(seed: int, left: int, right: int) -> None:
    function = draw_function(seed, left=left, right=right)
    most = max(2, len(function.left) + len(function.right))
    assert learn_function(function, function.alphabet, max_states=most).difference(function) is None


def test_an_adder_is_learned_in_both_orders() -> None:
    add = addition(2)
    for function in (add, add.reverse()):
        learned = learn_function(function, add.alphabet, max_states=4)
        assert learned.difference(function) is None


def test_a_needle_within_the_bound_is_found() -> None:
    """Only after `aaaaa` something differs, which no random word of the size is sure to show."""
    wanted = 5

    def needle(word: str) -> str:
        return "".join("x" if word[: t + 1] == "a" * wanted else "y" for t in range(len(word)))

    learned = learn_function(needle, "ab", max_states=8)
    assert learned("aaaaab") == "yyyyxy"
    assert learned("baaaaa") == "yyyyyy"


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda word: word[::-1], "no two of which act alike"),
        (lambda word: "".join(sorted(word)), "needs more than max_states=6"),
        (lambda word: word + "a", "writes a symbol for each symbol"),
        (lambda word: None, "writes a symbol for each symbol"),
        (lambda word: 1 / 0, "fails on the input"),
    ],
)
def test_what_no_bimachine_computes_is_refused(function: object, says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        learn_function(function, "ab", max_states=6)  # type: ignore[arg-type]


def sort(word: str) -> str:
    return "".join(sorted(word))


@pytest.mark.parametrize(
    ("function", "most"), [(sort, 6), (sort, 7), (addition(2), 2), (addition(2).reverse(), 2)]
)
def test_the_states_that_a_refusal_counts_are_more_than_were_allowed(
    function: Callable[[str], str], most: int
) -> None:
    alphabet = "ab" if function is sort else addition(2).alphabet
    with pytest.raises(LanguageError) as refused:
        learn_function(function, alphabet, max_states=most)
    said = str(refused.value)
    counts = re.findall(r"(\d+) (beginning|ending)s? \((such as )?(.*?)\)", said)
    assert {side for _, side, _, _ in counts} == {"beginning", "ending"}
    assert sum(int(number) for number, *_ in counts) > most
    for number, _, some, shown in counts:
        assert bool(some) == (int(number) > 4)
        assert len(shown.split(", ")) == min(int(number), 4)


def test_a_function_that_remembers_is_refused() -> None:
    calls = count()
    with pytest.raises(LanguageError, match="the second time"):
        learn_function(lambda word: "xy"[next(calls) % 2] * len(word), "ab", max_states=6)


def test_a_bound_is_a_number_that_can_be_tested() -> None:
    with pytest.raises(LanguageError, match="from 2 to 100"):
        learn_function(str, "ab", max_states=1)
    with pytest.raises(LanguageError, match="Ask for max_states=29 or less"):
        learn_function(str, "ab", max_states=30)
