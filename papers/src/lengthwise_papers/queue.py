"""One queue for all experiments: what is missing, the most telling first.

A unit is a run, a part, or an experiment that is measured in one go (`Experiment.units`). Units are
done in processes of their own, and keep what they find in the folder of runs, where training
continues after any interruption. This process alone writes the files of records, each time that a
unit ends, and at the start those of units that ended as the last queue was killed. So whatever is
killed, and whenever, nothing that was finished is lost; and a machine that has nothing but the
files of records continues from them.

Order: first a unit of each kind with none done, then a second one of each kind with one,
and so on; the papers' tables before our own; what is quick before what takes long, judged by
units of the same kind that this queue has finished, or else by earlier ones.
"""

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.errors import (
    ConfigError,
    LengthwiseError,
    MissingLibraryError,
    RunError,
    TextError,
)
from lengthwise.sweeps.processes import LocalProcesses
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import MeasuredExperiment, MeasurementOptions, Unit
from lengthwise_papers.store import measure_and_store, units

_PATIENCE = 1.0
"""Seconds between two looks at the clock while units run."""


class Work(NamedTuple):
    """A unit that is missing."""

    experiment: str
    unit: str
    """Its name; empty if the experiment is measured in one go."""
    num_done: int
    """Number of units of its kind that are done."""
    seconds: float | None
    """Median time of those; None if nothing is known."""
    kind: str = ""
    """The part of the name that units share which differ in their seed alone."""
    num_before: int = 0
    """Number of units of its kind that are done, or come before it."""

    @property
    def name(self) -> str:
        """`chi2023/table1: parity, rnn, seed 0`."""
        return _name(self.experiment, self.unit)


class Count(NamedTuple):
    """Tells how much of an experiment is done, and how long the rest may take."""

    done: int
    missing: int
    seconds: float
    """Time of the missing units, as far as it is known from others of their kind."""
    unknown: int
    """Number of missing units whose time is not known."""


