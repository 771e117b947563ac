"""A regular expression of a recogniser, by eliminating its states one after the other.

Eliminating a state joins each way into it with each way out of it (Brzozowski and McCluskey, 1963).
The order decides how long the expression becomes. Of a few states all orders are tried; otherwise
the next state is the one that lengthens the expressions least, exactly or by the estimate of
Delgado and Morais (2004), and the shortest result is kept.
"""

from collections.abc import Callable, Iterable
from itertools import permutations

from lengthwise.errors import LanguageError
from lengthwise.languages.expressions import (
    EMPTY_WORD,
    ShortExpression,
    concatenate,
    none_of,
    one_of,
    star,
    union,
)
from lengthwise.languages.language import Language
from lengthwise.languages.regex import MAX_SIZE

_ALL_ORDERS = 5
"""States up to which all orders are tried."""

_EXACTLY = 16
"""States up to which the cost of an elimination is computed, not estimated."""

_START, _END = -1, -2
_Arrows = dict[int, dict[int, ShortExpression]]


class _TooLongError(Exception):
    """An expression is longer than `regex` reads."""


def to_regex(language: Language) -> str:
    """Write the words of class 1 as a regular expression, which `from_regex` and Python's `re` read
    back.

    >>> from lengthwise.languages.spec import parse
    >>> to_regex(parse("parity")), to_regex(parse("regex:(ab|ac)(ab|ac)*"))
    ('0*1(0|10*1)*', '(a[bc])+')

    Raises:
        LanguageError: the language has other classes, a domain, or symbols of several characters;
            or the shortest expression that was found is too long.
    """
    if language.class_names != ("0", "1") or language.domain is not None or language.spaced:
        raise LanguageError(
            "a regular expression has the classes 0 and 1, no domain and symbols of one character, "
            "which this language has not. Save it as .json, .dot or .c."
        )
    machine = language.minimise()
    arrows = _arrows_of(machine)
    if not arrows[_START]:
        return none_of(machine.alphabet)
    states = [state for state in arrows if state >= 0]
    found: list[ShortExpression] = []
    for order in _orders(states):
        try:
            found.append(_eliminate(arrows, len(states), order))
        except _TooLongError:
            continue
    if not found:
        raise LanguageError(
            f"a regular expression of this automaton has more than {MAX_SIZE:,} symbols, as far as "
            f"we tried. Save it as .att, .json, .dot or .c."
        )
    return min(found, key=lambda expression: len(expression.text)).text


_Choice = Callable[[_Arrows, int], int]
"""Returns the state to eliminate next, after so many others."""


def _orders(states: list[int]) -> Iterable[_Choice]:
    if len(states) <= _ALL_ORDERS:
        return [_in_order(order) for order in permutations(states)]
    exact = [_least(_exact_cost)] if len(states) <= _EXACTLY else []
    return [*exact, _least(_estimated_cost)]


def _in_order(order: tuple[int, ...]) -> _Choice:
    return lambda _, step: order[step]


def _least(cost: Callable[[_Arrows, int], int]) -> _Choice:
    def choose(arrows: _Arrows, step: int) -> int:
        del step
        return min((s for s in arrows if s >= 0), key=lambda s: (cost(arrows, s), s))

    return choose


def _arrows_of(machine: Language) -> _Arrows:
    """Return the expressions between the states from which a word is accepted."""
    alive = machine.reaching(lambda c: c == 1)
    arrows: _Arrows = {_START: {}, _END: {}}
    if machine.start in alive:
        arrows[_START][machine.start] = EMPTY_WORD
    for state in sorted(alive):
        symbols: dict[int, list[str]] = {}
        for symbol, target in zip(machine.alphabet, machine.transitions[state], strict=True):
            if target in alive:
                symbols.setdefault(target, []).append(symbol)
        arrows[state] = {target: one_of(each) for target, each in symbols.items()}
        if machine.classes[state] == 1:
            arrows[state][_END] = EMPTY_WORD
    return arrows


def _eliminate(arrows: _Arrows, number: int, choose: _Choice) -> ShortExpression:
    arrows = {state: dict(row) for state, row in arrows.items()}
    for step in range(number):
        state = choose(arrows, step)
        for source, target, expression in _joined(arrows, state):
            if expression.size > MAX_SIZE:
                raise _TooLongError
            arrows[source][target] = expression
        del arrows[state]
        for row in arrows.values():
            row.pop(state, None)
    return arrows[_START][_END]


def _joined(arrows: _Arrows, state: int) -> Iterable[tuple[int, int, ShortExpression]]:
    """Yield the new expressions of the pairs of states around a state."""
    loop = arrows[state].get(state)
    for source, row in arrows.items():
        if source == state or state not in row:
            continue
        before = row[state] if loop is None else concatenate(row[state], star(loop))
        for target, after in arrows[state].items():
            if target != state:
                new = concatenate(before, after)
                yield source, target, union(row[target], new) if target in row else new


def _exact_cost(arrows: _Arrows, state: int) -> int:
    """Return by how much the expressions get longer."""
    gained = sum(
        len(new.text) - (len(arrows[source][target].text) if target in arrows[source] else 0)
        for source, target, new in _joined(arrows, state)
    )
    lost = sum(len(row[state].text) for row in arrows.values() if state in row)
    return gained - lost - sum(len(each.text) for each in arrows[state].values())


def _estimated_cost(arrows: _Arrows, state: int) -> int:
    row = arrows[state]
    before = [r[state].size for source, r in arrows.items() if source != state and state in r]
    after = [each.size for target, each in row.items() if target != state]
    loop = row[state].size if state in row else 0
    ways = len(before) * len(after)
    return sum(before) * (len(after) - 1) + sum(after) * (len(before) - 1) + loop * (ways - 1)
