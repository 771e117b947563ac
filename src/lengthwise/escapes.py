"""A user's strings in each format of output, where nothing in them is markup or moves a cursor.

HTML is escaped by the templates, comments of Rocq by `proofs.export.rocq`.
"""

import json
import re
from collections.abc import Iterable, Sequence


def printable(text: str) -> str:
    r"""Return a string with the characters that cannot be printed written as in JSON.

    They are control characters, which move the cursor or end a line or a cell, marks that turn the
    direction of what follows, and halves of characters, which have no bytes.

    >>> printable("a\tb\x1b[31m")
    'a\\tb\\u001b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    r"""Return the same for a string of several lines: a newline stays.

    >>> printable_lines("a\n\x1b")
    'a\n\\u001b'
    """
    return "\n".join(map(printable, text.split("\n")))


def in_dot(text: str) -> str:
    r"""Return a quoted string of Graphviz, in which neither `\n` nor `&lt;` means anything.

    >>> print(in_dot('&lt;"\\n'))
    "&amp;lt;\"\\n"
    """
    plain = printable(text).replace("&", "&amp;")
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def code_in_markdown(text: str) -> str:
    r"""Return a code span, in which nothing is markup; cells of tables escape `|` besides.

    >>> print(code_in_markdown("a*`b"))
    ``a*`b``
    """
    plain = printable(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", plain)), default=0))
    space = " " if plain.startswith(("`", " ")) or plain.endswith(("`", " ")) or not plain else ""
    return f"{ticks}{space}{plain}{space}{ticks}"


def table_in_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown, whose cells are Markdown; a bar in one does not end it.

    >>> print(table_in_markdown(["a"], [["x|y"]]))
    | a |
    | --- |
    | x\|y |
    """
    lines = [columns, ["---"] * len(columns), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)
