r"""Languages of regular expressions.

The operators of Python's `re` have its meaning: `*`, `+`, `?`, `{m}`, `{m,}`, `{,n}`, `{m,n}`,
each also lazy (`*?`, which has the same words), concatenation, `|`, groups and classes. `&` (and)
and `^` (shuffle) are those of automata-lib, and as strong as `|`, from left to right. `.` is any
symbol, `()` the empty word. `regex_tokens` splits an expression into tokens.

Idea. Characters that no class of the expression tells apart lead to the same states. So `glushkov`
builds the automaton over one character of each such set, and the rows are written out at the end:
an alphabet of 60,000 symbols costs what one of three costs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from lengthwise.errors import LanguageError
from lengthwise.languages.alike_symbols import code_of, put_alike_together
from lengthwise.languages.characters import (
    EVERYTHING,
    NamedSymbols,
    Ranges,
    count_left_out,
    few_symbols,
    list_symbols,
    merge_ranges,
    number_of_symbols,
    short_symbols,
    symbols_in,
)
from lengthwise.languages.glushkov import Fragment, PositionAutomaton
from lengthwise.languages.language import Language
from lengthwise.languages.regex_tokens import Token, refuse_token, tokens_of
from lengthwise.languages.validation import check_alphabet
from lengthwise.messages import format_count

MAX_SIZE = 5_000
"""Largest number of symbols of an expression with its repetitions written out."""

MAX_ENTRIES = 5_000_000
"""Largest number of entries of the table of an automaton, states by symbols."""

_MEANINGS = {"&": "'and': a word must match both sides", "^": "the shuffle of its two sides"}

T = TypeVar("T")


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
    return Expression(expression).language(alphabet)


class Expression:
    """A regular expression whose grammar and size have been checked.

    Raises:
        LanguageError: it is malformed or too large.
    """

    def __init__(self, expression: str) -> None:
        self.written = expression
        self._tokens = tokens_of(expression)
        size = _put_together(expression, self._tokens, _Sizes())
        if size > MAX_SIZE:
            number = f"{size:,}" if size < 10**18 else "more than 10^18"
            raise LanguageError(
                f"written out, an expression has at most {MAX_SIZE:,} symbols ('&' and '^' "
                f"multiply them), but {short_symbols(expression)} has {number}. Repeat less."
            )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The sorted symbols that the expression names; there may be none.

        Raises:
            LanguageError: there are too many.
        """
        return tuple(few_symbols(self._named, f"expression {short_symbols(self.written)}"))

    def language(self, alphabet: Sequence[str] | None = None) -> Language:
        """Build the language over the alphabet, by default the symbols of the expression."""
        symbols = self.symbols if alphabet is None else tuple(alphabet)
        if alphabet is not None:
            self._require_within(symbols)
        elif not symbols:
            raise LanguageError(
                f"a language needs symbols, but expression {short_symbols(self.written)} names "
                f"none (white space is not a symbol). Give the alphabet, as in "
                f"regex[01]:{self.written}"
            )
        sets = self.classes
        alike = put_alike_together(symbols, sets)
        members = dict(zip(sets, alike.members, strict=True))
        small = self.automaton(members, alike.representatives)
        if small.num_states * len(symbols) > MAX_ENTRIES:
            raise LanguageError(
                f"expression {short_symbols(self.written)}: {small.num_states:,} states by "
                f"{len(symbols):,} symbols are more than {MAX_ENTRIES:,} entries of a table. Use a "
                f"smaller alphabet."
            )
        return replace(
            small,
            alphabet=symbols,
            transitions=tuple(
                tuple(map(row.__getitem__, alike.places)) for row in small.transitions
            ),
        )

    @property
    def classes(self) -> list[Ranges]:
        """The sets of characters that its symbols and classes match, each once."""
        return list(dict.fromkeys(t.matched for t in self._tokens if t.kind == "symbols"))

    def automaton(
        self, members: Mapping[Ranges, frozenset[str]], symbols: Sequence[str]
    ) -> Language:
        """Build the automaton over symbols that are the members of the classes."""
        positions = PositionAutomaton()
        build = _Fragments(positions, members)
        try:
            return positions.language(_put_together(self.written, self._tokens, build), symbols)
        except LanguageError as error:
            raise LanguageError(f"expression {short_symbols(self.written)}: {error}") from None

    def remarks(self, alphabet: Sequence[str]) -> list[str]:
        """Return what a reader may have meant otherwise, one line each."""
        lines = [*self._union(), *self._operators(), *self._nothing(alphabet)]
        return [f"expression {short_symbols(self.written)}, {remark}." for remark in lines]

    def _union(self) -> list[str]:
        """Return a remark if `+` looks as if it stood for `or`, as in `(a+b)*` of textbooks."""
        for token in self._tokens:
            if token.text == "|" or token.text[0] in "[\\" or len(token.text) > 1:
                return []  # whoever writes these knows what `+` is
        for first, second in zip(self._tokens, self._tokens[1:], strict=False):
            if first.text == "+" and second.kind in ("symbols", "("):
                return [
                    f"column {first.column}: '+' is read as one or more of what comes before it. "
                    f"Write '|' for 'or'"
                ]
        return []

    def _operators(self) -> list[str]:
        """Return a remark if `&` or `^` looks as if it stood for itself, as in `2^10`."""
        sign = next((token for token in self._tokens if token.text in _MEANINGS), None)
        if sign is None or any(t.kind not in ("symbols", "infix") for t in self._tokens):
            return []  # repetitions and groups show that it is an expression
        sentence = "column {0}: '{1}' is read as {2}. Write '\\{1}' for the symbol"
        return [sentence.format(sign.column, sign.text, _MEANINGS[sign.text])]

    def _nothing(self, alphabet: Sequence[str]) -> list[str]:
        """Return remarks on classes that match fewer symbols than they name."""
        remarks, symbols = [], sorted(map(code_of, alphabet))
        for token in self._tokens:
            if token.kind == "symbols" and not any(
                bisect_left(symbols, first) < bisect_right(symbols, last)
                for first, last in token.matched
            ):
                remarks.append(
                    f"column {token.column}: {token.text} has no symbol of the alphabet "
                    f"{list_symbols(alphabet)!r} left, so it matches nothing"
                    + (
                        " (spaces are not symbols)"
                        if any(any(count_left_out(part.ranges)) for part in token.named)
                        else ". Give an alphabet with more symbols"
                    )
                )
                break
        without = [
            part
            for token in self._tokens
            for part in token.named
            if any(count_left_out(part.ranges)) and _matches_all(token, part)
        ]
        spaces, surrogates = count_left_out(
            merge_ranges([span for n in without for span in n.ranges])
        )
        if spaces and not remarks:
            remarks.append(
                f"column {without[0].column}: read without {format_count(spaces, 'space')}"
                + (f" and {format_count(surrogates, 'surrogate')}" if surrogates else "")
                + ", as these are not symbols"
            )
        return remarks

    @cached_property
    def _named(self) -> Ranges:
        """All characters that the expression names."""
        return merge_ranges(
            [span for token in self._tokens for symbols in token.named for span in symbols.ranges]
        )

    def _require_within(self, alphabet: tuple[str, ...]) -> None:
        """Refuse an alphabet that lacks a symbol of the expression."""
        check_alphabet(alphabet)
        owncode_ofs = {code_of(symbol) for symbol in alphabet}
        codes = sorted(owncode_ofs)
        for token in self._tokens:
            for part in token.named:
                ((first, last), *_) = part.ranges
                known = bisect_right(codes, last) - bisect_left(codes, first)
                if part.is_shorthand or known == number_of_symbols(part.ranges):
                    continue
                symbol = next(s for s in symbols_in(part.ranges) if ord(s) not in owncode_ofs)
                refuse_token(
                    self.written,
                    part.column,
                    f"symbol {symbol!r} is not in the alphabet {list_symbols(alphabet)!r}. "
                    f"Add it to the alphabet",
                )


