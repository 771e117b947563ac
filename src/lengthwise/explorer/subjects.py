"""What a page is about: a language or a run, with the questions that its server answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.explorer.bounded import Workers
from lengthwise.explorer.language_values import stages
from lengthwise.explorer.server import Answer
from lengthwise.languages.spec import parse

EXAMPLES = (
    "regex:(0|10*1)*",
    "parity",
    "regex:(ab)*",
    "tomita-3",
    "d-2",
    "cycle-navigation",
    "group:S3",
    "ltl:H (b -> Y a)",
)
"""Languages that the page offers; the first is shown if no other is asked for."""

_SECONDS = 30.0
"""Time for a language that is named on the command line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The data of a page."""

    data: dict[str, Any]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Questions about this subject, by name, beside those about languages."""


def subject_of(name: str | None, alphabet: str | None, *, served: bool) -> Subject:
    """Return the subject that is named: the folder of a run, or a language.

    A page that is not served cannot ask, so it has all examples in it.

    Raises:
        LanguageError: the name is neither.
        RunError: the run cannot be read.
    """
    workers = Workers(_SECONDS)
    try:
        first = workers.given(EXAMPLES[0] if name is None else name, alphabet)
        if "error" in first:
            raise LanguageError(first["error"])
        chosen = first["automaton"]["spec"]
        others = [] if served else [spec for spec in EXAMPLES if spec != chosen]
        languages = [first, *(dict(stages(parse(spec))) for spec in others)]
    finally:
        workers.close()
    return Subject(data={"languages": languages, "examples": list(EXAMPLES), "run": None})
