"""The regular languages of two benchmarks, under their own definitions.

Some share a name with a language of the catalogue and differ from it: in symbols, in a mark in
front, or in the class that counts as 1. So their names begin with the benchmark's:

    chomsky-   the regular tasks of Deletang et al. (2023), *Neural networks and the Chomsky
               hierarchy*, as the authors' code draws and labels words
    flare-     the regular languages of Butoi et al. (2024), *Training neural networks as
               recognizers of formal languages* (FLaRe), as automata of the authors' code

`tests/languages/test_benchmark_languages.py` defines each of them independently.
"""

from dataclasses import replace

from lengthwise.languages.builders import from_step_function
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import (
    DIGITS,
    NamedLanguage,
    accepts,
    arithmetic,
    count,
    with_precedence,
)
from lengthwise.registry import Catalogue

CHOMSKY = "Deletang et al. (2023), as in the authors' code"
FLARE = "Butoi et al. (2024), FLaRe, as in the authors' code"

_MOVES = {">": 1, "<": -1, "=": 0}
_MATCHING = {")": "(", "]": "["}


def _steps() -> Language:
    """Positions on a cycle of 5, with the moves 0, 1, 2 for -1, 0, 1."""
    return from_step_function(
        "012",
        0,
        lambda position, move: (position + int(move) - 1) % 5,
        lambda position: position,
        class_names=tuple(DIGITS),
    )


def _unsigned_arithmetic() -> Language:
    """Values mod 5 of d (op d)*, by those of + d (op d)*: the mark in front is taken as read."""
    signed = arithmetic(with_precedence).total()
    start = signed.run(signed.encode("+"))
    from lengthwise.languages.regex import from_regex  # noqa: PLC0415  of few languages

    outside = signed.num_classes - 1
    machine = replace(
        signed,
        start=start,
        classes=tuple(c if c != outside else 0 for c in signed.classes),
        class_names=tuple(DIGITS),
    )
    domain = from_regex(r"[0-4]([-+*][0-4])*", signed.alphabet)
    return replace(machine, domain=domain).minimise()


def _announced_position() -> Language:
    """Moves on a cycle of 5, then the digit of the position that they lead to."""

    def step(value: int | str, symbol: str) -> int | str:
        if isinstance(value, str):
            return "wrong"
        if symbol in _MOVES:
            return (value + _MOVES[symbol]) % 5
        return "right" if value == int(symbol) else "wrong"

    start: int | str = 0
    return from_step_function(
        "><=" + DIGITS, start, step, lambda value: int(value == "right"), class_names=("0", "1")
    )


def _equations() -> Language:
    """Equations `d (op d)* = d` mod 5, true from left to right."""

    def step(value: tuple[str, int], symbol: str) -> tuple[str, int]:
        expected, total = value
        if expected == "digit" and symbol in DIGITS:
            return "operator", int(symbol)
        if expected == "operator" and symbol in "+-*":
            return symbol, total
        if expected == "operator" and symbol == "=":
            return "=", total
        if expected == "=" and symbol == DIGITS[total]:
            return "end", 0
        if expected in ("+", "-", "*") and symbol in DIGITS:
            digit = int(symbol)
            results = {"+": total + digit, "-": total - digit, "*": total * digit}
            return "operator", results[expected] % 5
        return "wrong", 0

    start: tuple[str, int] = ("digit", 0)
    return from_step_function(
        DIGITS + "+-*=",
        start,
        step,
        lambda value: int(value[0] == "end"),
        class_names=("0", "1"),
    )


def _brackets(depth: int) -> Language:
    """Balanced words of two kinds of brackets, nested at most so deep."""

    def step(stack: str | None, symbol: str) -> str | None:
        if stack is None:
            return None
        if symbol in _MATCHING:
            return stack[:-1] if stack.endswith(_MATCHING[symbol]) else None
        return stack + symbol if len(stack) < depth else None

    empty: str | None = ""
    return from_step_function(
        "()[]", empty, step, lambda stack: int(stack == ""), class_names=("0", "1")
    )


def _odd() -> Language:
    return count("1", 2)


def _build_first_is_last() -> Language:
    from lengthwise.languages.regex import from_regex  # noqa: PLC0415  of few languages

    return from_regex("(0((0|1)*0)?|1((0|1)*1)?)?", ("0", "1"))


BENCHMARKS: Catalogue[NamedLanguage] = Catalogue(
    "benchmark language",
    {
        "chomsky-even-pairs": accepts(
            "an odd number of pairs 01 and 10",
            CHOMSKY,
            "0(0|1)*1|1(0|1)*0",
            ("01", "0101001"),
            ("", "001110"),
        ),
        "chomsky-modular-arithmetic": NamedLanguage(
            definition="class: value mod 5 of d (op d)*, digits 0-4, with * before + and -",
            source=CHOMSKY,
            build=_unsigned_arithmetic,
            examples=(("1+2*3", "2"), ("1-1-1", "4"), ("0*1+4*3-2", "0")),
        ),
        "chomsky-parity": accepts(
            "an odd number of 1s", CHOMSKY, _odd, ("1", "1010100"), ("", "01111")
        ),
        "chomsky-cycle-navigation": NamedLanguage(
            definition="class: position on a cycle of 5 (symbols: 0 decrease, 1 stay, 2 increase)",
            source=CHOMSKY,
            build=_steps,
            examples=(("20100", "3"), ("2220", "2"), ("", "0")),
        ),
        "flare-even-pairs": accepts(
            "an even number of pairs 01 and 10",
            FLARE,
            _build_first_is_last,
            ("", "0", "0110"),
            ("01", "100"),
        ),
        "flare-repeat-01": accepts("(01)*", FLARE, "(01)*", ("", "0101"), ("0", "10")),
        "flare-parity": accepts("an odd number of 1s", FLARE, _odd, ("1", "0111"), ("", "0110")),
        "flare-cycle-navigation": accepts(
            "moves on a cycle of 5 (> right, < left, = stay), then the position reached",
            FLARE,
            _announced_position,
            ("0", ">>=2", "<4"),
            ("", "1", ">>3", ">1="),
        ),
        "flare-modular-arithmetic": accepts(
            "d (op d)* = d, true mod 5 if the left side is worked out from left to right",
            FLARE,
            _equations,
            ("1=1", "1+2*3=4"),
            ("", "1+2*3=2", "1+=1"),
        ),
        "flare-dyck-2-3": accepts(
            "balanced brackets of two kinds, nested at most 3 deep",
            FLARE,
            lambda: _brackets(3),
            ("", "([()])[]"),
            ("(]", "((((", "(((())))"),
        ),
        "flare-first": accepts("starts with 1", FLARE, "1(0|1)*", ("1", "100"), ("", "011")),
    },
    expected=NamedLanguage,
)
