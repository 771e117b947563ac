"""What the page shows of a language: its automaton, monoid and ladder as plain values.

They come in stages, the cheapest first, so that whoever runs out of time has the earlier ones.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from lengthwise.drawing.functions import drawn_automata
from lengthwise.drawing.labels import Written
from lengthwise.drawing.layout import is_readable, layout_of
from lengthwise.drawing.shapes import Label
from lengthwise.drawing.svg import head_of, start_of, svg_path
from lengthwise.errors import LanguageError
from lengthwise.languages.functions.function import Function
from lengthwise.languages.green import Green
from lengthwise.languages.ladder import QUESTIONS, ladder
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import Monoid, transition_monoid
from lengthwise.languages.spec import is_self_contained, names_function
from lengthwise.languages.validation import short
from lengthwise.messages import shorten

Values = dict[str, Any]

STAGES = ("automaton", "monoid", "ladder")
"""The parts of the values, in the order in which they are computed."""

MOST_BOXED = 400
"""Largest number of elements whose egg boxes are drawn one by one."""

_MOST_STATES = 2_000
"""Largest number of states whose transitions the page gets."""

_MOST_CELLS = 50_000
"""Largest number of outputs in the table of a function that the page gets."""

_FIRST_LENGTH = 12
"""Symbols of the first input of a function."""

_MOST_CLASSES = 60
"""Largest number of D-classes in the table of sizes."""

_LONGEST_NAME = 24


def require_harmless(spec: str) -> None:
    """Refuse a specification that reads files or imports code, which a page must not ask for.

    Raises:
        LanguageError: it does.
    """
    has_kind = re.match(r"[\w-]+(\[.*?\])?:", spec) is not None or names_function(spec)
    if has_kind and not is_self_contained(spec):
        raise LanguageError(
            f"the page takes regex:, ltl:, ltlf:, group:, count:, subregular: and names, which "
            f"read no files and run no code, but this is {short(spec)}. Give others to lengthwise "
            f"explore."
        )


def stages(language: Language, function: Function | None = None) -> Iterator[tuple[str, Values]]:
    """Yield the name and the values of each stage of a language, or of that of a function."""
    machine = language.total().minimise()
    values = None if function is None else function_values(function)
    yield "automaton", {**automaton_values(language, machine), "function": values}
    try:
        monoid = transition_monoid(machine)
        yield "monoid", monoid_values(monoid, machine)
    except LanguageError as error:
        yield "monoid", {"refusal": str(error)}
    yield "ladder", ladder_values(language)


def automaton_values(
    language: Language, machine: Language | None = None, written: Written | None = None
) -> Values:
    """Return the minimal automaton over all words; `machine` is that automaton if it is known.

    `written` is what the arrows of an automaton of a function write.
    Words outside the domain have the class `num_classes`. A machine with more than 2,000 states
    has no transitions here, only their number.
    """
    machine = language.total().minimise() if machine is None else machine
    is_whole = machine.num_states <= _MOST_STATES
    return {
        "spec": language.spec,
        "alphabet": list(machine.alphabet),
        "spaced": language.spaced,
        "class_names": list(machine.class_names),
        "num_classes": language.num_classes,
        "num_states": machine.num_states,
        "start": machine.start,
        "transitions": [list(row) for row in machine.transitions] if is_whole else None,
        "classes": list(machine.classes) if is_whole else None,
        "drawing": _drawing(machine, language.num_classes, written),
    }


def function_values(function: Function) -> Values | None:
    """Return the automata of a function and its table of outputs, or None if that is too large."""
    cells = len(function.left) * len(function.alphabet) * len(function.right)
    if cells > _MOST_CELLS:
        return None
    drawn = {
        direction: automaton_values(machine, machine, written)
        for direction, (machine, written) in drawn_automata(function).items()
    }
    return {
        "outputs": list(function.outputs),
        "sign": function.signs,
        "left": drawn["from the left"],
        "right": drawn.get("from the right"),
        "table": function.table,
        "first": _first_input(function),
    }


def _first_input(function: Function) -> str:
    """Return the input that the page begins with, in which many symbols occur."""
    count = len(function.alphabet)
    word = [(place * place + 7 * place + count - 1) % count for place in range(_FIRST_LENGTH)]
    if not function.signs:
        return function.reader.decode(word)
    symbols = [function.alphabet[symbol] for symbol in word]
    first, second = ("".join(symbol[at] for symbol in symbols) for at in (0, -1))
    return f"{first} {function.signs} {second}"


def _drawing(machine: Language, num_classes: int, written: Written | None = None) -> Values | None:
    """Return the shapes of the minimal automaton, or None if it has too many."""
    if not is_readable(machine):
        return None
    layout = layout_of(machine, num_classes, written)
    line, head = start_of(layout)
    return {
        "box": [round(side, 1) for side in layout.box],
        "start": {"line": line, "head": head},
        "arrows": [
            {"line": svg_path(arrow), "head": head_of(arrow), **_label(arrow.label)}
            for arrow in layout.arrows
        ],
        "states": [
            {
                "state": each.state,
                "left": round(each.box[0], 1),
                "top": round(each.box[1], 1),
                "width": round(each.width, 1),
                "is_double": each.is_double,
                "is_dashed": each.is_dashed,
                **_label(each.label),
            }
            for each in layout.states
        ],
    }


def _label(label: Label) -> Values:
    return {"x": round(label.x, 1), "y": round(label.y, 1), "text": label.text}


def monoid_values(monoid: Monoid, machine: Language) -> Values:
    """Return the elements by their shortest words, and the egg boxes of Green's D-classes.

    In a finite monoid D and J are the same relation. A box has a row for each R-class and a column
    for each L-class; it is above those that its elements lead to. Of a monoid with more than
    `MOST_BOXED` elements there are sizes only.
    """
    green = Green(monoid)
    number, first = np.unique(green.j, return_index=True)
    order = sorted(zip(number.tolist(), first.tolist(), strict=True), key=lambda pair: -pair[0])
    is_small = monoid.size <= MOST_BOXED
    boxes = [_box(green, j, cells=is_small) for j, _ in order[:_MOST_CLASSES]]
    return {
        "size": monoid.size,
        "is_group": monoid.is_group,
        "is_aperiodic": monoid.is_aperiodic,
        "num_idempotents": int(green.is_idempotent.sum()),
        "num_boxes": len(order),
        "boxes": boxes,
        "words": [_name(machine, word) for word in monoid.words] if is_small else None,
        "maps": monoid.maps.tolist() if is_small else None,
        "idempotent": np.flatnonzero(green.is_idempotent).tolist() if is_small else None,
    }


def _box(green: Green, j: int, *, cells: bool) -> Values:
    """Return one D-class: its numbers of R- and L-classes, and with `cells` what is in each."""
    elements = np.flatnonzero(green.j == j)
    rows, row = np.unique(green.r[elements], return_inverse=True)
    columns, column = np.unique(green.l[elements], return_inverse=True)
    box: Values = {
        "rows": len(rows),
        "columns": len(columns),
        "per_cell": len(elements) // (len(rows) * len(columns)),
        "elements": len(elements),
        "idempotents": int(green.is_idempotent[elements].sum()),
        "is_group": bool(green.is_idempotent[elements].any())
        and len(elements) > len(rows) * len(columns),
    }
    if cells:
        grid: list[list[list[int]]] = [[[] for _ in columns] for _ in rows]
        places = zip(elements.tolist(), row.reshape(-1), column.reshape(-1), strict=True)
        for element, r, c in places:
            grid[r][c].append(element)
        box["cells"] = grid
    return box


def _name(machine: Language, word: tuple[int, ...]) -> str:
    return shorten(machine.decode(word), _LONGEST_NAME) or "ε"


def ladder_values(language: Language) -> Values:
    """Return the rung that a language reaches, the advice, and the answer to every question."""
    answers = ladder(language)
    return {
        "rung": answers.rung.key,
        "advice": [[name, text] for name, text in answers.advice()],
        "verdicts": [
            {"key": key, "name": name, "holds": answers[key].holds, "says": answers[key].says}
            for key, (name, _) in QUESTIONS.items()
        ],
    }
