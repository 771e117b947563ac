r"""The tokens of regular expressions, each with its column, which error messages name.

What Python's `re` writes and no automaton of ours has is refused by its name: backreferences,
lookaround, anchors within an expression, possessive repetitions, flags.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import (
    EVERYTHING,
    NamedSymbols,
    Ranges,
    character_at,
    complement,
    read_class,
    short_symbols,
    shorthand_at,
)

MAX_CHARACTERS = 100_000
"""Largest number of characters of an expression."""

_MOST_DIGITS = 9
"""Largest number of digits of a count; a longer number may be too long for Python to write."""

Kind = Literal["symbols", "(", ")", "infix", "postfix"]

_KINDS: dict[str, Kind] = {"(": "(", ")": ")", "|": "infix", "&": "infix", "^": "infix"}
_POSTFIX: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""Least and most repetitions of each postfix operator."""

_COUNT = re.compile(r"\{(?:(\d+)|(\d*),(\d*))\}", re.ASCII)
_GROUP = re.compile(r"\(\?(?::|P?<[^\W\d]\w*>)")
_NO_GROUPS = {
    r"\(\?<?[=!]": "lookaround",
    r"\(\?>": "an atomic group, which never gives back what it took",
    r"\(\?P=": "a backreference",
    r"\(\?(?:R|&|P>|\d)": "recursion",
    r"\(\?\(": "a conditional",
    r"\(\?#": "a comment",
    r"\(\?[aiLmsux-]+[:)]": "a flag",
}
_BEGINNINGS, _ENDS = ("^", "\\A"), ("$", "\\Z", "\\z")
"""Anchors, which change nothing at the ends, as an expression is about whole words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """An operator, a bracket, or a symbol or class of symbols."""

    kind: Kind
    text: str
    column: int
    named: tuple[NamedSymbols, ...] = ()
    """The characters that a symbol or class is written with."""
    matched: Ranges = ()
    least: int = 0
    most: int | None = None

    @property
    def is_lazy(self) -> bool:
        """Tell whether a repetition is written `*?`, which has the words of `*`."""
        return self.kind == "postfix" and len(self.text) > 1 and self.text[-1] == "?"


def tokens_of(expression: str) -> list[Token]:
    """Split an expression into tokens, each with its column (from 1).

    Raises:
        LanguageError: a character cannot occur where it does; the message has the column.
    """
    if len(expression) > MAX_CHARACTERS:
        raise LanguageError(
            f"an expression has at most {MAX_CHARACTERS:,} characters, but "
            f"{short_symbols(expression)} has {len(expression):,}. Use a smaller one."
        )
    end = len(expression)
    for anchor in _ENDS:
        before = expression.removesuffix(anchor)
        if before != expression and (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            end = len(before)
            break
    at = next((len(anchor) for anchor in _BEGINNINGS if expression.startswith(anchor)), 0)
    tokens: list[Token] = []
    while at < end:
        token = _token(expression, at)
        at += len(token.text)
        if token.kind == "postfix" and tokens and tokens[-1].kind == "postfix":
            tokens[-1] = _read_stacked(expression, tokens[-1], token)
        else:
            tokens.append(token)
    return tokens


def refuse_token(expression: str, column: int, fault: str) -> NoReturn:
    """Refuse an expression because of what is in a column.

    Raises:
        LanguageError: always.
    """
    raise LanguageError(f"expression {short_symbols(expression)}, column {column}: {fault}.")


def _token(expression: str, at: int) -> Token:
    character, column = expression[at], at + 1
    if character in _POSTFIX:
        least, most = _POSTFIX[character]
        return Token(kind="postfix", text=character, column=column, least=least, most=most)
    if character == "(":
        return Token(kind="(", text=_opening(expression, at), column=column)
    if character in _KINDS:
        return Token(kind=_KINDS[character], text=character, column=column)
    if character == ".":
        return Token(kind="symbols", text=character, column=column, matched=EVERYTHING)
    if character == "[":
        return _class(expression, at)
    if character == "{":
        return _count(expression, at)
    if character in "]}":
        opening = {"]": "[", "}": "{"}[character]
        refuse_token(
            expression,
            column,
            f"{character!r} closes nothing. Add {opening!r} before it, or write '\\{character}'",
        )
    if character == "$":
        refuse_token(
            expression,
            column,
            "'$' is an anchor, which may only end an expression. Write '\\$' for the symbol",
        )
    if (shorthand := shorthand_at(expression, at)) is not None:
        text = expression[at : at + 2]
        named_symbols, matched = shorthand
        return Token(
            kind="symbols", text=text, column=column, named=(named_symbols,), matched=matched
        )
    symbol, after = character_at(
        expression, at, lambda at_column, fault: refuse_token(expression, at_column, fault)
    )
    if symbol.isspace():
        refuse_token(
            expression,
            column,
            f"{symbol!r} is not a symbol: symbols of an expression have one character, without "
            f"spaces between them. Remove it, or write another symbol for it, such as '_'",
        )
    if "\ud800" <= symbol <= "\udfff":
        refuse_token(
            expression, column, f"{symbol!r} is not a character that UTF-8 can write. Remove it"
        )
    ranges = ((ord(symbol), ord(symbol)),)
    return Token(
        kind="symbols",
        text=expression[at:after],
        column=column,
        named=(NamedSymbols(ranges, column),),
        matched=ranges,
    )


def _opening(expression: str, at: int) -> str:
    """Return `(`, `(?:`, `(?P<name>` or `(?<name>`, whichever opens a group."""
    if (group := _GROUP.match(expression, at)) is not None:
        return group.group()
    for pattern, meaning in _NO_GROUPS.items():
        if match := re.compile(pattern).match(expression, at):
            refuse_token(
                expression,
                at + 1,
                f"{match.group()!r} begins {meaning}, which is not supported. Write the expression "
                f"without it",
            )
    return "("


def _class(expression: str, at: int) -> Token:
    """Read a class such as `[ab0-9]` or `[^ab]`."""
    inside = at + 1 + expression.startswith("^", at + 1)
    symbol_class, end = read_class(
        expression, inside, "]", lambda where, fault: refuse_token(expression, where, fault)
    )
    if end >= len(expression):
        refuse_token(expression, at + 1, "'[' is not closed. Add ']', or write '\\['")
    if not symbol_class.named:
        refuse_token(
            expression,
            at + 1,
            "a class names at least one symbol. Write it between '[' and ']', and '\\]' for ']'",
        )
    return Token(
        kind="symbols",
        text=expression[at : end + 1],
        column=at + 1,
        named=symbol_class.named,
        matched=complement(symbol_class.matched) if inside > at + 1 else symbol_class.matched,
    )


def _count(expression: str, at: int) -> Token:
    """Read a count such as `{2}`, `{2,}`, `{,3}` or `{2,3}`."""
    match = _COUNT.match(expression, at)
    if match is None or match.group() == "{,}":
        refuse_token(expression, at + 1, "a count is {m}, {m,}, {,n} or {m,n}. Or write '\\{'")
    if max(map(len, match.group()[1:-1].split(","))) > _MOST_DIGITS:
        refuse_token(expression, at + 1, f"a count has at most {_MOST_DIGITS} digits. Repeat less")
    exactly, low, high = match.groups()
    least = int(exactly or low or 0)
    most = least if exactly else (int(high) if high else None)
    if most is not None and most < least:
        refuse_token(expression, at + 1, f"{match.group()} ends before it begins. Swap the numbers")
    return Token(kind="postfix", text=match.group(), column=at + 1, least=least, most=most)


def _read_stacked(expression: str, first: Token, second: Token) -> Token:
    """Return a lazy repetition; refuse what else a repetition after another may be."""
    if second.text == "?" and not first.is_lazy:
        return replace(first, text=first.text + "?")
    if second.text == "+" and not first.is_lazy:
        refuse_token(
            expression,
            second.column,
            f"'{first.text}+' is possessive: it never gives back what it took, which is not "
            f"supported. Write '{first.text}', or (...{first.text})+ to repeat, or '|' for 'or'",
        )
    refuse_token(
        expression,
        second.column,
        f"{second.text!r} repeats what {first.text!r} repeats already. Remove one, or put brackets "
        f"around the inner repetition, as in (a*)*",
    )
