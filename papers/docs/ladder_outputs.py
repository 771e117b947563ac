"""What `lengthwise describe` says of the languages of `ladder.md`."""

import textwrap

from lengthwise.escapes import table_in_markdown
from lengthwise.languages.ladder import QUESTIONS
from lengthwise.languages.spec import parse

SPECS = ("regex:(ab)*", "parity", "d-2", "tomita-4", "group:A5", "regex:.*a.*b.*")
"""The languages whose classes the page shows."""

SHOWN = ("regex:(ab)*", "parity")
"""The languages whose outputs the page shows."""

_WIDTH = 104


def outputs() -> str:
    """Return, for each language, the part of the output about transformers, in lines that fit."""
    return "\n\n".join(_output(spec) for spec in SHOWN)


def _output(spec: str) -> str:
    said = parse(spec).ladder().advice()
    width = max(len(name) for name, _ in said)
    lines = [
        line
        for name, text in said
        for line in textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"{name:{width}}  ",
            subsequent_indent=" " * (width + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
    return "\n".join([f"`lengthwise describe '{spec}'`", "", "```text", *lines, "```"])


def table() -> str:
    """Return which classes the languages are in."""
    found = [parse(spec).ladder() for spec in SPECS]
    marks = {True: "yes", False: "no", None: "-"}
    return table_in_markdown(
        ["class", *(f"`{spec.removeprefix('regex:')}`" for spec in SPECS)],
        [
            [name, *(marks[each[key].holds] for each in found)]
            for key, (name, _) in QUESTIONS.items()
        ],
    )
