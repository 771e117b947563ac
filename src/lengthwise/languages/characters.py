r"""Characters as expressions and alphabets write them: escapes, ranges and classes of characters.

A set of characters is a tuple of disjoint ranges of code points, in order, so `[\x00-\uffff]` takes
no more room than `[ab]`. Spaces and surrogates are never symbols; ranges may go over them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from lengthwise.errors import LanguageError
from lengthwise.languages.validation import is_encodable

MAX_SYMBOLS = 2**16
"""Largest number of symbols that ranges may name together, such as the basic plane of Unicode."""

Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range, in order and without overlaps."""

LONGER = 0x110000
"""Number that stands for every symbol of several characters; code points are below it."""

EVERYTHING: Ranges = ((0, LONGER),)
_DIGITS: Ranges = ((0x30, 0x39),)
_LETTERS: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACES: Ranges = ((0x09, 0x0D), (0x20, 0x20))
SHORTHANDS = {"d": _DIGITS, "w": _LETTERS, "s": _SPACES}
"""Sets that a backslash and a letter name, as with Python's flag `re.ASCII`; a capital letter names
all other characters.
"""

_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CODE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xu]\{([0-9a-fA-F]{1,8})\})"
)
_UNSUPPORTED = {
    "b": "a word boundary",
    "B": "a word boundary",
    "A": "an anchor, which may only begin an expression",
    "Z": "an anchor, which may only end an expression",
    "z": "an anchor, which may only end an expression",
    "p": "a Unicode property",
    "P": "a Unicode property",
    "k": "a backreference",
    "N": "a character by its name",
}
_NO_SYMBOLS = sorted(
    code for code in range(0x3001) if chr(code).isspace()
)  # of all of Unicode; the last is U+3000
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF
_SHORTEST_RUN = 4
"""Fewest characters in a row that are shown as a range."""


@dataclass(frozen=True, slots=True)
class NamedSymbols:
    """Characters that a class names, and the column at which it does."""

    ranges: Ranges
    column: int
    is_shorthand: bool = False
    """True for a set such as `\\w`; the alphabet need not have all of it."""


@dataclass(frozen=True, slots=True)
class CharacterClass:
    """The inside of a class in brackets."""

    named: tuple[NamedSymbols, ...]
    """The characters and sets that it names, in the order in which they are written."""
    matched: Ranges
    """The characters that it matches, before a `^`: those but the digits for a `\\D`."""


Refuse = Callable[[int, str], NoReturn]
"""Raises the error of a column (from 1)."""


def character_at(text: str, at: int, refuse: Refuse, *, is_class: bool = False) -> tuple[str, int]:
    """Read a character, or one written with a backslash; return it and where the next begins."""
    if text[at] != "\\":
        return text[at], at + 1
    letter, column = text[at + 1 : at + 2], at + 1
    if not letter:
        refuse(column, "'\\' has nothing after it. Write '\\\\' for the symbol itself")
    if is_class and letter == "b":
        return "\b", at + 2
    if letter in _CONTROLS:
        return _CONTROLS[letter], at + 2
    if (code := _CODE.match(text, at)) is not None:
        value = int(next(digits for digits in code.groups() if digits), 16)
        if value >= LONGER:
            refuse(
                column,
                f"{quote_typed(code.group())} is beyond the last character, U+10FFFF. Lower it",
            )
        return chr(value), code.end()
    if letter in "xuU":
        refuse(
            column,
            f"'\\{letter}' needs hexadecimal digits. Write \\x41, \\u0041 or \\U00000041 for 'A'",
        )
    if letter == "0" and not text[at + 2 : at + 3].isdecimal():
        return "\0", at + 2
    if letter.isdecimal():
        meaning = "an octal number" if is_class or letter == "0" else "a backreference"
        refuse(column, f"'\\{letter}' is {meaning}, which is not supported. Write codes as \\x41")
    if letter in _UNSUPPORTED:
        refuse(column, f"'\\{letter}' is {_UNSUPPORTED[letter]}. Write the expression without it")
    if letter.isalnum():
        refuse(
            column,
            f"'\\{letter}' is not known: '\\' comes before an operator, or in \\d \\w \\s \\x41. "
            f"Write classes out, such as [0-9]",
        )
    return letter, at + 2


