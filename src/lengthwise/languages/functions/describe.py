"""Summary of a function: its automata, what each symbol does in them, and some outputs."""

from collections.abc import Sequence
from typing import Any

from lengthwise.languages.characters import list_symbols
from lengthwise.languages.functions.function import Function
from lengthwise.languages.minimise import Table
from lengthwise.messages import shorten

_SHOWN_STATES = 8
_SHOWN_SYMBOLS = 6
_SAMPLES = 4
_SHOWN_CELLS = 24
_LENGTH = 4


def describe_function(function: Function) -> dict[str, Any]:
    """Summarise a function as plain values, ready for JSON."""
    return {
        **function.to_dict(),
        "sequential": function.is_sequential,
        "left_states": len(function.left),
        "right_states": len(function.right),
        "samples": {function.reader.decode(w): function(w) for w in _samples(function)},
    }


def facts_of_function(function: Function, *, arcs: bool = True) -> list[tuple[str, str]]:
    """Return a summary for people: kind, symbols, examples, and the `arcs` of the automata.

    Arcs of a sequential function are like `a/b`: read a, write b.
    """
    facts = [
        ("function", function.spec or "without a specification"),
        ("kind", function.size),
        ("inputs", list_symbols(function.alphabet)),
        ("outputs", list_symbols(function.outputs)),
        *(
            ("example", f"{function.reader.decode(word)} -> {function(word)}")
            for word in _samples(function)
        ),
    ]
    if not arcs:
        return facts
    facts += [("from the left", line) for line in _arcs(function, function.left)]
    if not function.is_sequential:
        facts += [("from the right", line) for line in _arcs(function, function.right)]
        _, rows = output_table(function)
        facts += [
            ("output", f"state {left}, {symbol}: {_by_right_state(cells)}")
            for left, symbol, *cells in rows[:_SHOWN_CELLS]
        ]
        if len(rows) > _SHOWN_CELLS:
            facts.append(("output", f"... ({len(rows):,} rows in all, see --json)"))
    return facts


def output_table(function: Function) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of the table of a bimachine, or nothing of a sequential function.

    A row has the state from the left, the symbol, and the output for each state from the right.
    """
    if function.is_sequential:
        return [], []
    rights = [f"from the right {state}" for state in range(len(function.right))]
    rows = [
        [str(left), symbol, *(function.outputs[cell] for cell in cells)]
        for left, rows in enumerate(function.table)
        for symbol, cells in zip(function.alphabet, rows, strict=True)
    ]
    return ["from the left", "symbol", *rights], rows


def _by_right_state(cells: Sequence[str]) -> str:
    """Return the outputs for the states from the right, or the one that they share."""
    if len(set(cells)) == 1:
        return cells[0]
    return shorten(", ".join(f"{cell} before state {q}" for q, cell in enumerate(cells)), 60)


def _samples(function: Function) -> list[tuple[int, ...]]:
    """Return some inputs, spread over those of a length."""
    symbols = len(function.alphabet)
    step = max(1, symbols**_LENGTH // _SAMPLES - 1)
    numbers = range(step // 2, symbols**_LENGTH, step)[:_SAMPLES]
    places = range(_LENGTH - 1, -1, -1)
    return [tuple(number // symbols**place % symbols for place in places) for number in numbers]


def _arcs(function: Function, automaton: Table) -> list[str]:
    """Return a line for each of the first states: the symbols that lead to each next state."""
    lines, writes = [], function.is_sequential
    for state, row in enumerate(automaton[:_SHOWN_STATES]):
        leading: dict[int, list[str]] = {}
        for x, (symbol, target) in enumerate(zip(function.alphabet, row, strict=True)):
            written = f"/{function.outputs[function.table[state][x][0]]}" if writes else ""
            leading.setdefault(target, []).append(symbol + written)
        arcs = ", ".join(
            f"{shorten(list_symbols(symbols, _SHOWN_SYMBOLS), 40)} to {target}"
            for target, symbols in sorted(leading.items())
        )
        lines.append(f"state {state}: {arcs}")
    if len(automaton) > _SHOWN_STATES:
        lines.append(f"... ({len(automaton):,} states in all, see --json)")
    return lines
