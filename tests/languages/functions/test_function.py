"""Functions against their definition on all short inputs."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from function_strategies import draw_function, inputs_of, slow_output
from lengthwise.errors import LanguageError, WordError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.languages.functions.function import Function, sequential
from lengthwise.languages.regex import from_regex
from ordinary import few

SEEDS = st.integers(0, 10**6)


def of(seed: int, **sizes: int) -> Function:
    return draw_function(seed, **{"left": 1 + seed % 4, "right": 1 + seed // 4 % 3, **sizes})


@given(seed=SEEDS)
@settings(max_examples=few(15))
def test_the_smallest_form_writes_what_the_automata_say(seed: int) -> None:
    drawn = of(seed)
    # The same function with every state twice, so that there is something to merge.
    n, m = len(drawn.left), len(drawn.right)
    twice: dict[str, Any] = {
        "left": tuple(
            tuple(target + n * ((state + x) % 2) for x, target in enumerate(drawn.left[state % n]))
            for state in range(2 * n)
        ),
        "right": tuple(
            tuple(target + m * (state % 2) for target in drawn.right[state % m])
            for state in range(2 * m)
        ),
        "table": tuple(
            tuple(tuple(drawn.table[p % n][x][q % m] for q in range(2 * m)) for x in range(2))
            for p in range(2 * n)
        ),
    }
    large = replace(drawn, **twice)
    assert large == drawn
    assert large.left == drawn.left
    for word in inputs_of(drawn, 5):
        assert large(word) == slow_output(drawn, word)


@given(first=SEEDS, second=SEEDS)
@settings(max_examples=few(10))
def test_functions_are_equal_where_no_input_tells_them_apart(first: int, second: int) -> None:
    f, g = of(first, left=2, right=2), of(second, left=2, right=2)
    differing = [word for word in inputs_of(f, 6) if f(word) != g(word)]
    found = f.difference(g)
    assert (found is None) == (f == g)
    if differing or found is None:
        assert (found is None) == (not differing)
    if found is not None:
        assert f(found) != g(found)
        assert not differing or len(found) == len(differing[0])


def test_an_output_of_another_place_makes_a_function_another() -> None:
    add = addition(2)
    table = [[list(cells) for cells in rows] for rows in add.table]
    table[1][3][0] ^= 1
    other = replace(add, table=tuple(tuple(map(tuple, rows)) for rows in table))
    assert add.difference(other) == (3, 3)


@given(first=SEEDS, second=SEEDS)
@settings(max_examples=few(15))
def test_a_composition_applies_one_function_after_the_other(first: int, second: int) -> None:
    f = of(first)
    g = replace(of(second), alphabet=f.outputs)
    both = f | g
    assert all(both(word) == g(f(word)) for word in inputs_of(f, 5))


@given(seed=SEEDS)
@settings(max_examples=few(15))
def test_an_inverse_image_has_the_inputs_whose_outputs_are_in_the_language(seed: int) -> None:
    f, language = of(seed), from_regex("(w|xw*x)*", "wx")
    image = f.inverse_image(language)
    for word in inputs_of(f, 6):
        assert image.classify(word) == language.classify(f(word))


@given(first=SEEDS, second=SEEDS)
@settings(max_examples=few(20))
def test_a_product_writes_both_outputs(first: int, second: int) -> None:
    f, g = of(first), of(second)
    both = f * g
    for word in inputs_of(f, 4):
        pairs = [symbol.split(",") for symbol in both(word).split()]
        assert "".join(a for a, _ in pairs) == f(word)
        assert "".join(b for _, b in pairs) == g(word)


@given(seed=SEEDS)
@settings(max_examples=few(20))
def test_the_reversal_does_the_same_from_the_other_end(seed: int) -> None:
    f = of(seed)
    back = f.reverse()
    assert back.reverse() == f
    assert all(back(word[::-1]) == f(word)[::-1] for word in inputs_of(f, 5))


@given(seed=SEEDS)
@settings(max_examples=few(10))
def test_a_function_is_restored_from_plain_values(seed: int) -> None:
    f = of(seed)
    assert Function.from_dict(f.to_dict()) == f


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"spec": 5}, "spec of a stored function is of strings, but 5 is not"),
        ({"alphabet": "ab"}, "an alphabet|alphabet"),
        ({"outputs": {"x": 1}}, "outputs of a stored function is of strings"),
        ({"left": [[True, 0]]}, "left of a stored function is of integers, but True is not"),
        ({"left": [0, 0]}, "are lists of lists"),
        ({"table": [[0, 1]]}, "has|are lists"),
    ],
)
def test_plain_values_of_another_kind_are_refused(change: dict[str, object], says: str) -> None:
    values = of(3).to_dict()
    with pytest.raises(LanguageError, match=says):
        Function.from_dict({**values, **change})
    with pytest.raises(LanguageError, match="a stored function has"):
        Function.from_dict({"spec": ""})


def test_numbers_are_read_as_pairs_of_digits() -> None:
    add = addition(10)
    assert add.encode("95 + 17") == add.encode("9+1 5+7") == (91, 57)
    assert add.encode("9+1") == (91,)
    with pytest.raises(WordError, match=r"'95' has 2 digits and '1' has 1\. Pad"):
        add("95+1")
    with pytest.raises(WordError, match="'x' is not a digit: they are 0-9"):
        add("9x+11")
    with pytest.raises(WordError, match="100"):
        add([100])


def test_what_does_not_fit_together_is_refused() -> None:
    row = ((0, 0),)
    good: dict[str, Any] = {"alphabet": ("a", "b"), "outputs": ("x",), "left": row, "right": row}
    Function(**good, table=(((0,), (0,)),))
    for wrong in (
        {"table": (((0,), (1,)),)},
        {"table": (((0,),),)},
        {"left": ((0, 1),), "table": (((0,), (0,)),)},
        {"right": (), "table": (((0,), (0,)),)},
    ):
        with pytest.raises(LanguageError):
            Function(**{**good, **wrong})
    with pytest.raises(LanguageError, match="'x' is not an input symbol"):
        Function(**good, table=(((0,), (0,)),)) | addition(2)
    with pytest.raises(LanguageError, match="over the output symbols"):
        addition(2).inverse_image(from_regex("a*"))


def test_a_machine_without_end_is_refused() -> None:
    with pytest.raises(LanguageError, match="at most 5,000 states"):
        sequential("a", "x", 0, lambda state, symbol: (state + 1, "x"))


def test_a_number_of_one_digit_has_1_digit() -> None:
    with pytest.raises(WordError, match=r"'9' has 1 digit and '12' has 2\. Pad"):
        addition(10).encode("9 + 12")
