"""Graphviz (DOT) output of automata."""

from lengthwise.escapes import in_dot
from lengthwise.languages.characters import list_symbols
from lengthwise.languages.language import Language


def to_dot(language: Language) -> str:
    r"""Write the reachable states, labelled with their classes, as input of `dot -Tsvg`.

    States of class 1 of two-class languages are double circles; states outside the domain are
    dashed.

    >>> from lengthwise.languages.regex import from_regex
    >>> print(to_dot(from_regex("(aa)*")), end="")
    digraph {
        rankdir=LR
        node [shape=circle]
        start [shape=point]
        start -> 0
        0 [label="1", shape=doublecircle]
        1 [label="0"]
        0 -> 1 [label="a"]
        1 -> 0 [label="a"]
    }
    """
    machine = language.total()
    number = {state: i for i, state in enumerate(machine.reachable())}
    lines = ["rankdir=LR", "node [shape=circle]", "start [shape=point]", "start -> 0"]
    for state, i in number.items():
        c = machine.classes[state]
        style = ""
        if c >= language.num_classes:
            style = ", style=dashed"
        elif language.class_names == ("0", "1") and c == 1:
            style = ", shape=doublecircle"
        lines.append(f"{i} [label={in_dot(machine.class_names[c])}{style}]")
    for state, i in number.items():
        labels: dict[int, list[str]] = {}
        for symbol, target in zip(machine.alphabet, machine.transitions[state], strict=True):
            labels.setdefault(target, []).append(symbol)
        for target, symbols in labels.items():
            label = in_dot(list_symbols(symbols, most=len(symbols), joint=", "))
            lines.append(f"{i} -> {number[target]} [label={label}]")
    return "digraph {\n" + "".join(f"    {line}\n" for line in lines) + "}\n"