# ---- remarks -------------------------------------------------------------------------------------


def _matches_all(token: Token, part: NamedSymbols) -> bool:
    """Return whether a class matches what it names: it is not `[^...]`, `\\S` or any symbol."""
    first = part.ranges[0][0]
    return token.matched != EVERYTHING and any(a <= first <= b for a, b in token.matched)


# ---- grammar ---------------------------------------------------------------------------------


class _Algebra(Protocol[T]):
    """Compute a value from each operator of an expression; the grammar is the same for all."""

    def one_of(self, token: Token) -> T:
        """Return the value of a symbol or class."""
        ...

    def concatenate(self, parts: Sequence[T]) -> T:
        """Return the value of a concatenation."""
        ...

    def repeat(self, part: T, least: int, most: int | None) -> T:
        """Return the value of a repetition."""
        ...

    def either(self, left: T, right: T) -> T:
        """Return the value of a union."""
        ...

    def both(self, left: T, right: T) -> T:
        """Return the value of an intersection."""
        ...

    def shuffle(self, left: T, right: T) -> T:
        """Return the value of a shuffle."""
        ...


class _Sizes:
    """The number of symbols with repetitions written out; `&` and `^` run two automata at once."""

    def one_of(self, token: Token) -> int:
        del token
        return 1

    def concatenate(self, parts: Sequence[int]) -> int:
        return sum(parts)

    def repeat(self, part: int, least: int, most: int | None) -> int:
        return part * max(least, most or 1)

    def either(self, left: int, right: int) -> int:
        return left + right

    def both(self, left: int, right: int) -> int:
        return (left + 1) * (right + 1)

    shuffle = both