class Survey(NamedTuple):
    """Holds what is asked for, done or not."""

    missing: list[Work]
    """The units that are not done, in the order in which they will be."""
    lacking: dict[str, str]
    """The experiments whose corpus or library is not there, and what each lacks; they have no
    units."""
    counts: dict[str, Count]
    """The count of each experiment that has such units."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Queue:
    """Holds what is asked for, and where it is kept."""

    preset: str
    runs: Path
    out: Path
    seeds: tuple[int, ...] = ()
    only: tuple[str, ...] = ()
    """Parts of the names of the units that are wanted; all, if there are none."""

    def options(self, **more: Any) -> MeasurementOptions:
        """Return the options of one measurement."""
        return MeasurementOptions(progress=_nothing, runs=self.runs, **more)

    def units(self, name: str) -> list[Unit]:
        """Return the units of an experiment, done or not."""
        is_measured = isinstance(EXPERIMENTS[name], MeasuredExperiment)
        options = self.options(seeds=() if is_measured else self.seeds)
        return units(name, self.preset, options, self.out)

    def survey(self) -> Survey:
        """Return what is asked for, done or not.

        Experiments that show the runs of another one have no units of their own.

        Raises:
            RunError: a file of records is damaged.
            ConfigError: no unit, done or not, has the wanted names.
        """
        every, lacking = self._every()
        names = [
            _name(name, unit.name)
            for name, of_experiment in every.items()
            for unit in of_experiment
        ]
        if not any(map(self._is_wanted, [*names, *lacking])):
            raise ConfigError(
                f"none of the {len(names):,} units has {' and '.join(self.only)} in its name, such "
                f"as {[*names, *lacking][0]!r}. Change --only."
            )
        missing, counts = list[Work](), dict[str, Count]()
        for name, of_experiment in every.items():
            num_wanted = sum(self._is_wanted(_name(name, unit.name)) for unit in of_experiment)
            left = list(_missing(name, of_experiment, self._is_wanted))
            times = [work.seconds for work in left if work.seconds is not None]
            if num_wanted:
                counts[name] = Count(
                    num_wanted - len(left), len(left), sum(times), len(left) - len(times)
                )
            missing += left
        lacking = {name: lack for name, lack in lacking.items() if self._is_wanted(name)}
        return Survey(sorted(missing, key=_order), lacking, counts)

    def _is_wanted(self, name: str) -> bool:
        return all(text.casefold() in name.casefold() for text in self.only)

    def list_unwritten(self) -> list[str]:
        """Return the experiments with units that the folder of runs has and the files of records
        lack: a queue was killed after they had ended."""
        files = replace(self, runs=self.runs / "none")  # as on a machine that has no runs
        stored = files._every()[0]
        return [
            name
            for name, of_experiment in self._every()[0].items()
            if _names_of_done(of_experiment) - _names_of_done(stored[name])
        ]

    def _every(self) -> tuple[dict[str, list[Unit]], dict[str, str]]:
        """Return the units of each experiment that has units of its own, and what the others
        lack: a corpus, or a library."""
        by_experiment, lacking = dict[str, list[Unit]](), dict[str, str]()
        for name, experiment in EXPERIMENTS.items():
            if not getattr(experiment, "runs_of", ""):
                try:
                    by_experiment[name] = self.units(name)
                except (TextError, MissingLibraryError) as error:
                    lacking[name] = str(error)
        return by_experiment, lacking

    def store(self, experiment: str) -> None:
        """Write the files of an experiment, and of those that show its runs."""
        options = self.options(finished=True, seeds=self.seeds)
        for name, other in EXPERIMENTS.items():
            is_shown = experiment == getattr(other, "runs_of", "")
            if name == experiment or (is_shown and any(unit.is_done for unit in self.units(name))):
                measure_and_store(name, self.preset, options, self.out)


@dataclass(slots=True)
class Report:
    """Tells what became of the units."""

    done: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """The error of each."""
    stopped: list[str] = field(default_factory=list)
    """Names of units that were running when the time was over; they continue where they were."""
    is_over: bool = False
    """True if the time was over before all was done."""


Tell = Callable[[str], None]


def work_off(queue: Queue, *, workers: int, seconds: float | None, tell: Tell) -> Report:
    """Do what is missing, until nothing is or the time is over; `tell` gets a line for each unit.

    Files of records are first brought up to what the folder of runs has.

    Raises:
        RunError: a file of records is damaged.
        ConfigError: no unit has the wanted names.
    """
    ends_at = None if seconds is None else time.monotonic() + seconds
    tell("looking for what is missing")
    survey, report = queue.survey(), Report()
    waiting = survey.missing
    for name, lack in survey.lacking.items():
        tell(f"left out: {name}: {lack}")
    for name in (unwritten := queue.list_unwritten()):
        queue.store(name)
        tell(f"written: {name}")
    if unwritten:
        waiting = queue.survey().missing
    running: dict[Future[None], tuple[Work, float]] = {}
    times: dict[tuple[str, str], list[float]] = {}
    with LocalProcesses(workers) as executor:
        while (waiting or running) and not _is_over(ends_at):
            while waiting and len(running) < workers:
                work = _next(waiting, times)
                waiting.remove(work)
                tell(f"begins: {work.name}")
                running[executor.submit(_do, queue, work)] = work, time.monotonic()
            over, _ = wait(running, _PATIENCE, return_when=FIRST_COMPLETED)
            for call in over:
                work, began = running.pop(call)
                if _end(queue, work, call, report, tell):
                    duration = time.monotonic() - began
                    times.setdefault((work.experiment, work.kind), []).append(duration)
    report.stopped = [work.name for work, _ in running.values()]
    report.is_over = bool(running or waiting)
    return report


def _next(waiting: Sequence[Work], times: Mapping[tuple[str, str], Sequence[float]]) -> Work:
    """Return the unit to begin; `times` are those of the units that this queue has finished."""

    def update(work: Work) -> Work:
        durations = times.get((work.experiment, work.kind))
        return work._replace(seconds=statistics.median(durations)) if durations else work

    return min(waiting, key=lambda work: _order(update(work)))


def _is_over(ends_at: float | None) -> bool:
    return ends_at is not None and time.monotonic() >= ends_at


def _end(queue: Queue, work: Work, call: Future[None], report: Report, tell: Tell) -> bool:
    """Store what a unit found, or its error; return whether it was done."""
    try:
        call.result()
        if work.unit:  # an experiment without units has stored its records itself
            queue.store(work.experiment)
    except Exception as error:  # a unit that fails must not stop the others
        reason = str(error) if isinstance(error, LengthwiseError) else repr(error)
        report.failed[work.name] = reason
        tell(f"failed: {work.name}: {reason}")
        return False
    report.done.append(work.name)
    tell(f"done: {work.name}")
    return True


def _do(queue: Queue, work: Work) -> None:
    """Do one unit, in a process of its own."""
    if not work.unit:
        measure_and_store(work.experiment, queue.preset, queue.options(), queue.out)
        return
    options = queue.options(only=(work.unit,), seeds=queue.seeds)
    records = EXPERIMENTS[work.experiment].collect(work.experiment, queue.preset, options)
    if errors := [record["error"] for record in records if "error" in record]:
        raise RunError(errors[0])


def _name(experiment: str, unit: str) -> str:
    return f"{experiment}: {unit}" if unit else experiment


def _nothing(done: int, steps: int) -> None:
    """Show no progress."""


def _names_of_done(every: Sequence[Unit]) -> set[str]:
    return {unit.name for unit in every if unit.is_done}


def _missing(name: str, every: Sequence[Unit], is_wanted: Callable[[str], bool]) -> Iterator[Work]:
    """Yield the wanted units that are not done, with what is known of others of their kind."""
    done: dict[str, list[float | None]] = {}
    for unit in every:
        if unit.is_done:
            done.setdefault(unit.kind, []).append(unit.seconds)
    before = Counter({kind: len(alike) for kind, alike in done.items()})
    for unit in every:
        if not unit.is_done and is_wanted(_name(name, unit.name)):
            alike = done.get(unit.kind, [])
            known = [seconds for seconds in alike if seconds is not None]
            middle = statistics.median(known) if known else None
            yield Work(name, unit.name, len(alike), middle, unit.kind, before[unit.kind])
            before[unit.kind] += 1


def _order(work: Work) -> tuple[int, bool, float]:
    is_own, seconds = work.experiment.startswith("own/"), work.seconds
    return work.num_before, is_own, math.inf if seconds is None else seconds
