"""Short regular expressions: their operators, each of which simplifies what it makes.

Two expressions are equal if they are written alike. No rule changes the language:

    ab|ac     a[bc]         common beginnings and ends are written once
    a|a*      a*            and other alternatives that repeat each other
    aa*  a*a  a+            for sequences, too
    (a*b)*a*  (a|b)*        and its mirror image
    (a*b*)*   (a|b)*
    aaaa      a{4}          where that is shorter
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

_Kind = Literal["set", "sequence", "union", "*", "+", "?"]

_SPECIAL = frozenset("\\.^$*+?{}[]|()&")
"""Signs that mean something in our syntax or in Python's."""

_SPECIAL_IN_CLASSES = frozenset("\\]^-[&|~")

_SHORTEST_RANGE = 3


@dataclass(frozen=True, slots=True)
class ShortExpression:
    """A regular expression, with the parts that it was made of."""

    text: str
    kind: _Kind = field(compare=False)
    parts: "tuple[ShortExpression, ...]" = field(compare=False, default=())
    symbols: frozenset[str] = field(compare=False, default=frozenset())
    size: int = field(compare=False, default=1)
    """The number of sets of symbols, with repetitions written out."""
    has_empty: bool = field(compare=False, default=False)
    """Whether the empty word is one of its words."""

    @property
    def factors(self) -> "tuple[ShortExpression, ...]":
        """The parts of a sequence, or the expression alone."""
        return self.parts if self.kind == "sequence" else (self,)

    @property
    def inner(self) -> "ShortExpression":
        """What a repetition repeats."""
        return self.parts[0]

    @property
    def is_repetition(self) -> bool:
        """Tell whether the last operator is `*`, `+` or `?`."""
        return self.kind in ("*", "+", "?")


EMPTY_WORD = ShortExpression("()", "sequence", size=0, has_empty=True)


def one_of(symbols: Iterable[str]) -> ShortExpression:
    """Return the expression of some symbols, of which there is at least one."""
    members = frozenset(symbols)
    if len(members) == 1:
        (symbol,) = members
        return ShortExpression(_escape(symbol, _SPECIAL), "set", symbols=members)
    return ShortExpression(f"[{_ranges(sorted(members))}]", "set", symbols=members)


def none_of(symbols: Iterable[str]) -> str:
    """Return the expression that no word over these symbols matches."""
    return f"[^{_ranges(sorted(symbols))}]"


def concatenate(*expressions: ShortExpression) -> ShortExpression:
    """Return the concatenation of expressions."""
    done: list[ShortExpression] = []
    for expression in expressions:
        for factor in expression.factors:
            done.append(factor)
            while _joins(done):
                pass
    if len(done) == 1:
        return done[0]
    if not done:
        return EMPTY_WORD
    return ShortExpression(
        "".join(_run(factor, len([*group])) for factor, group in groupby(done)),
        "sequence",
        tuple(done),
        size=sum(factor.size for factor in done),
        has_empty=all(factor.has_empty for factor in done),
    )


def union(*expressions: ShortExpression) -> ShortExpression:
    """Return the union of expressions, of which there is at least one."""
    has_empty = False
    symbols: frozenset[str] = frozenset()
    others: dict[ShortExpression, None] = {}
    for expression in expressions:
        for part in expression.parts if expression.kind == "union" else (expression,):
            if part.kind == "?" or part == EMPTY_WORD:
                has_empty = True
            for inner in part.inner.parts if _is_optional_union(part) else (part,):
                each = inner.inner if inner.kind == "?" else inner
                if each.kind == "set":
                    symbols |= each.symbols
                elif each != EMPTY_WORD:
                    others[each] = None
    parts = [*([one_of(symbols)] if symbols else []), *others]
    repeated = {part.inner for part in parts if part.kind in ("*", "+")}
    stars = {part.inner for part in parts if part.kind == "*"}
    parts = [p for p in parts if p not in repeated and not (p.kind == "+" and p.inner in stars)]
    parts = _factor(_factor(parts, 1), -1)
    if not parts:
        return EMPTY_WORD
    result = parts[0] if len(parts) == 1 else _alternatives(parts)
    return optional(result) if has_empty else result


def star(expression: ShortExpression) -> ShortExpression:
    """Return any number of repetitions."""
    if expression == EMPTY_WORD:
        return EMPTY_WORD
    if expression.is_repetition:
        return star(expression.inner)
    if expression.has_empty or any(part.is_repetition for part in _alternatives_of(expression)):
        parts = expression.parts if expression.kind in ("sequence", "union") else (expression,)
        plain = union(*(part.inner if part.is_repetition else part for part in parts))
        if plain != expression:
            return star(plain)
    return _repeat(expression, "*")


