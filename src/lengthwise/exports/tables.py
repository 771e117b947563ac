"""The shortest formats: Graphviz, AT&T, JSON, regular expressions."""

import json

from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format, require_characters, require_two_classes
from lengthwise.languages.att import to_att
from lengthwise.languages.dot import to_dot
from lengthwise.languages.elimination import to_regex
from lengthwise.languages.serialisation import to_dict


class Dot(Format):
    """Writes a graph, with the notes as comments."""

    summary = "Graphviz"

    def content(self, exported: Exported) -> str:
        """Return the graph."""
        comments = "".join(f"// {printable(note)}\n" for note in exported.notes)
        return comments + to_dot(exported.language)


class LearnerDot(Format):
    """Writes a graph with an arc for each symbol, which programs read back.

    The form is that of automata.cs.ru.nl: the arc from `__start0` leads to the start state, and the
    states of a Moore machine are `name|output`.
    """

    summary = "Graphviz, an arc for each symbol: AALpy, LearnLib"

    def content(self, exported: Exported) -> str:
        """Return the graph."""
        machine = exported.machine
        lines = ["digraph {", '__start0 [label="" shape="none"];']
        for state, c in enumerate(machine.classes):
            name = machine.class_names[c]
            if machine.class_names == ("0", "1"):
                shape, label = ("doublecircle" if c else "circle"), f"s{state}"
            else:
                shape, label = "record", f"s{state}|{_as_read(name, no='|{}<>')}"
            lines.append(f'  s{state} [shape="{shape}" label="{label}"];')
        lines.append("__start0 -> s0;")
        lines += [
            f'  s{state} -> s{target} [label="{_as_read(symbol)}"];'
            for state, row in enumerate(machine.transitions)
            for symbol, target in zip(machine.alphabet, row, strict=True)
        ]
        comments = "".join(f"// {printable(note)}\n" for note in exported.notes)
        return comments + "\n".join([*lines, "}", ""])


def _as_read(text: str, no: str = "") -> str:
    """Return a label, which programs read as it is written."""
    if text.isprintable() and "->" not in text and not {*text} & {*'"\\', *no}:
        return text
    raise ConfigError(
        f"programs read the labels of a .gv as they are written, without escapes, so one cannot "
        f"be {text!r}. Save it as .json or .dot."
    )


class Att(Format):
    """Writes an acceptor; the format has no comments."""

    summary = "AT&T: OpenFst, foma, HFST"

    def content(self, exported: Exported) -> str:
        """Return the arcs and the final states."""
        return to_att(require_two_classes(exported, "an AT&T acceptor"))


class Json(Format):
    """Writes the table, from which `lengthwise.languages.serialisation.from_dict` restores it."""

    summary = "the table in JSON"

    def content(self, exported: Exported) -> str:
        """Return the table on a line for each row."""
        values = {"notes": list(exported.notes), **to_dict(exported.language)}
        rows = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in values.items()
        )
        return f"{{\n{rows}\n}}\n"


class Regex(Format):
    """Writes a regular expression alone, without the end of a line."""

    summary = "a regular expression: regex:..., Python's re"

    def content(self, exported: Exported) -> str:
        """Return the expression."""
        require_characters(exported, "a regular expression")
        return to_regex(require_two_classes(exported, "a regular expression"))
