r"""Languages of regular expressions and of automata-lib's automata.

The operators are those of automata-lib: `*`, `+`, `?`, `{m}`, `{m,}`, `{,n}`, `{m,n}`,
concatenation, and, weaker than it and of equal strength from left to right, `|` (or), `&` (and),
`^` (shuffle). `.` is any symbol, `[ab]`, `[0-9]`, `[^ab]` are classes, `()` is the empty word, and
`\` before a character that is no letter or digit makes it a symbol. Any other character is a symbol
that stands for itself.

The expression is split into tokens, each with its column, which error messages name; `glushkov`
builds the automaton.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from automata.fa.dfa import DFA

from lengthwise.errors import LanguageError
from lengthwise.languages.builders import determinised
from lengthwise.languages.glushkov import Fragment, PositionAutomaton
from lengthwise.languages.language import Language
from lengthwise.languages.validation import is_encodable

MAX_SIZE = 5_000
"""Largest number of symbols of an expression with its repetitions written out."""

_MOST_DIGITS = 9
"""Largest number of digits of a count; a longer number exceeds `MAX_SIZE`, and may be too long for
Python to write.
"""

Kind = Literal["symbols", "any", "(", ")", "infix", "postfix"]

_KINDS: dict[str, Kind] = {".": "any", "(": "(", ")": ")", "|": "infix", "&": "infix", "^": "infix"}
_POSTFIX: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""Least and most repetitions of each postfix operator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Token:
    kind: Kind
    text: str
    column: int
    symbols: str = ""
    """Characters named by a symbol or class, each at its own column."""
    columns: tuple[int, ...] = ()
    negated: bool = False
    least: int = 0
    most: int | None = None


def from_regex(expression: str, alphabet: Sequence[str] | None = None) -> Language:
    """Build the language of a regular expression: class 1 for words that match as a whole.

    The alphabet is the sorted symbols of the expression, unless a larger one is given.

    >>> language = from_regex("(0|10*1)*")
    >>> "1001" in language, "0110" in language, "1000" in language, "01" in language
    (True, True, False, False)

    Raises:
        LanguageError: the expression is malformed, has a symbol outside the given alphabet (both
            with the column), has a character that UTF-8 cannot write, has no symbols, or needs too
            large a machine.
    """
    if not is_encodable(expression):
        column = next(i for i, c in enumerate(expression, start=1) if not is_encodable(c))
        raise LanguageError(
            f"column {column}: {expression[column - 1]!r} is no character that UTF-8 can write. "
            f"Remove it."
        )
    tokens = _tokens(expression)
    if alphabet is None and not any(token.symbols for token in tokens):
        _put_together(expression, tokens, frozenset("0"), PositionAutomaton())  # its grammar first
    symbols = _alphabet(expression, tokens, alphabet)
    positions = PositionAutomaton()
    whole = _put_together(expression, tokens, frozenset(symbols), positions)
    try:
        return positions.language(whole, symbols)
    except LanguageError as error:
        raise LanguageError(f"expression {_short(expression)}: {error}") from None


def from_automata_dfa(dfa: DFA) -> Language:
    """Convert an automata-lib DFA to a minimised language; a partial DFA is completed with a sink.

    Symbols are sorted, and states numbered by their shortest words, so the result does not depend
    on the names or the order of the DFA's states.

    Raises:
        LanguageError: it is no DFA, or a symbol is empty or has a space in it.
    """
    if not isinstance(dfa, DFA):
        raise LanguageError(
            f"a DFA of automata-lib is needed, but got {type(dfa).__name__}. Of an NFA, give "
            f"DFA.from_nfa(nfa)."
        )
    index: dict[Hashable, int] = {state: i for i, state in enumerate(dfa.states)}
    arcs: list[dict[str, tuple[int, ...]]] = [{} for _ in index]
    for state, row in dfa.transitions.items():
        for symbol, target in row.items():
            arcs[index[state]][symbol] = (index[target],)
    return determinised(
        sorted(dfa.input_symbols),
        arcs,
        index[dfa.initial_state],
        [index[state] for state in dfa.final_states],
        max_states=len(index) + 1,
    )


# ---- tokens ----------------------------------------------------------------------------------


def _tokens(expression: str) -> list[_Token]:
    """Split an expression into tokens, each with its column (from 1)."""
    tokens = []
    at = 0
    while at < len(expression):
        token = _token(expression, at)
        tokens.append(token)
        at += len(token.text)
    return tokens


def _token(expression: str, at: int) -> _Token:
    character, column = expression[at], at + 1
    if character == "\\":
        escaped = _escaped(expression, at)
        return _Token(
            kind="symbols", text="\\" + escaped, column=column, symbols=escaped, columns=(column,)
        )
    if character == "[":
        return _class(expression, at)
    if character == "{":
        return _quantifier(expression, at)
    if character in "]}":
        opening = {"]": "[", "}": "{"}[character]
        _refuse(
            expression,
            column,
            f"{character!r} closes nothing. Add {opening!r} before it, or write '\\{character}'",
        )
    if character.isspace():
        _refuse(
            expression,
            column,
            f"{character!r} is no symbol: symbols of an expression have one character, and stand "
            f"without spaces. Remove it",
        )
    if character in _POSTFIX:
        least, most = _POSTFIX[character]
        return _Token(kind="postfix", text=character, column=column, least=least, most=most)
    if character in _KINDS:
        return _Token(kind=_KINDS[character], text=character, column=column)
    return _Token(
        kind="symbols", text=character, column=column, symbols=character, columns=(column,)
    )


def _escaped(expression: str, at: int) -> str:
    column = at + 1
    if at + 1 == len(expression):
        _refuse(expression, column, "'\\' has nothing after it. Write '\\\\' for the symbol itself")
    escaped = expression[at + 1]
    if escaped.isalnum() or escaped.isspace():
        _refuse(
            expression,
            column,
            f"'\\{escaped}' is not known: '\\' stands before a character that is an operator. "
            f"Write classes out, such as [0-9]",
        )
    return escaped


def _class(expression: str, at: int) -> _Token:
    """Read a class such as `[ab0-9]` or `[^ab]`."""
    end = at + 1
    negated = expression[end : end + 1] == "^"
    end += negated
    items: list[tuple[str, int, bool]] = []
    while end < len(expression) and expression[end] != "]":
        is_escape = expression[end] == "\\"
        character = _escaped(expression, end) if is_escape else expression[end]
        if character.isspace():
            _refuse(expression, end + 1, f"{character!r} is no symbol. Remove it")
        items.append((character, end + 1, is_escape))
        end += 1 + is_escape
    if end >= len(expression):
        _refuse(expression, at + 1, "'[' is not closed. Add ']', or write '\\['")
    if not items:
        _refuse(
            expression, at + 1, "a class names at least one symbol. Write it between '[' and ']'"
        )
    symbols, columns = [], []
    i = 0
    while i < len(items):
        first, column, _ = items[i]
        last = first
        if i + 2 < len(items) and items[i + 1][0] == "-" and not items[i + 1][2]:
            last = items[i + 2][0]
            i += 2
        if last < first:
            _refuse(expression, column, f"the range {first}-{last} is empty. Write {last}-{first}")
        if ord(last) - ord(first) >= MAX_SIZE:
            _refuse(
                expression,
                column,
                f"a range has at most {MAX_SIZE} symbols, but {first}-{last} has "
                f"{ord(last) - ord(first) + 1}. Name fewer",
            )
        span = [chr(code) for code in range(ord(first), ord(last) + 1)]
        symbols += span
        columns += [column] * len(span)
        i += 1
    return _Token(
        kind="symbols",
        text=expression[at : end + 1],
        column=at + 1,
        symbols="".join(symbols),
        columns=tuple(columns),
        negated=negated,
    )


def _quantifier(expression: str, at: int) -> _Token:
    """Read a count such as `{2}`, `{2,}`, `{,3}` or `{2,3}`."""
    match = re.compile(r"\{(?:(\d+)|(\d*),(\d*))\}", re.ASCII).match(expression, at)
    if match is None or match.group() == "{,}":
        _refuse(expression, at + 1, "a count is {m}, {m,}, {,n} or {m,n}. Or write '\\{'")
    if max(map(len, match.group()[1:-1].split(","))) > _MOST_DIGITS:
        _refuse(expression, at + 1, f"a count has at most {_MOST_DIGITS} digits. Repeat less")
    exactly, low, high = match.groups()
    least = int(exactly or low or 0)
    most = least if exactly else (int(high) if high else None)
    if most is not None and most < least:
        _refuse(expression, at + 1, f"{match.group()} ends before it begins. Swap the numbers")
    return _Token(kind="postfix", text=match.group(), column=at + 1, least=least, most=most)


# ---- grammar ---------------------------------------------------------------------------------


@dataclass(kw_only=True, slots=True)
class _Level:
    """The operands read so far inside one pair of brackets."""

    opening: _Token | None = None
    done: Fragment | None = None
    """The operands before the last infix operator, as one fragment."""
    done_size: int = 0
    operator: _Token | None = None
    items: list[Fragment] = field(default_factory=list)
    """Items of the last operand."""
    sizes: list[int] = field(default_factory=list)
    """Size of each item."""
    last_size: int = 0
    """Sum of the sizes of all items."""

    def add(self, item: Fragment, size: int) -> None:
        """Append an item to the last operand."""
        self.items.append(item)
        self.sizes.append(size)
        self.last_size += size

    def size(self) -> int:
        """Return the size of all operands; for `&` and `^` it is a product, as two automata run at
        once.
        """
        if self.operator is None:
            return self.last_size
        if self.operator.text == "|":
            return self.done_size + self.last_size
        return (self.done_size + 1) * (self.last_size + 1)

    def part(self, positions: PositionAutomaton) -> Fragment:
        """Return all operands as one fragment."""
        last = positions.joined(self.items)
        if self.operator is None or self.done is None:
            return last
        join = {"|": positions.either, "&": positions.both, "^": positions.shuffled}[
            self.operator.text
        ]
        return join(self.done, last)


def _put_together(
    expression: str,
    tokens: Sequence[_Token],
    alphabet: frozenset[str],
    positions: PositionAutomaton,
) -> Fragment:
    """Build the fragment of an expression; grammar and size are checked at every token."""
    levels = [_Level()]
    for token in tokens:
        level = levels[-1]
        if token.kind == "(":
            levels.append(_Level(opening=token))
            continue
        if token.kind == ")":
            if level.opening is None:
                _refuse(expression, token.column, "')' closes nothing. Add '(' before it")
            _require_operand(expression, level, token)
            levels.pop()
            levels[-1].add(level.part(positions), level.size())
        elif token.kind == "infix":
            _require_operand(expression, level, token)
            done, size = level.part(positions), level.size()
            levels[-1] = _Level(opening=level.opening, done=done, done_size=size, operator=token)
        elif token.kind == "postfix":
            size = _size_repeated(expression, level, token)
            if level.size() + size - level.sizes[-1] <= MAX_SIZE:
                level.items[-1] = positions.repeated(level.items[-1], token.least, token.most)
            level.last_size += size - level.sizes[-1]
            level.sizes[-1] = size
        else:
            level.add(positions.one_of(_choice(token, alphabet)), 1)
        if levels[-1].size() > MAX_SIZE:
            _refuse(
                expression,
                token.column,
                f"written out, an expression has at most {MAX_SIZE} symbols ('&' and '^' multiply "
                f"them), but this has {levels[-1].size()}. Repeat less",
            )
    level = levels[-1]
    if level.opening is not None:
        _refuse(expression, level.opening.column, "'(' is not closed. Add ')'")
    _require_operand(expression, level, None)
    return level.part(positions)


def _require_operand(expression: str, level: _Level, before: _Token | None) -> None:
    """Refuse `|a`, `a|` and `a||b`; `()` and the empty expression are the empty word."""
    ends = before is None or before.kind == ")"
    if level.items or (ends and level.operator is None):
        return
    operator = before if before is not None and before.kind == "infix" else level.operator
    assert operator is not None
    side = "before" if operator is before else "after"
    _refuse(
        expression,
        operator.column,
        f"{operator.text!r} has nothing {side} it. Write '()' for the empty word, "
        f"or '\\{operator.text}' for the symbol",
    )


def _size_repeated(expression: str, level: _Level, token: _Token) -> int:
    """Return the size of the last item with its repetitions written out."""
    if not level.items:
        _refuse(
            expression,
            token.column,
            f"{token.text!r} has nothing before it to repeat. Remove it, "
            f"or write '\\{token.text}' for the symbol",
        )
    return level.sizes[-1] * max(token.least, token.most or 1)


def _choice(token: _Token, alphabet: frozenset[str]) -> frozenset[str]:
    """Return the symbols that a class, `.` or a symbol names; there may be none."""
    if token.kind == "any":
        return alphabet
    return alphabet - set(token.symbols) if token.negated else frozenset(token.symbols)


def _alphabet(
    expression: str, tokens: Sequence[_Token], alphabet: Sequence[str] | None
) -> tuple[str, ...]:
    named = {
        symbol: column
        for token in reversed(tokens)
        for symbol, column in zip(token.symbols, token.columns, strict=True)
    }
    if alphabet is None:
        if not named:
            raise LanguageError(
                f"a language needs symbols, but expression {_short(expression)} names none. "
                f"Give the alphabet, as in regex[01]:{expression}"
            )
        return tuple(sorted(named))
    if not alphabet:
        raise LanguageError("an alphabet needs at least one symbol, but it is empty.")
    for symbol, column in sorted(named.items(), key=lambda item: item[1]):
        if symbol not in alphabet:
            _refuse(
                expression,
                column,
                f"symbol {symbol!r} is not in the alphabet {' '.join(alphabet)!r}. "
                f"Add it to the alphabet",
            )
    return tuple(alphabet)


def _refuse(expression: str, column: int, what: str) -> NoReturn:
    raise LanguageError(f"expression {_short(expression)}, column {column}: {what}.")


def _short(expression: str) -> str:
    """Return an expression on one line, between quotes, with backslashes as they are written."""
    shown = repr(expression if len(expression) <= 60 else expression[:57] + "...")
    return shown.replace("\\\\", "\\")