def shorthand_at(text: str, at: int) -> tuple[NamedSymbols, Ranges] | None:
    """Return what a shorthand such as `\\d` names and matches, or None if there is none."""
    letter = text[at + 1 : at + 2]
    if text[at] != "\\" or letter.lower() not in SHORTHANDS:
        return None
    ranges = SHORTHANDS[letter.lower()]
    return (
        NamedSymbols(ranges, at + 1, is_shorthand=True),
        complement(ranges) if letter.isupper() else ranges,
    )


def read_class(text: str, at: int, end: str, refuse: Refuse) -> tuple[CharacterClass, int]:
    """Read characters and ranges up to an unescaped `end` ("" for the whole string).

    Returns the class and where it ended, which is the length of the text if it is not closed.
    """
    named_symbols: list[NamedSymbols] = []
    matched: list[tuple[int, int]] = []
    while at < len(text) and text[at] != end:
        if posix := re.compile(r"\[:\^?\w+:\]").match(text, at):
            refuse(at + 1, f"{posix.group()} is a class of POSIX. Write it out, such as a-zA-Z")
        if shorthand := shorthand_at(text, at):
            named_symbols.append(shorthand[0])
            matched += shorthand[1]
            at += 2
            if is_range(text, at, end):
                refuse(
                    at - 1,
                    f"a range begins with a character, not {quote_typed(text[at - 2 : at])}. "
                    "Use \\-",
                )
            continue
        column = at + 1
        first, at = character_at(text, at, refuse, is_class=True)
        last = first
        if is_range(text, at, end):
            if shorthand_at(text, at + 1):
                refuse(
                    column,
                    f"a range ends with a character, not {quote_typed(text[at + 1 : at + 3])}. "
                    "Use \\-",
                )
            last, at = character_at(text, at + 1, refuse, is_class=True)
        if last < first:
            refuse(
                column,
                f"the range {format_symbol(first)}-{format_symbol(last)} is empty. Write "
                f"{format_symbol(last)}-{format_symbol(first)}, or '\\-' for the symbol",
            )
        named_symbols.append(NamedSymbols(((ord(first), ord(last)),), column))
        matched.append((ord(first), ord(last)))
    return CharacterClass(tuple(named_symbols), merge_ranges(matched)), at


def is_range(text: str, at: int, end: str) -> bool:
    """Return whether the `-` of a range is at a place: one with a character after it."""
    return text[at : at + 1] == "-" and at + 1 < len(text) and text[at + 1] != end


# ---- sets of characters ----------------------------------------------------------------------


