"""The automata of a function as they are drawn: a Mealy machine, or what a bimachine reads with."""

from lengthwise.drawing.labels import Written
from lengthwise.drawing.layout import is_readable
from lengthwise.drawing.svg import automaton_svg
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.minimise import Table


def drawn_automata(function: Function) -> dict[str, tuple[Language, Written]]:
    """Return the automata of a function, and what each arrow writes, by how they read.

    A sequential function is one Mealy machine. The automata of a bimachine write nothing: a table
    has its outputs.
    """
    left = _numbered(function, function.left)
    if function.is_sequential:
        outputs = [[function.outputs[cell] for (cell,) in cells] for cells in function.table]
        return {"from the left": (left, outputs)}
    right = _numbered(function, function.right)
    return {
        direction: (automaton, [[""] * len(function.alphabet)] * automaton.num_states)
        for direction, automaton in (("from the left", left), ("from the right", right))
    }


def function_svgs(function: Function) -> dict[str, str]:
    """Return the drawings of the automata of a function, without those that are too large."""
    return {
        direction: automaton_svg(automaton, written)
        for direction, (automaton, written) in drawn_automata(function).items()
        if is_readable(automaton)
    }


def _numbered(function: Function, automaton: Table) -> Language:
    """Return an automaton as a language in which each state is called by its number."""
    states = range(len(automaton))
    return Language(
        alphabet=function.alphabet,
        transitions=automaton,
        classes=tuple(states),
        class_names=tuple(map(str, range(max(2, len(automaton))))),
    )
