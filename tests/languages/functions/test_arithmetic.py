"""Arithmetic against Python's integers, on all short inputs and on long ones."""

from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.arithmetic import DIGITS, arithmetic_function
from lengthwise.languages.functions.function import Function

BASES = (2, 3, 10, 16)


def digits_of(number: int, length: int, base: int, first: str) -> str:
    """Write a number modulo base^length."""
    written = ""
    for _ in range(length):
        number, digit = divmod(number, base)
        written += DIGITS[digit]
    return written if first == "low" else written[::-1]


def inputs(base: int, draw: Random) -> list[tuple[int, int, int]]:
    """Lengths and pairs of numbers: all short ones, some long ones, and the longest carries."""
    short = [(n, a, b) for n in range(3) for a, b in product(range(min(base**n, 12)), repeat=2)]
    long = [(n, draw.randrange(base**n), draw.randrange(base**n)) for n in (5, 30, 200) * 2]
    return [*short, *long, (500, base**500 - 1, 1), (500, base**499 - 1, 1)]


def same(function: Function, sign: str, want: Callable[[int, int, int], int], first: str) -> None:
    base = len(function.outputs)
    for n, a, b in inputs(base, Random(f"{sign} {base}")):
        written = [digits_of(number, n, base, first) for number in (a, b)]
        assert function(f" {sign} ".join(written)) == digits_of(want(a, b, n), n, base, first)


@pytest.mark.parametrize("first", ["low", "high"])
@pytest.mark.parametrize("base", BASES)
def test_sums_and_differences_are_those_of_integers(base: int, first: str) -> None:
    same(arithmetic_function("add", None, base, first), "+", lambda a, b, n: a + b, first)
    same(arithmetic_function("subtract", None, base, first), "-", lambda a, b, n: a - b, first)


@pytest.mark.parametrize("first", ["low", "high"])
@pytest.mark.parametrize("base", BASES)
def test_functions_of_one_number_are_those_of_integers(base: int, first: str) -> None:
    cases: list[tuple[Function, Callable[[int], int]]] = [
        (arithmetic_function("increment", None, base, first), lambda a: a + 1),
        (arithmetic_function("times", 7, base, first), lambda a: 7 * a),
        (arithmetic_function("divide", 3, base, first), lambda a: a // 3),
    ]
    for function, want in cases:
        for n, a, _ in inputs(base, Random(base)):
            expected = digits_of(want(a), n, base, first)
            assert function(digits_of(a, n, base, first)) == expected


def test_a_gray_code_changes_one_bit_at_a_time() -> None:
    gray, back = (
        arithmetic_function("gray", None, 10, "high"),
        arithmetic_function("gray", None, 10, "low"),
    )
    codes = [gray(digits_of(a, 6, 2, "high")) for a in range(64)]
    assert len({*codes}) == 64
    for a, code in enumerate(codes):
        assert code == digits_of(a ^ a >> 1, 6, 2, "high")
        assert back(digits_of(a, 6, 2, "low")) == code[::-1]


@pytest.mark.parametrize("first", ["low", "high"])
def test_a_comparison_is_that_of_the_parts_read(first: str) -> None:
    compare = arithmetic_function("compare", None, 3, first)
    for n, a, b in inputs(3, Random(0)):
        x, y = (digits_of(number, n, 3, first) for number in (a, b))
        signs = []
        for end in range(1, n + 1):
            p, q = (int(w[:end][:: -1 if first == "low" else 1], 3) for w in (x, y))
            signs.append("<" if p < q else ">" if p > q else "=")
        assert compare(f"{x} ? {y}" if n else "") == "".join(signs)


def test_sizes_are_those_of_the_carries() -> None:
    assert len(arithmetic_function("add", None, 10, "low").left) == 2
    assert len(arithmetic_function("times", 7, 10, "low").left) == 7
    high = arithmetic_function("add", None, 10, "high")
    assert (len(high.left), len(high.right)) == (1, 2)
    # A quotient of the low digit first depends on the remainder of all that follows.
    assert len(arithmetic_function("divide", 3, 10, "low").right) == 3


@pytest.mark.parametrize(("name", "number", "base"), [("add", None, 1), ("times", 0, 10)])
def test_numbers_out_of_range_are_refused(name: str, number: int | None, base: int) -> None:
    with pytest.raises(LanguageError, match="from "):
        arithmetic_function(name, number, base, "low")
