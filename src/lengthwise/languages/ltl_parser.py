"""A parser of formulas of past-time linear temporal logic.

    formula  = implied ["<->" formula]
    implied  = either ["->" implied]
    either   = both {"|" both}
    both     = since {"&" since}
    since    = unary ["S" since]
    unary    = ("!" | "Y" | "O" | "H") unary | "(" formula ")" | "true" | "false" | symbol

A symbol is a run of letters, digits and underscores, or anything in single quotes, which a symbol
needs that is also an operator. Operators have names as well: `WORDS`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, NoReturn

from lengthwise.errors import LanguageError
from lengthwise.languages.characters import listed
from lengthwise.languages.ltl import Builder, Formula

WORDS: Mapping[str, str] = {
    **{"S": "S", "since": "S"},
    **{"Y": "Y", "yesterday": "Y"},
    **{"O": "O", "P": "O", "once": "O"},
    **{"H": "H", "historically": "H"},
    **{"true": "true", "false": "false"},
}
"""Operators that are words."""

SIGNS: Mapping[str, str] = {
    **{"<->": "<->", "<=>": "<->", "->": "->", "=>": "->"},
    **{"|": "|", "||": "|", "&": "&", "&&": "&", "!": "!", "~": "!", "(": "(", ")": ")"},
}
"""Operators that are signs."""

FUTURE: Mapping[str, str] = {
    **dict.fromkeys(("X", "N", "next"), "Y (yesterday)"),
    **dict.fromkeys(("F", "finally", "eventually"), "O (once)"),
    **dict.fromkeys(("G", "globally", "always"), "H (historically)"),
    **dict.fromkeys(("U", "W", "R", "M", "until", "release"), "S (since)"),
}
"""Operators of the future, and what looks into the past as they look ahead."""

MAX_DEPTH = 100
"""Deepest nesting that is read."""

_TOKEN = re.compile(r"\s*(?:'([^']+)'|(\w+)|(<->|<=>|->|=>|\|\|?|&&?|[!~()]))")


class _Token(NamedTuple):
    column: int
    kind: str
    """An operator, `symbol`, or `end`."""
    text: str


def parse_formula(text: str, alphabet: Collection[str] | None = None) -> Formula:
    """Return the formula that a string describes; its symbols are in the alphabet, if there is one.

    Raises:
        LanguageError: it is not a formula of past-time logic; the message names the column.
    """
    parser = _Parser(_tokens(text, alphabet))
    root = parser.formula()
    if parser.next.kind != "end":
        parser.refuse("an operator or the end")
    return parser.builder.build(root)


def _tokens(text: str, alphabet: Collection[str] | None) -> list[_Token]:
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
        elif word in WORDS:
            tokens.append(_Token(column, WORDS[word], word))
        elif word in FUTURE:
            raise LanguageError(
                f"column {column}: {word} looks into the future, but formulas are about the past. "
                f"Use {FUTURE[word]}, or put the symbol into quotes: '{word}'."
            )
        else:
            if alphabet is not None and token not in alphabet:
                raise LanguageError(
                    f"column {column}: symbol {token!r:.40} is not in the alphabet. Use: "
                    f"{listed(list(alphabet))}"
                )
            tokens.append(_Token(column, "symbol", token))
    return [*tokens, _Token(len(text.rstrip()) + 1, "end", "the end")]


class _Parser:
    """Recursive descent, one method for each line of the grammar."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.builder = Builder()
        self._tokens, self._at, self._depth = tokens, 0, 0

    @property
    def next(self) -> _Token:
        return self._tokens[self._at]

    def formula(self) -> int:
        left = self._implied()
        if not self._take("<->"):
            return left
        right, not_ = self._deeper(self.formula), self.builder.negation
        both_hold = self.builder.add("and", left, right)
        return self.builder.add("or", both_hold, self.builder.add("and", not_(left), not_(right)))

    def _implied(self) -> int:
        left = self._either()
        if not self._take("->"):
            return left
        return self.builder.add("or", self.builder.negation(left), self._deeper(self._implied))

    def _either(self) -> int:
        node = self._both()
        while self._take("|"):
            node = self.builder.add("or", node, self._both())
        return node

    def _both(self) -> int:
        node = self._since()
        while self._take("&"):
            node = self.builder.add("and", node, self._since())
        return node

    def _since(self) -> int:
        left = self._unary()
        return (
            self.builder.add("since", left, self._deeper(self._since)) if self._take("S") else left
        )

    def _unary(self) -> int:
        token, builder = self.next, self.builder
        if token.kind in ("!", "Y", "O", "H", "(", "true", "false", "symbol"):
            self._at += 1
        match token.kind:
            case "!":
                node = builder.negation(self._deeper(self._unary))
            case "Y":
                node = builder.add("yesterday", self._deeper(self._unary))
            case "O":
                node = builder.once(self._deeper(self._unary))
            case "H":
                never = builder.once(builder.negation(self._deeper(self._unary)))
                node = builder.negation(never)
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
                self.refuse("a symbol, '(', '!', Y, O, H, true or false")
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
            f"example, 'a S b' or 'H (a -> Y b)'."
        )
