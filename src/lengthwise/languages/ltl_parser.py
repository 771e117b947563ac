"""A parser of formulas of linear temporal logic, about the past or about the future.

    formula  = implied ["<->" formula]
    implied  = either ["->" implied]
    either   = both {"|" both}
    both     = binary {"&" binary}
    binary   = unary [("S" | "U" | "W" | "R" | "M") binary]
    unary    = ("!" | "Y" | "O" | "H" | "X" | "N" | "F" | "G") unary
             | "(" formula ")" | "true" | "false" | symbol

A symbol is a run of letters, digits and underscores, or anything in single quotes, which a symbol
needs that is also an operator. Operators have names as well. A formula has the operators of one
tense: `PAST` or `FUTURE`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.ltl import Builder, Formula

_CONSTANTS = {"true": "true", "false": "false"}


@dataclass(frozen=True, slots=True)
class Tense:
    """The temporal operators of a logic."""

    name: str
    words: Mapping[str, str]
    """Operators that are words, by each way to write them."""
    remedies: Mapping[str, str]
    """What a message says of the operators of the other tense."""
    example: str


PAST = Tense(
    "the past",
    {
        **{"S": "S", "since": "S"},
        **{"Y": "Y", "yesterday": "Y"},
        **{"O": "O", "P": "O", "once": "O"},
        **{"H": "H", "historically": "H"},
        **_CONSTANTS,
    },
    {
        **dict.fromkeys(("X", "N", "next"), "Y (yesterday)"),
        **dict.fromkeys(("F", "finally", "eventually"), "O (once)"),
        **dict.fromkeys(("G", "globally", "always"), "H (historically)"),
        **dict.fromkeys(("U", "W", "R", "M", "until", "release"), "S (since)"),
    },
    "'a S b' or 'H (a -> Y b)'",
)
"""Operators that look back from the last position."""

FUTURE = Tense(
    "the future",
    {
        **{"X": "X", "next": "X", "N": "N", "WX": "N"},
        **{"F": "F", "finally": "F", "eventually": "F"},
        **{"G": "G", "globally": "G", "always": "G"},
        **{"U": "U", "until": "U", "W": "W", "R": "R", "release": "R", "M": "M"},
        **_CONSTANTS,
    },
    {
        **dict.fromkeys(("Y", "yesterday"), "X (next)"),
        **dict.fromkeys(("O", "P", "once"), "F (finally)"),
        **dict.fromkeys(("H", "historically"), "G (globally)"),
        **dict.fromkeys(("S", "since"), "U (until)"),
    },
    "'a U b' or 'G (a -> X b)'",
)
"""Operators that look ahead from the first position."""

SIGNS: Mapping[str, str] = {
    **{"<->": "<->", "<=>": "<->", "->": "->", "=>": "->"},
    **{"|": "|", "||": "|", "&": "&", "&&": "&", "!": "!", "~": "!", "(": "(", ")": ")"},
}
"""Operators that are signs."""

MAX_DEPTH = 100
"""Deepest nesting that is read."""

_UNARY = ("!", "Y", "O", "H", "X", "N", "F", "G")
_BINARY = ("S", "U", "W", "R", "M")
_TOKEN = re.compile(r"\s*(?:'([^']+)'|(\w+)|(<->|<=>|->|=>|\|\|?|&&?|[!~()]))")


class _Token(NamedTuple):
    column: int
    kind: str
    """An operator, `symbol`, or `end`."""
    text: str


def parse_formula(
    text: str, alphabet: Collection[str] | None = None, tense: Tense = PAST
) -> Formula:
    """Return the formula that a string describes; its symbols are in the alphabet, if there is one.

    Raises:
        LanguageError: it is not a formula of this tense; the message names the column.
    """
    parser = _Parser(_tokens(text, alphabet, tense), tense)
    root = parser.formula()
    if parser.next.kind != "end":
        parser.refuse("an operator or the end")
    return parser.builder.build(root)


def _tokens(text: str, alphabet: Collection[str] | None, tense: Tense) -> list[_Token]:
    tokens, end = list[_Token](), 0
    while text[end:].strip():
        match = _TOKEN.match(text, end)
        if match is None:
            column = end + len(text[end:]) - len(text[end:].lstrip()) + 1
            raise LanguageError(
                f"column {column}: {text[column - 1]!r} begins no symbol or operator of a formula. "
                f"Put a symbol that is a sign into quotes: '+'."
            )
        quoted, word, sign = match.groups()
        token = quoted or word or sign
        column, end = match.end() - len(token) + 1 - 2 * bool(quoted), match.end()
        if sign:
            tokens.append(_Token(column, SIGNS[sign], sign))
        elif word in tense.words:
            tokens.append(_Token(column, tense.words[word], word))
        elif word in tense.remedies:
            other = (FUTURE if tense is PAST else PAST).name
            raise LanguageError(
                f"column {column}: {word} looks into {other}, but this formula is about "
                f"{tense.name}. Use {tense.remedies[word]}, or put the symbol into quotes: "
                f"'{word}'."
            )
        else:
            if alphabet is not None and token not in alphabet:
                raise LanguageError(
                    f"column {column}: symbol {token!r:.40} is not in the alphabet. Use: "
                    f"{list_symbols(list(alphabet))}"
                )
            tokens.append(_Token(column, "symbol", token))
    return [*tokens, _Token(len(text.rstrip()) + 1, "end", "the end")]


class _Parser:
    """Recursive descent, one method for each line of the grammar."""

    def __init__(self, tokens: list[_Token], tense: Tense) -> None:
        self.builder, self._tense = Builder(), tense
        self._tokens, self._at, self._depth = tokens, 0, 0

    @property
    def next(self) -> _Token:
        return self._tokens[self._at]

    def formula(self) -> int:
        left = self._parse_implication()
        if not self._take("<->"):
            return left
        right, not_ = self._deeper(self.formula), self.builder.negation
        both_hold = self.builder.add("and", left, right)
        return self.builder.add("or", both_hold, self.builder.add("and", not_(left), not_(right)))

    def _parse_implication(self) -> int:
        left = self._either()
        if not self._take("->"):
            return left
        return self.builder.add(
            "or", self.builder.negation(left), self._deeper(self._parse_implication)
        )

    def _either(self) -> int:
        node = self._both()
        while self._take("|"):
            node = self.builder.add("or", node, self._both())
        return node

    def _both(self) -> int:
        node = self._binary()
        while self._take("&"):
            node = self.builder.add("and", node, self._binary())
        return node

    def _binary(self) -> int:
        left = self._unary()
        kind = self.next.kind
        if kind not in _BINARY:
            return left
        self._at += 1
        return self.builder.binary(kind, left, self._deeper(self._binary))

    def _unary(self) -> int:
        token, builder = self.next, self.builder
        if token.kind in (*_UNARY, "(", "true", "false", "symbol"):
            self._at += 1
        if token.kind in _UNARY:
            return builder.unary(token.kind, self._deeper(self._unary))
        match token.kind:
            case "(":
                node = self._deeper(self.formula)
                if not self._take(")"):
                    self.refuse("an operator or ')'")
            case "true":
                node = builder.add("true")
            case "false":
                node = builder.negation(builder.add("true"))
            case "symbol":
                node = builder.add("symbol", symbol=token.text)
            case _:
                unary = "Y, O, H" if self._tense is PAST else "X, N, F, G"
                self.refuse(f"a symbol, '(', '!', {unary}, true or false")
        return node

    def _take(self, kind: str) -> bool:
        is_next = self.next.kind == kind
        self._at += is_next
        return is_next

    def _deeper(self, rule: Callable[[], int]) -> int:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise LanguageError(
                f"column {self.next.column}: a formula is nested at most {MAX_DEPTH} deep, and "
                f"this one is deeper. Use fewer parentheses and operators."
            )
        node = rule()
        self._depth -= 1
        return node

    def refuse(self, expected: str) -> NoReturn:
        """Refuse the next token.

        Raises:
            LanguageError: always.
        """
        token = self.next
        text = token.text if token.kind == "end" else repr(token.text)
        raise LanguageError(
            f"column {token.column}: found {text} instead of {expected}. Write, for "
            f"example, {self._tense.example}."
        )
