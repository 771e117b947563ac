"""The registry of problems, by name and by the prefix of specifications."""

from collections.abc import Mapping
from typing import Any

from lengthwise.errors import ConfigError, unknown_name
from lengthwise.languages.language import Language
from lengthwise.problems.base import Problem
from lengthwise.problems.language_modelling.problem import LanguageModelling
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.results import Options
from lengthwise.problems.step_by_step.problem import StepByStep
from lengthwise.problems.translation.problem import Translation
from lengthwise.registry import Catalogue

PROBLEMS: Catalogue[type[Problem]] = Catalogue(
    "problem",
    {
        "recognition": Recognition,
        "step-by-step": StepByStep,
        "language-modelling": LanguageModelling,
        "translation": Translation,
    },
    group="lengthwise.problems",
)


def parse_problem(
    spec: str | Language, settings: dict[str, Any], options: Options | None = None
) -> Problem:
    """Return the problem that a specification names; without a known prefix it is a language.

    Settings of the problem itself are removed from `settings`.

    Raises:
        ConfigError: an option is given that is not for this problem.
        LengthwiseError: the specification is wrong.
    """
    options = {name: value for name, value in (options or {}).items() if value is not None}
    if isinstance(spec, Language):
        if "protocol" in options:
            settings["data.protocol"] = options["protocol"]
        return Recognition(language=spec)
    kind = kind_of(spec)
    for option in options:
        if option not in kind.own_options:
            raise ConfigError(f"--{option} is for languages, and {spec} is none. Omit it.")
    return kind.parse(spec, settings, options)


def kind_of(spec: str) -> type[Problem]:
    """Return the kind of problem that a specification names."""
    return next(
        (kind for kind in PROBLEMS.values() if kind.prefix and spec.startswith(kind.prefix)),
        Recognition,
    )


def problem_from_dict(values: Mapping[str, Any]) -> Problem:
    """Return the problem of a stored run.

    Raises:
        ConfigError: it belongs to a package that is not installed.
    """
    kind = values["kind"]
    if kind not in PROBLEMS:
        raise unknown_name("problem", kind, PROBLEMS)
    return PROBLEMS[kind].from_dict(values)