def merge_ranges(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """Return ranges in order, those that overlap or touch as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """Return all other characters, and the symbols of several characters."""
    edges = [(-1, -1), *ranges, (LONGER + 1, LONGER + 1)]
    return tuple(
        (before[1] + 1, after[0] - 1)
        for before, after in pairwise(edges)
        if before[1] + 1 <= after[0] - 1
    )


def number_of_symbols(ranges: Ranges) -> int:
    """Return how many characters of the ranges can be symbols."""
    return sum(last - first + 1 for first, last in ranges) - sum(count_left_out(ranges))


def count_left_out(ranges: Ranges) -> tuple[int, int]:
    """Return how many characters of the ranges are spaces, and how many are surrogates."""
    spaces = surrogates = 0
    for first, last in ranges:
        spaces += bisect_right(_NO_SYMBOLS, last) - bisect_left(_NO_SYMBOLS, first)
        surrogates += max(0, min(last, _LAST_SURROGATE) - max(first, _FIRST_SURROGATE) + 1)
    return spaces, surrogates


def symbols_in(ranges: Ranges) -> list[str]:
    """Return the characters of the ranges that can be symbols, in order."""
    return [
        symbol
        for first, last in ranges
        for symbol in map(chr, range(first, last + 1))
        if not symbol.isspace() and is_encodable(symbol)
    ]


def few_symbols(ranges: Ranges, subject: str) -> list[str]:
    """Return the same, if they are not too many.

    Raises:
        LanguageError: they are; the message begins with `subject`, which names them.
    """
    if (number := number_of_symbols(ranges)) > MAX_SYMBOLS:
        raise LanguageError(
            f"{subject} names {number:,} symbols, but an alphabet has at most {MAX_SYMBOLS:,}. "
            f"Name fewer."
        )
    return symbols_in(ranges)


# ---- alphabets -------------------------------------------------------------------------------


def split_alphabet(alphabet: str) -> tuple[str, ...]:
    r"""Split a written alphabet: `abc`, `a-z` as in a class, or `s1 s2` with spaces.

    >>> split_alphabet("xa-d"), split_alphabet(r"a\-d"), split_alphabet("a - d")
    (('x', 'a', 'b', 'c', 'd'), ('a', '-', 'd'), ('a', '-', 'd'))

    Raises:
        LanguageError: a range is empty, or they are too many.
    """
    if " " in alphabet.strip():
        return tuple(alphabet.split())
    name = f"alphabet {short_symbols(alphabet)}"

    def refuse(column: int, fault: str) -> NoReturn:
        raise LanguageError(f"{name}, column {column}: {fault}.")

    symbol_class, _ = read_class(alphabet, 0, "", refuse)
    few_symbols(symbol_class.matched, name)
    return tuple(
        symbol
        for part in symbol_class.named
        for symbol in (
            symbols_in(part.ranges)
            if part.is_shorthand or part.ranges[0][0] < part.ranges[0][1]
            else [chr(part.ranges[0][0])]
        )
    )


def format_alphabet(symbols: Sequence[str]) -> str:
    r"""Return an alphabet as one string, which `split_alphabet` splits again.

    >>> print(format_alphabet("abc"), format_alphabet("xabcd-"), format_alphabet(["s1", "a"]))
    abc xa-d\- s1 a
    """
    if any(len(symbol) != 1 for symbol in symbols):
        return " ".join(symbols)
    return "".join(_runs(symbols, lambda symbol: "\\" * (symbol in "\\-") + format_symbol(symbol)))


def list_symbols(symbols: Sequence[str], most: int = 20, joint: str = " ") -> str:
    """Return an alphabet for people, with ranges: at most `most` parts, then `...`.

    >>> list_symbols("0123456789abc+"), list_symbols("abcdxyz", most=2)
    ('0-9 a b c +', 'a-d x ...')
    """
    runs = _runs(symbols, format_symbol)
    return joint.join([*runs[:most], *["..."] * (len(runs) > most)])


def format_symbol(symbol: str) -> str:
    """Return a symbol as it is written; characters that cannot be printed are escaped."""
    return symbol if symbol.isprintable() and symbol != " " else repr(symbol)[1:-1]


def quote_typed(text: str) -> str:
    r"""Return a string between quotes, with backslashes as they are typed: `'\d'`."""
    return repr(text).replace("\\\\", "\\")


def short_symbols(text: str) -> str:
    """Return a string as `quote_typed`, or the beginning of a long one."""
    return quote_typed(text if len(text) <= 60 else text[:57] + "...")


def _runs(symbols: Sequence[str], write: Callable[[str], str]) -> list[str]:
    """Return symbols, and a range in place of characters that follow each other."""
    runs: list[str] = []
    begin = 0
    for end in range(1, len(symbols) + 1):
        if end < len(symbols) and _follows(symbols[end - 1], symbols[end]):
            continue
        if end - begin >= _SHORTEST_RUN:
            runs.append(f"{write(symbols[begin])}-{write(symbols[end - 1])}")
        else:
            runs += map(write, symbols[begin:end])
        begin = end
    return runs


def _follows(symbol: str, following: str) -> bool:
    """Return whether the second character comes immediately after the first."""
    if len(symbol) != 1 or len(following) != 1:
        return False
    between = ((ord(symbol) + 1, ord(following) - 1),)
    return symbol < following and number_of_symbols(between) == 0
