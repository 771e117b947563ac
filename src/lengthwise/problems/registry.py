"""The registry of problems, by name and by the prefix of specifications."""

import re
from collections.abc import Mapping
from typing import Any

from lengthwise.errors import ConfigError, unknown_name
from lengthwise.languages.functions.function import Function
from lengthwise.languages.language import Language
from lengthwise.languages.spec import names_function, names_kind
from lengthwise.problems.base import Problem
from lengthwise.problems.functions.problem import FunctionProblem, recognition_of
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.results import Options
from lengthwise.registry import Catalogue

PROBLEMS: Catalogue[type[Problem]] = Catalogue(
    "problem",
    {
        "recognition": Recognition,
        "function": FunctionProblem,
        "step-by-step": "lengthwise.problems.step_by_step.problem:StepByStep",
        "transduction": "lengthwise.problems.transduction.problem:TransductionProblem",
        "labelled-words": "lengthwise.problems.labelled_words.problem:LabelledWordsProblem",
        "inferred": "lengthwise.problems.inferred.problem:InferredProblem",
        "paired-words": "lengthwise.problems.paired_words.problem:PairedWordsProblem",
    },
    group="lengthwise.problems",
    expected=Problem,
    needs=("kind", "prefix", "noun", "setup"),
)


def as_problem(
    spec: str | Language | Function | Problem,
    settings: Mapping[str, Any] | None = None,
    options: Options | None = None,
) -> Problem:
    """Return the problem that a specification names; a language is one to be recognised.

    `settings` are those of the problem itself, such as the `bits` of `steps:addition`.

    Raises:
        LengthwiseError: the specification is wrong.
    """
    if isinstance(spec, Problem):
        return spec
    if isinstance(spec, Language):
        return recognition_of(spec)
    if isinstance(spec, Function):
        return FunctionProblem.of(spec)
    return kind_of(spec).parse(spec, settings or {}, options or {})


def require_own_options(kind: type[Problem], options: Options, spec: object) -> None:
    """Refuse options of `train` that are not for a problem.

    Raises:
        ConfigError: one is given that is not.
    """
    for option in options:
        if option not in kind.setup.train_options:
            subjects = "files of words" if option == "columns" else "languages"
            raise ConfigError(f"--{option} is for {subjects}, and {spec} is not one. Omit it.")


def kind_of(spec: str) -> type[Problem]:
    """Return the kind of problem that a specification names.

    A language has no prefix but those of languages, so that no other package is imported for one.
    """
    if names_function(spec):
        return FunctionProblem
    if not re.match(r"[\w-]+:", spec) or names_kind(spec):
        return Recognition
    return next(
        (kind for kind in PROBLEMS.values() if kind.prefix and spec.startswith(kind.prefix)),
        Recognition,
    )


def infers(spec: object, model: str | None) -> bool:
    """Return whether training begins with an inference: on labelled words without a model, and on
    pairs."""
    kind = kind_of(spec).kind if isinstance(spec, str) else ""
    return kind == "paired-words" or (model is None and kind == "labelled-words")


def problem_from_dict(values: Mapping[str, Any]) -> Problem:
    """Return the problem of a stored run.

    Raises:
        ConfigError: it belongs to a package that is not installed.
    """
    kind = values["kind"]
    if kind not in PROBLEMS:
        raise unknown_name("problem", kind, PROBLEMS)
    return PROBLEMS[kind].from_dict(values)
