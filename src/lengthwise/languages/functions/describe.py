"""Summary of a function: its automata, what each symbol does in them, and some outputs."""

from typing import Any

from lengthwise.languages.characters import list_symbols
from lengthwise.languages.functions.function import Function
from lengthwise.languages.minimise import Table
from lengthwise.messages import shorten

_SHOWN_STATES = 8
_SHOWN_SYMBOLS = 6
_SAMPLES = 4
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


def facts_of_function(function: Function) -> list[tuple[str, str]]:
    """Return a summary for people: kind, symbols, outputs, and the arcs of the automata."""
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
    facts += [("from the left", line) for line in _arcs(function, function.left)]
    if not function.is_sequential:
        facts += [("from the right", line) for line in _arcs(function, function.right)]
    return facts


def _samples(function: Function) -> list[tuple[int, ...]]:
    """Return some inputs, spread over those of a length."""
    symbols = len(function.alphabet)
    step = max(1, symbols**_LENGTH // _SAMPLES - 1)
    numbers = range(step // 2, symbols**_LENGTH, step)[:_SAMPLES]
    places = range(_LENGTH - 1, -1, -1)
    return [tuple(number // symbols**place % symbols for place in places) for number in numbers]


def _arcs(function: Function, automaton: Table) -> list[str]:
    """Return a line for each of the first states: the symbols that lead to each next state."""
    lines = []
    for state, row in enumerate(automaton[:_SHOWN_STATES]):
        leading: dict[int, list[str]] = {}
        for symbol, target in zip(function.alphabet, row, strict=True):
            leading.setdefault(target, []).append(symbol)
        arcs = ", ".join(
            f"{shorten(list_symbols(symbols, _SHOWN_SYMBOLS), 40)} to {target}"
            for target, symbols in sorted(leading.items())
        )
        lines.append(f"state {state}: {arcs}")
    if len(automaton) > _SHOWN_STATES:
        lines.append(f"... ({len(automaton):,} states in all, see --json)")
    return lines
