"""Experiments: a table or figure of a paper, measured again and compared with the print.

`collect` alone computes. What it found is a list of records, plain values that go to a file and
back, and tables, figures and verdicts are functions of the records. A `MeasuredExperiment` computes
in one go, a `trained.TrainedExperiment` trains models in a sweep, and a `parts.PartsExperiment` is
measured part by part.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from lengthwise.analysis.figures import Picture
from lengthwise.errors import ConfigError
from lengthwise.registry import Catalogue
from lengthwise.sweeps.executors import Executor
from lengthwise.sweeps.sweep import Progress
from lengthwise.training.devices import commit, environment

CORPORA = Path("runs", "corpora")
"""Folder of prepared corpora, with a folder for each preset."""

RUNS, SMOKE = "runs", "smoke"
"""Where the statement is that every run ends; the preset that is too small to decide others."""

Record = dict[str, Any]
"""Names and plain values, which JSON stores and restores unchanged."""

Sizes = TypeVar("Sizes")


class Table(NamedTuple):
    """Measured values in cells."""

    columns: list[str]
    rows: list[list[str]]


class Statement(NamedTuple):
    """A statement of the paper, and whether the records support it."""

    where: str
    """`Figure 2`, or `section 3.4`."""
    says: str
    holds: bool | None
    """None: what was run does not decide it."""
    measured: str
    variant: str = ""
    """What differs where a statement is checked in several ways; the first is the paper's own."""
    runs: int = 0
    """Fewest trained runs of a cell that it rests on; 0 if nothing is trained."""

    @property
    def text(self) -> str:
        """The statement with its variant."""
        return f"{self.says} ({self.variant})" if self.variant else self.says

    @property
    def verdict(self) -> Literal["yes", "no", "open"]:
        """Whether it holds; one run that fails decides nothing."""
        if self.holds is None or (not self.holds and self.runs == 1):
            return "open"
        return "yes" if self.holds else "no"

    @property
    def shown(self) -> str:
        """The verdict in Markdown."""
        return "**no**" if self.verdict == "no" else self.verdict


def decide(holds: bool, *, missing: bool) -> bool | None:
    """Return what cells say of a statement about more of them, if some were not run."""
    return None if holds and missing else holds