def optional(expression: ShortExpression) -> ShortExpression:
    """Return the expression or the empty word."""
    if expression.has_empty:
        return expression
    if expression.kind == "+":
        return _repeat(expression.inner, "*")
    return _repeat(expression, "?")


# ---- rules -----------------------------------------------------------------------------------


def _joins(done: list[ShortExpression]) -> bool:
    """Join the last factor with those before it by one rule, if one applies."""
    last = done[-1]
    if len(done) > 1 and done[-2].is_repetition and last.is_repetition:
        before = done[-2]
        if before.inner == last.inner and {before.kind, last.kind} not in ({"+"}, {"?"}):
            kind: _Kind = "+" if "+" in (before.kind, last.kind) else "*"
            done[-2:] = [_repeat(last.inner, kind)]
            return True
        if before.kind == last.kind == "*":
            first, rest = before.inner.factors[0], before.inner.factors[1:]
            if rest and first == last:
                done[-2:] = [star(union(last.inner, concatenate(*rest)))]
                return True
            *rest_before, end = last.inner.factors
            if rest_before and end == before:
                done[-2:] = [star(union(before.inner, concatenate(*rest_before)))]
                return True
    if last.kind == "*":
        factors = last.inner.factors
        if tuple(done[-1 - len(factors) : -1]) == factors:
            done[-1 - len(factors) :] = [_repeat(last.inner, "+")]
            return True
    for place in range(len(done) - 2, max(-1, len(done) - _FURTHEST), -1):
        if done[place].kind == "*" and done[place].inner.factors == tuple(done[place + 1 :]):
            done[place:] = [_repeat(done[place].inner, "+")]
            return True
    return False


_FURTHEST = 12
"""How many factors back a repetition is looked for."""


def _factor(parts: Sequence[ShortExpression], step: int) -> list[ShortExpression]:
    """Write common beginnings (step 1) or ends (-1) of alternatives once."""
    groups: dict[ShortExpression, list[tuple[ShortExpression, ...]]] = {}
    for part in parts:
        factors = part.factors[::step]
        groups.setdefault(factors[0], []).append(factors)
    done = []
    for members in groups.values():
        if len(members) == 1:
            done.append(concatenate(*members[0][::step]))
            continue
        common = 1
        least = min(map(len, members))
        while common < least and len({member[common] for member in members}) == 1:
            common += 1
        rest = union(*(concatenate(*member[common:][::step]) for member in members))
        pair = (
            (*members[0][:common][::step], rest)
            if step > 0
            else (rest, *members[0][:common][::step])
        )
        done.append(concatenate(*pair))
    return done


def _is_optional_union(part: ShortExpression) -> bool:
    return part.kind == "?" and part.inner.kind == "union"


def _alternatives_of(expression: ShortExpression) -> tuple[ShortExpression, ...]:
    return expression.parts if expression.kind == "union" else ()


# ---- writing ---------------------------------------------------------------------------------


def _alternatives(parts: Sequence[ShortExpression]) -> ShortExpression:
    return ShortExpression(
        "|".join(part.text for part in parts),
        "union",
        tuple(parts),
        size=sum(part.size for part in parts),
        has_empty=any(part.has_empty for part in parts),
    )


def _repeat(expression: ShortExpression, sign: _Kind) -> ShortExpression:
    if sign == "+" and expression.has_empty:
        return star(expression)
    return ShortExpression(
        _atom(expression) + sign,
        sign,
        (expression,),
        size=expression.size,
        has_empty=sign != "+",
    )


def _atom(expression: ShortExpression) -> str:
    return expression.text if expression.kind == "set" else f"({expression.text})"


def _run(factor: ShortExpression, times: int) -> str:
    one = f"({factor.text})" if factor.kind == "union" else factor.text
    return min(one * times, f"{_atom(factor)}{{{times}}}", key=len)


def _escape(symbol: str, special: frozenset[str]) -> str:
    if symbol in special:
        return f"\\{symbol}"
    if symbol.isprintable():
        return symbol
    code = ord(symbol)
    return (
        f"\\x{code:02x}" if code < 2**8 else f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
    )


def _ranges(symbols: Sequence[str]) -> str:
    """Return the inside of a class of symbols in order."""
    text, begin = "", 0
    for end in range(1, len(symbols) + 1):
        if end < len(symbols) and ord(symbols[end]) == ord(symbols[end - 1]) + 1:
            continue
        run = [_escape(symbol, _SPECIAL_IN_CLASSES) for symbol in symbols[begin:end]]
        text += f"{run[0]}-{run[-1]}" if len(run) >= _SHORTEST_RANGE else "".join(run)
        begin = end
    return text
