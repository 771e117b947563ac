"""What a page is about: a language or a run, with the questions that its server answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lengthwise.errors import ConfigError, LanguageError
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
        RunError: the run cannot be read, or is about no language.
        CertificateError: the run's certificate was changed.
    """
    workers = Workers(_SECONDS)
    try:
        if name is not None and Path(name).is_dir():
            if alphabet is not None:
                raise ConfigError(f"{name} is a run, whose alphabet is known. Omit --alphabet.")
            return _subject_of_run(Path(name), workers)
        first = workers.given(EXAMPLES[0] if name is None else name, alphabet)
    finally:
        workers.close()
    if "error" in first:
        raise LanguageError(first["error"])
    chosen = first["automaton"]["spec"]
    others = [] if served else [spec for spec in EXAMPLES if spec != chosen]
    languages = [first, *(dict(stages(parse(spec))) for spec in others)]
    return Subject(data={"languages": languages, "examples": list(EXAMPLES), "run": None})


def _subject_of_run(folder: Path, workers: Workers) -> Subject:
    from lengthwise.explorer.run_values import Network, run_values  # noqa: PLC0415  torch
    from lengthwise.problems.runs import load_run  # noqa: PLC0415  torch

    run = load_run(folder, device="cpu")
    values = run_values(run)
    first = workers.of(run.language)
    first["automaton"]["spec"] = run.language.spec or run.problem.name
    return Subject(
        data={"languages": [first], "examples": list(EXAMPLES), "run": values},
        answers={"word": Network(run.model, run.language).answer},
    )
