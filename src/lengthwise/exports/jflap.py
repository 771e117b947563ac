"""JFLAP, the program of courses on automata."""

import re
from math import cos, pi, sin
from xml.sax.saxutils import escape

from lengthwise.drawing.layout import is_readable, layout_of
from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format, require_characters
from lengthwise.languages.language import Language

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not have."""

_SCALE = 1.5
_APART = 25.0
"""Half the distance of states on a circle."""


class Jflap(Format):
    """Writes a finite automaton, or a Moore machine if there are more than two classes."""

    summary = "JFLAP"

    def content(self, exported: Exported) -> str:
        """Return the document."""
        require_characters(exported, "JFLAP")
        machine = exported.machine
        is_moore = machine.class_names != ("0", "1")
        for text in (*machine.alphabet, *machine.class_names):
            if _NO_XML.search(text):
                raise ConfigError(
                    f"JFLAP's files are XML, which has no character such as in {text!r}. Save it "
                    f"as .json."
                )
        lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        lines += [f"<!-- {_comment(note)} -->" for note in exported.notes]
        lines += ["<structure>", f"<type>{'moore' if is_moore else 'fa'}</type>", "<automaton>"]
        for state, (x, y) in enumerate(_places(machine)):
            name = machine.class_names[machine.classes[state]]
            lines.append(
                f'<state id="{state}" name="q{state}"><x>{x:.1f}</x><y>{y:.1f}</y>'
                + ("<initial/>" if state == 0 else "")
                + (f"<output>{escape(name)}</output>" if is_moore else "")
                + ("<final/>" if not is_moore and name == "1" else "")
                + "</state>"
            )
        for state, row in enumerate(machine.transitions):
            for symbol, target in zip(machine.alphabet, row, strict=True):
                name = machine.class_names[machine.classes[target]]
                output = f"<transout>{escape(name)}</transout>" if is_moore else ""
                lines.append(
                    f"<transition><from>{state}</from><to>{target}</to>"
                    f"<read>{escape(symbol)}</read>{output}</transition>"
                )
        return "\n".join([*lines, "</automaton>", "</structure>", ""])


def _places(machine: Language) -> list[tuple[float, float]]:
    """Return where the states are drawn: as in our pictures, or on a circle if they are many."""
    if is_readable(machine):
        layout = layout_of(machine)
        left, top = layout.box[:2]
        drawn = {s.state: (s.label.x - left, s.label.y - top) for s in layout.states}
        return [(_SCALE * x, _SCALE * y) for _, (x, y) in sorted(drawn.items())]
    radius = machine.num_states * _APART / pi
    angles = (2 * pi * state / machine.num_states for state in range(machine.num_states))
    return [(radius * (1 + cos(a)), radius * (1 + sin(a))) for a in angles]


def _comment(note: str) -> str:
    return re.sub("-(?=-)", "- ", printable(note))
