"""Options that apply to the runs of some problems only."""

import argparse
from typing import TYPE_CHECKING, Any

from lengthwise.errors import ConfigError
from lengthwise.registry import Catalogue

if TYPE_CHECKING:
    from lengthwise.problems.base import Problem

OPTIONS: Catalogue[Any] = Catalogue(
    "set of options", {}, group="lengthwise.options", needs=("COMMANDS", "add_options")
)
"""The modules by which other packages, and wings of this one, add options to our commands."""


def add_plugged(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options that others have for a command to its parser."""
    for module in OPTIONS.values():
        if command in module.COMMANDS:
            module.add_options(parser)


def options_of(arguments: argparse.Namespace, problem: "Problem", kind: str) -> dict[str, Any]:
    """Return the given options among those that any problem can have.

    `kind` is `evaluate_options` or `predict_options`.

    Raises:
        ConfigError: an option is given that is for other problems.
    """
    from lengthwise.problems.registry import PROBLEMS

    every = {
        name for problem_type in PROBLEMS.values() for name in getattr(problem_type.setup, kind)
    }
    options = {
        name: value
        for name in sorted(every & vars(arguments).keys())
        if (value := getattr(arguments, name)) is not None and value is not False
    }
    for name in options:
        if name not in getattr(problem.setup, kind):
            nouns = [
                problem_type.noun
                for problem_type in PROBLEMS.values()
                if name in getattr(problem_type.setup, kind)
            ]
            raise ConfigError(
                f"--{name.replace('_', '-')} is for {' and '.join(nouns)}, which {arguments.run} "
                f"is not. Omit it."
            )
    return options
