"""A process that computes the values of one typed language, so that it can be stopped.

It reads one line of JSON (`Question`) and writes a line for each stage as soon as it is known:
`{"stage": ..., "values": ...}`, or `{"error": ...}`.
"""

import json
import sys
from contextlib import suppress
from typing import Any, TypedDict

from lengthwise.errors import LengthwiseError, in_a_line
from lengthwise.explorer.drawn_values import att_or_none, read_drawing
from lengthwise.explorer.language_values import require_harmless, stages
from lengthwise.languages.functions.by_name import function_of
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import from_dict
from lengthwise.languages.spec import parse

MEMORY = 2 * 2**30
"""Bytes of address space that a language may take, where the system can limit them."""


class WorkerQuestion(TypedDict, total=False):
    """A language: its specification, or as it is stored, or as it was drawn in the page."""

    spec: str
    alphabet: str | None
    is_typed: bool
    """Whether the page asks, which may not make this process read files or import code."""
    stored: dict[str, Any]
    function: dict[str, Any] | None
    """The function whose language is stored: its name is not parsed, which may run code."""
    drawn: str


def limit_memory() -> None:
    """Make allocations beyond `MEMORY` fail, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def main() -> None:
    """Answer the line on standard input."""
    limit_memory()
    line = sys.stdin.buffer.readline()
    if not line:
        return
    try:
        question: WorkerQuestion = json.loads(line)
        language = _language(question)
        for stage, values in stages(language, _function(question, language)):
            if stage == "automaton" and "drawn" in question:
                values["att"] = att_or_none(language)
            _write({"stage": stage, "values": values})
    except LengthwiseError as error:
        _write({"error": str(error)})
    except MemoryError:
        _write({"error": f"it takes more than {MEMORY // 2**30} GiB of memory. Ask for less."})
    except RecursionError as error:
        _write({"error": f"it is nested too deep ({in_a_line(error)}). Use fewer brackets."})


def _language(question: WorkerQuestion) -> Language:
    if "drawn" in question:
        return read_drawing(question["drawn"])
    if "stored" in question:
        return from_dict(question["stored"])
    if question["is_typed"]:
        require_harmless(question["spec"])
    return parse(question["spec"], question["alphabet"] or None)


def _function(question: WorkerQuestion, language: Language) -> Function | None:
    if "stored" in question:
        stored = question.get("function")
        return None if stored is None else Function.from_dict(stored)
    return None if "drawn" in question else function_of(language)


def _write(record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
