"""Options that apply to the runs of some problems only."""

import argparse
import re
from typing import TYPE_CHECKING, Any

from lengthwise.cli.output import make_integer_type
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


def add_snapped(parser: argparse.ArgumentParser) -> None:
    """Add the option that uses tables in place of the network."""
    parser.add_argument(
        "--snapped", action="store_true", help="use the tables that `snap` made from the run"
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add where jobs run to the parser: processes of this machine, or workers of Dask."""
    parser.add_argument(
        "--workers", type=make_integer_type(1), default=1, help="processes that work (default 1)"
    )
    parser.add_argument(
        "--scheduler", metavar="tcp://...", help="of a Dask scheduler, whose workers do the work"
    )


def require_one_executor(arguments: argparse.Namespace) -> None:
    """Refuse processes and a scheduler together.

    Raises:
        ConfigError: both are given.
    """
    if arguments.scheduler is not None and arguments.workers != 1:
        raise ConfigError("--scheduler has workers of its own. Leave --workers out.")


_MOST_SEEDS = 10_000


def parse_seeds(text: str) -> list[int]:
    """Return seeds that are written `0..4`, `0,1,2`, or both: `0..2,10`.

    >>> parse_seeds("0..2,10")
    [0, 1, 2, 10]

    Raises:
        ConfigError: they are written otherwise, too many, or one is given twice.
    """
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,18})(?:\.\.([0-9]{1,18}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last < first + _MOST_SEEDS:
            raise ConfigError(
                f"seeds are written 0..4 or 0,1,2, at most {_MOST_SEEDS:,}, but got {text!r:.40}."
            )
        seeds += range(first, last + 1)
    if len(set(seeds)) < len(seeds):
        raise ConfigError(f"a seed is given twice in {text!r:.40}. Give each once.")
    return seeds
