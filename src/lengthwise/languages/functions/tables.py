"""The automata of functions as plain tables: building them from steps, pairing, and minimising."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from lengthwise.errors import LanguageError
from lengthwise.languages.minimise import Table, minimise, reachable

MAX_STATES = 5_000
"""Largest number of states of an automaton of a function that operations make."""

MAX_CELLS = 2_000_000
"""Largest number of outputs in the table of a function, and of numbers in the states of one that
operations make: seconds."""

S = TypeVar("S", bound=Hashable)

Outputs = tuple[tuple[tuple[int, ...], ...], ...]
"""`outputs[left state][symbol][right state]`."""


def require_small(left: int, symbols: int, right: int) -> None:
    """Refuse a table of too many outputs.

    Raises:
        LanguageError: it has more than `MAX_CELLS`.
    """
    if left * symbols * right > MAX_CELLS:
        raise LanguageError(
            f"the table of a function has at most {MAX_CELLS:,} outputs, but {left:,} and "
            f"{right:,} states with {symbols} symbols need more. Use smaller functions."
        )


def reach_states(
    start: S, step: Callable[[S, int], S], symbols: Iterable[int]
) -> tuple[Table, list[S]]:
    """Return the automaton of the states that are reached, and the states in its order.

    Raises:
        LanguageError: there are more than `MAX_STATES`, or fewer where a state is a long tuple.
    """
    index, rows, symbols = {start: 0}, list[tuple[int, ...]](), list(symbols)
    states, most = [start], MAX_STATES
    if isinstance(start, tuple):
        most = max(1, min(most, MAX_CELLS // (len(start) * len(symbols))))
    for state in states:
        row = []
        for x in symbols:
            target = step(state, x)
            if target not in index:
                index[target] = len(states)
                states.append(target)
            row.append(index[target])
        rows.append(tuple(row))
        if len(states) > most:
            raise LanguageError(
                f"an automaton of a function has at most {most:,} states here, but this one has "
                f"more. Use smaller functions."
            )
    return tuple(rows), states


def smallest_bimachine(left: Table, right: Table, table: Outputs) -> tuple[Table, Table, Outputs]:
    """Return the smallest bimachine of a function, with states in the order of shortest words."""
    lefts, rights, symbols = reachable(left, 0), reachable(right, 0), range(len(left[0]))
    left_rows = {p: tuple(tuple(table[p][x][q] for q in rights) for x in symbols) for p in lefts}
    right_rows = {q: tuple(tuple(table[p][x][q] for p in lefts) for x in symbols) for q in rights}
    small_left, left_of = _merge(left, left_rows)
    small_right, right_of = _merge(right, right_rows)
    small = tuple(tuple(tuple(table[p][x][q] for q in right_of) for x in symbols) for p in left_of)
    return small_left, small_right, small


def _merge(
    automaton: Table, rows: dict[int, tuple[tuple[int, ...], ...]]
) -> tuple[Table, list[int]]:
    """Return the smallest automaton that tells states with other rows apart, and one of the states
    that each of its states stands for."""
    number: dict[tuple[tuple[int, ...], ...], int] = {}
    classes = tuple(
        number.setdefault(rows[state], len(number)) if state in rows else 0
        for state in range(len(automaton))
    )
    small, _ = minimise(automaton, classes, 0)
    stands_for, pairs = {0: 0}, [(0, 0)]
    for state, old in pairs:
        for target, before in zip(small[state], automaton[old], strict=True):
            if target not in stands_for:
                stands_for[target] = before
                pairs.append((target, before))
    return small, [stands_for[state] for state in range(len(small))]


def pair_automaton(first: Table, second: Table) -> tuple[Table, list[tuple[int, int]]]:
    """Return the product of two automata, and the pairs that are its states."""
    return reach_states(
        (0, 0), lambda pair, x: (first[pair[0]][x], second[pair[1]][x]), range(len(first[0]))
    )


def shortest_pairs(first: Table, second: Table) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return the first shortest word to each pair of states, the shortest ones first."""
    words: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
    for pair in (queue := [(0, 0)]):
        for x, target in enumerate(zip(first[pair[0]], second[pair[1]], strict=True)):
            if target not in words:
                words[target] = (*words[pair], x)
                queue.append(target)
    return words
