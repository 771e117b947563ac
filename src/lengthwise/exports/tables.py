"""The shortest formats: Graphviz, AT&T, JSON, regular expressions."""

import json

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
