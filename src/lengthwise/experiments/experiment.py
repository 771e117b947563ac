"""What is an experiment? One table or figure of a paper: measured again, and set beside the print.

`measure` alone computes. What it found is a list of records, plain values that go to a file and
back, and table, figures and verdicts are functions of the records.
"""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from lengthwise.analysis.figures import Picture
from lengthwise.catalogue import Catalogue
from lengthwise.training.train import environment

Record = dict[str, Any]
"""Names and plain values, the same after a journey through JSON."""

Progress = Callable[[int, int], None]
"""Called with the steps that are done, and with all that there are to do."""

Sizes = TypeVar("Sizes")


class Table(NamedTuple):
    """What is measured, in cells."""

    columns: list[str]
    rows: list[list[str]]


class Statement(NamedTuple):
    """A statement of the paper, and what the records say of it."""

    where: str
    """`Figure 2`, or `section 3.4`."""
    says: str
    holds: bool
    measured: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment(Generic[Sizes]):
    """A table or figure. Its name is that in the catalogue, such as `chiang2022/figure2`."""

    paper: str
    item: str
    claim: str
    """What it shows, in one sentence."""
    printed: str
    """What the paper prints of it."""
    presets: Catalogue[Sizes]
    """`smoke` (seconds), `laptop` (minutes) and `paper`: numbers only."""
    measure: Callable[[Sizes, int, Progress], list[Record]]
    """The records, from the numbers of a preset and a seed."""
    table: Callable[[Sequence[Record]], Table]
    figures: Callable[[Sequence[Record]], Mapping[str, Picture]]
    """By name; the name is part of the name of a file."""
    check: Callable[[Sequence[Record]], list[Statement]]
    """The statements of the paper that the records can decide."""


def counted(progress: Progress, steps: int) -> Callable[[int], None]:
    """A function that is told of more steps that are done."""
    done = 0

    def add(more: int) -> None:
        nonlocal done
        done += more
        progress(done, steps)

    return add


def stem(name: str) -> str:
    """How the files of an experiment begin: `chiang2022-figure2`."""
    return name.replace("/", "-")


def reproduced(
    name: str, experiment: Experiment[Any], *, preset: str, seed: int, progress: Progress
) -> dict[str, Any]:
    """What is stored: the records, and what made them.

    Raises:
        ConfigError: there is no such preset.
    """
    sizes = experiment.presets[preset]
    return {
        "experiment": name,
        "preset": preset,
        "seed": seed,
        "commit": commit(),
        "environment": environment("cpu"),
        "date": datetime.now(UTC).date().isoformat(),
        "records": experiment.measure(sizes, seed, progress),
    }


def commit() -> str | None:
    """The version of the code, if it runs from its repository."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    except (OSError, subprocess.CalledProcessError):  # no git, or it refuses the folder
        return None
    return done.stdout.strip()