class _Fragments:
    """The fragments of a position automaton."""

    def __init__(
        self, positions: PositionAutomaton, members: Mapping[Ranges, frozenset[str]]
    ) -> None:
        self._members, self._positions = members, positions
        self.concatenate, self.repeat = positions.concatenate, positions.repeat
        self.either, self.both = positions.either, positions.both
        self.shuffle = positions.shuffle

    def one_of(self, token: Token) -> Fragment:
        return self._positions.one_of(self._members[token.matched])


@dataclass(kw_only=True, slots=True)
class _Level(Generic[T]):
    """The operands read so far inside one pair of brackets."""

    opening: Token | None = None
    done: T | None = None
    """The operands before the last infix operator, as one value."""
    operator: Token | None = None
    items: list[T] = field(default_factory=list)
    """Items of the last operand."""

    def value(self, algebra: _Algebra[T]) -> T:
        """Return the value of all operands."""
        last = algebra.concatenate(self.items)
        if self.operator is None or self.done is None:
            return last
        join = {"|": algebra.either, "&": algebra.both, "^": algebra.shuffle}[self.operator.text]
        return join(self.done, last)


def _put_together(expression: str, tokens: Sequence[Token], algebra: _Algebra[T]) -> T:
    """Compute the value of an expression; its grammar is checked at every token."""
    levels = [_Level[T]()]
    for token in tokens:
        level = levels[-1]
        if token.kind == "(":
            levels.append(_Level[T](opening=token))
        elif token.kind == ")":
            if level.opening is None:
                refuse_token(expression, token.column, "')' closes nothing. Add '(' before it")
            _require_operand(expression, level, token)
            levels.pop()
            levels[-1].items.append(level.value(algebra))
        elif token.kind == "infix":
            _require_operand(expression, level, token)
            levels[-1] = _Level(opening=level.opening, done=level.value(algebra), operator=token)
        elif token.kind == "postfix":
            if not level.items:
                refuse_token(
                    expression,
                    token.column,
                    f"{token.text!r} has nothing before it to repeat. Remove it, "
                    f"or write '\\{token.text}' for the symbol",
                )
            level.items[-1] = algebra.repeat(level.items[-1], token.least, token.most)
        else:
            level.items.append(algebra.one_of(token))
    level = levels[-1]
    if level.opening is not None:
        refuse_token(expression, level.opening.column, "'(' is not closed. Add ')'")
    _require_operand(expression, level, None)
    return level.value(algebra)


def _require_operand(expression: str, level: _Level[T], before: Token | None) -> None:
    """Refuse `|a`, `a|` and `a||b`; `()` and the empty expression are the empty word."""
    ends = before is None or before.kind == ")"
    if level.items or (ends and level.operator is None):
        return
    operator = before if before is not None and before.kind == "infix" else level.operator
    assert operator is not None
    if operator.text == "^":
        refuse_token(
            expression,
            operator.column,
            "'^' is an anchor, which may only begin an expression (between two operands it is the "
            "shuffle). Remove it, or write '\\^' for the symbol",
        )
    side = "before" if operator is before else "after"
    refuse_token(
        expression,
        operator.column,
        f"{operator.text!r} has nothing {side} it. Write '()' for the empty word, "
        f"or '\\{operator.text}' for the symbol",
    )
