"""Functions on numbers, digit by digit: sums, differences, products, quotients, Gray codes.

Digits are `0` to `9` and then `a` to `z`. A pair of digits is a symbol such as `3+4`. Outputs have
the length of inputs, so results are those modulo base^n for n digits: pad numbers with a zero at
the high end to keep the last carry.
"""

from collections.abc import Callable
from string import ascii_lowercase, digits

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.function import Function, sequential

DIGITS = digits + ascii_lowercase
MOST_BASE = 16
"""Largest base; a pair of digits is one of 256 symbols."""

MOST_FACTOR = 1_000
"""Largest factor or divisor."""


def addition(base: int) -> Function:
    """Return the sum of two numbers, the low digits first.

    >>> addition(10)("95 + 17")
    '03'
    """
    return _of_pairs(base, "+", lambda carry, a, b: divmod(carry + a + b, base))


def subtraction(base: int) -> Function:
    """Return the difference of two numbers modulo base^n, the low digits first.

    >>> subtraction(10)("03 - 17")
    '95'
    """
    return _of_pairs(base, "-", lambda borrow, a, b: divmod(borrow + a - b, base))


def comparison(base: int, *, low_first: bool) -> Function:
    """Return after every pair of digits how the parts read so far compare: `<`, `=` or `>`.

    >>> comparison(10, low_first=True)("19 ? 28"), comparison(10, low_first=False)("19 ? 28")
    ('<>', '<<')
    """
    signs = "<=>"

    def step(sign: str, symbol: str) -> tuple[str, str]:
        a, b = DIGITS.index(symbol[0]), DIGITS.index(symbol[2])
        differs = a != b and (low_first or sign == "=")
        result = signs[(a > b) - (a < b) + 1] if differs else sign
        return result, result

    return sequential(_pairs(base, "?"), signs, "=", step)


def increment(base: int) -> Function:
    """Return a number and 1, the low digit first.

    >>> increment(2)("1101")
    '0011'
    """
    return _of_digits(base, 1, lambda carry, digit: divmod(carry + digit, base))


def multiple(factor: int, base: int) -> Function:
    """Return a number times a constant, the low digit first.

    >>> multiple(7, 10)("2100")
    '4800'
    """
    return _of_digits(base, 0, lambda carry, digit: divmod(carry + factor * digit, base))


def quotient(divisor: int, base: int) -> Function:
    """Return a number divided by a constant and rounded down, the high digit first.

    >>> quotient(3, 10)("100")
    '033'
    """

    def step(remainder: int, digit: int) -> tuple[int, int]:
        result, left = divmod(remainder * base + digit, divisor)
        return left, result

    return _of_digits(base, 0, step)


def gray_code() -> Function:
    """Return the Gray code of a binary number, the high digit first: each bit XOR the one before.

    >>> gray_code()("0110")
    '0101'
    """
    return _of_digits(2, 0, lambda before, bit: (bit, bit ^ before))


def _of_digits(base: int, start: int, step: Callable[[int, int], tuple[int, int]]) -> Function:
    """Return the function of a machine that reads a digit: (state, digit) to (state, digit)."""
    names = DIGITS[:base]

    def move(state: int, symbol: str) -> tuple[int, str]:
        after, digit = step(state, DIGITS.index(symbol))
        return after, DIGITS[digit]

    return sequential(names, names, start, move)


def _of_pairs(base: int, sign: str, step: Callable[[int, int, int], tuple[int, int]]) -> Function:
    """Return the function of a machine that reads two digits."""

    def move(state: int, symbol: str) -> tuple[int, str]:
        after, digit = step(state, DIGITS.index(symbol[0]), DIGITS.index(symbol[2]))
        return after, DIGITS[digit]

    return sequential(_pairs(base, sign), DIGITS[:base], 0, move)


def _pairs(base: int, sign: str) -> list[str]:
    return [f"{a}{sign}{b}" for a in DIGITS[:base] for b in DIGITS[:base]]


def arithmetic_function(name: str, number: int | None, base: int, first: str) -> Function:
    """Return the function of a name, such as `add`, or `times` with a number.

    Raises:
        LanguageError: a number is out of range.
    """
    if not 2 <= base <= MOST_BASE:
        raise LanguageError(f"a base is from 2 to {MOST_BASE}, but it is {base}. Choose one.")
    if number is not None and not 1 <= number <= MOST_FACTOR:
        raise LanguageError(
            f"{name} takes a number from 1 to {MOST_FACTOR:,}, but it is {number}. Choose one."
        )
    if name == "compare":
        return comparison(base, low_first=first == "low")
    if name == "gray":
        made, usual = gray_code(), "high"
    elif name == "divide":
        made, usual = quotient(number or 1, base), "high"
    elif name == "times":
        made, usual = multiple(number or 1, base), "low"
    else:
        maker = {"add": addition, "subtract": subtraction, "increment": increment}[name]
        made, usual = maker(base), "low"
    return made if first == usual else made.reverse()