class Unit(NamedTuple):
    """The least work that can be asked for: a run, a part, or all of a `MeasuredExperiment`."""

    name: str
    """The text in which `only` is looked for; empty if the experiment is measured in one go."""
    kind: str
    """The part of the name that units share which differ in their seed alone."""
    is_done: bool
    seconds: float | None = None
    """The time that it took; None if it is not done, or if no record says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasurementOptions:
    """Options of one measurement; the experiment and its preset decide the rest."""

    progress: Progress
    seed: int = 0
    """Seed of what is drawn, where nothing is trained."""
    seeds: tuple[int, ...] = ()
    """Seeds of what is trained; those of the preset, if there are none."""
    only: tuple[str, ...] = ()
    """Parts of the names of the runs that are wanted; all, if there are none."""
    runs: Path = Path("runs")
    """Folder of runs, with a folder for each experiment."""
    finished: bool = False
    """Says that runs that are not done are left out, not trained."""
    stored: Mapping[str, Record] = field(default_factory=dict)
    """Records of an earlier measurement, by digest, each with the commit that made it: such a run
    is not trained again."""
    earlier: Sequence[Record] = ()
    """All records of the earlier measurement, of trained runs or not."""
    executor: Executor | None = None
    """Trains the runs; this process does, if there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment(ABC):
    """A table or figure: how it is measured, and what is made of its records.

    Its name is that in the catalogue, such as `chiang2022/figure2`.
    """

    paper: str
    """Authors and year."""
    item: str
    """`Table 1`, `Figure 2`."""
    claim: str
    """Says in one sentence what it shows."""
    printed: str
    """Says what the paper prints of it."""
    presets: Catalogue[Any]
    """`smoke` (seconds), `laptop` (minutes) and `paper`: what is run, and for how long."""
    table: Callable[[Sequence[Record]], Table]
    more: Mapping[str, Callable[[Sequence[Record]], Table]] = field(default_factory=dict)
    """Other tables, by title."""
    figures: Callable[[Sequence[Record]], Mapping[str, Picture]] = lambda records: {}
    """Draws pictures by name; the name is part of the name of a file."""

    @abstractmethod
    def collect(self, name: str, preset: str, options: MeasurementOptions) -> list[Record]:
        """Measure, and return the records; `name` is the experiment's in the catalogue."""

    @abstractmethod
    def units(self, name: str, preset: str, options: MeasurementOptions) -> list[Unit]:
        """Return all units of work, done or not, without doing any."""

    @abstractmethod
    def check(self, records: Sequence[Record], /) -> list[Statement]:
        """Return the statements of the paper that the records can decide."""

    def verdicts(self, preset: str, records: Sequence[Record]) -> list[Statement]:
        """Return the statements that a preset can decide: of `smoke` only that all runs end."""
        statements = self.check(records)
        return (
            [statement for statement in statements if statement.where == RUNS]
            if preset == SMOKE
            else statements
        )

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Return tables by title: the paper's, which has none, and those of `more` with a row."""
        more = {name: make(records) for name, make in self.more.items()}
        return {"": self.table(records)} | {
            name: content for name, content in more.items() if content.rows
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredExperiment(Experiment, Generic[Sizes]):
    """A table or figure that is measured in one go."""

    presets: Catalogue[Sizes]
    check: Callable[[Sequence[Record]], list[Statement]]
    measure: Callable[[Sizes, int, Progress], list[Record]]
    """The records, from the numbers of a preset and a seed."""

    def collect(self, name: str, preset: str, options: MeasurementOptions) -> list[Record]:
        """Measure, and return the records.

        Raises:
            ConfigError: seeds or runs are chosen, but nothing is trained.
        """
        if options.seeds or options.only or options.finished:
            raise ConfigError(f"{name} has no runs to choose or to keep. Use --seed alone.")
        return self.measure(self.presets[preset], options.seed, options.progress)

    def units(self, name: str, preset: str, options: MeasurementOptions) -> list[Unit]:
        """Return one unit, which is done if there are records."""
        return [Unit("", "", bool(options.earlier))]


def preset_catalogue(smoke: Sizes, laptop: Sizes, paper: Sizes | None = None) -> Catalogue[Sizes]:
    """Return the numbers of an experiment by preset: `smoke` takes seconds, `laptop` minutes.

    Without numbers of its own `paper` is `laptop`.
    """
    return Catalogue("preset", {"smoke": smoke, "laptop": laptop, "paper": paper or laptop})


def choose_places(name: str, names: Sequence[str], only: Sequence[str]) -> list[int]:
    """Return the places of the runs, or parts, of an experiment with all texts in their names.

    A whole name chooses that one alone, also where others begin like it.

    Raises:
        ConfigError: there is none.
    """
    if len(only) == 1 and only[0] in names:
        return [names.index(only[0])]
    texts = [text.casefold() for text in only]
    places = [i for i, name in enumerate(names) if all(text in name.casefold() for text in texts)]
    if not places:
        seeds = " Other seeds than the preset's need --seeds." if "seed" in " ".join(texts) else ""
        raise ConfigError(
            f"none of the {len(names)} runs of {name} has {' and '.join(only)} in its name, such "
            f"as {names[0]!r}. Give parts of such names.{seeds}"
        )
    return places


class TrainingWatch:
    """Passes on how many steps of training are done, after `before` others, of `steps` in all."""

    def __init__(self, progress: Progress, before: int, steps: int) -> None:
        self._progress, self._before, self._steps = progress, before, steps

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Report the step among those of the whole work."""
        self._progress(self._before + step, self._steps)


def count_steps(progress: Progress, steps: int) -> Callable[[int], None]:
    """Return a function that adds the number of steps it is given to those that are done."""
    done = 0

    def add(more: int) -> None:
        nonlocal done
        done += more
        progress(done, steps)

    return add


def stem(name: str) -> str:
    """Return how the files of an experiment begin: `chiang2022-figure2`."""
    return name.replace("/", "-")


def file_name(name: str, preset: str) -> str:
    """Name the file of records: `chiang2022-figure2.json`, or `chi2023-table1-smoke.json`.

    Only those of `laptop` are without the name of the preset, so that no preset takes the place of
    another.
    """
    return f"{stem(name)}.json" if preset == "laptop" else f"{stem(name)}-{preset}.json"


def reproduce(
    name: str, experiment: Experiment, *, preset: str, options: MeasurementOptions
) -> dict[str, Any]:
    """Measure an experiment; return its records with preset, commit, environment and date.

    Raises:
        ConfigError: there is no such preset, or the options do not fit the experiment.
    """
    return {
        "experiment": name,
        "preset": preset,
        "seed": options.seed,
        "commit": commit(),
        "environment": environment("cpu"),
        "date": datetime.now(UTC).date().isoformat(),
        "records": experiment.collect(name, preset, options),
    }
