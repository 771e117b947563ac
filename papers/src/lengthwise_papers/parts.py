"""An experiment in parts: each is measured on its own, and kept in a file, so that none is lost.

A part is, for instance, a network that is trained and then tested in some way of its own, or a
construction that is verified. Its folder is named by a digest of its settings.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, NamedTuple

from lengthwise.errors import ConfigError, NothingFinishedError, RunError
from lengthwise.files import read_json, write_json
from lengthwise.problems.base import Plan, Run
from lengthwise.problems.planning import plan_from_dict
from lengthwise.registry import Catalogue
from lengthwise.sweeps.executors import Executor, InProcess
from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.run import train_and_time
from lengthwise.training.devices import commit
from lengthwise_papers.experiment import (
    Experiment,
    MeasurementOptions,
    Record,
    Sizes,
    Statement,
    Unit,
    choose_places,
    stem,
)

Measure = Callable[[Mapping[str, Any], Path], list[Record]]
"""The records of a part, from its settings and a folder of its own for what is trained."""

_OF_A_PLAN = frozenset({"problem", "model", "network", "data", "training"})
"""Names in a plan as plain values, by which it is recognised."""


class Part(NamedTuple):
    """One part of an experiment."""

    name: str
    """`parity, regular-gpt, seed 0`: what `only` is looked for in."""
    settings: Mapping[str, Any]
    """Plain values, on which alone the records depend."""

    @property
    def digest(self) -> str:
        """Twelve hex digits that change with the settings.

        A setting that is added to plans later does not change them as long as it has its default.
        """
        body = json.dumps(_identity(self.settings), sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:12]

    @property
    def kind(self) -> str:
        """The name without its seed."""
        return re.sub(r",? *seed \d+", "", self.name)

    def folder(self, within: Path) -> Path:
        """Return the folder of the part in that of its experiment."""
        return within / self.digest


@dataclass(frozen=True, kw_only=True, slots=True)
class PartsExperiment(Experiment, Generic[Sizes]):
    """An experiment that is measured part by part."""

    presets: Catalogue[Sizes]
    parts: Callable[[Sizes, Sequence[int]], list[Part]]
    """All parts, from the numbers of a preset and from seeds; those of the preset, if none."""
    measure: Measure
    note: Callable[[Sequence[Record]], str] = lambda records: ""
    """A function that returns what the documents say below the table."""
    check: Callable[[Sequence[Record]], list[Statement]] = lambda records: []
    paper: str = "lengthwise"
    printed: str = "nothing: no paper has it."

    def collect(self, name: str, preset: str, options: MeasurementOptions) -> list[Record]:
        """Measure the parts that are wanted and not done; return the records of all that are done.

        A part is done if its records are in the folder of runs, or else among those of an earlier
        file. Earlier records that do not name their part are not looked at. With `seeds`, earlier
        records of other seeds are kept.

        Raises:
            ConfigError: no part is wanted, or `seed` is given, not `seeds`.
            RunError: only what is done is wanted, and nothing is.
        """
        if options.seed:
            raise ConfigError(f"{name} has no --seed. Use --seeds.")
        folder = (options.runs / f"{stem(name)}-{preset}").resolve()
        every = self.parts(self.presets[preset], options.seeds)
        selected = [
            every[i] for i in choose_places(name, [part.name for part in every], options.only)
        ]
        done = _load_done(every, folder, options)
        missing = [part for part in selected if part.digest not in done]
        if missing and not options.finished:
            self._measure(missing, folder, options)
            done = _load_done(every, folder, options)
        if not done:
            raise NothingFinishedError(
                f"{folder} has no finished part of these. Leave out --finished."
            )
        digests = {None, *(part.digest for part in every)}
        others = [one for one in options.earlier if one.get("part") not in digests]
        return [
            *(others if options.seeds else ()),
            *(record for part in every for record in done.get(part.digest, ())),
        ]

    def units(self, name: str, preset: str, options: MeasurementOptions) -> list[Unit]:
        """Return a unit for each part.

        Where earlier records do not name their parts, and nothing is in the folder of runs, all
        parts count as done.
        """
        folder = options.runs / f"{stem(name)}-{preset}"
        every = self.parts(self.presets[preset], options.seeds)
        done = _load_done(every, folder, options)
        unnamed = not done and bool(options.earlier)
        return [
            Unit(part.name, part.kind, unnamed or part.digest in done, _seconds(done, part))
            for part in every
        ]

    def _measure(self, parts: Sequence[Part], folder: Path, options: MeasurementOptions) -> None:
        """Have the parts measured, as many at a time as the executor takes."""
        executor: Executor = options.executor or InProcess()
        waiting, running, done = list(parts), set[Future[None]](), 0
        options.progress(done, len(parts))
        while waiting or running:
            while waiting and (executor.slots is None or len(running) < executor.slots):
                part = waiting.pop(0)
                running.add(executor.submit(_measure, self.measure, part, str(folder)))
            over, running = wait(running, return_when=FIRST_COMPLETED)
            for future in over:
                error = future.exception()
                if error is not None and executor.is_worker_lost(error):
                    raise RunError("a worker died. Run it again: what is finished is kept.")
                future.result()
            done += len(over)
            options.progress(done, len(parts))


def _identity(values: Any) -> Any:
    """Return plain values with each plan as its identity."""
    if isinstance(values, list | tuple):
        return [_identity(value) for value in values]
    if not isinstance(values, Mapping):
        return values
    if values.keys() >= _OF_A_PLAN:
        return plan_from_dict(values).identity()
    return {name: _identity(value) for name, value in values.items()}


def _file(part: Part, folder: Path) -> Path:
    return part.folder(folder) / "records.json"


def _load_done(
    parts: Sequence[Part], folder: Path, options: MeasurementOptions
) -> dict[str, list[Record]]:
    """Return the records of the parts that are done, by the digest of the part."""
    of_parts = [record for record in options.earlier if "part" in record]
    earlier = {digest: of_part for (digest,), of_part in group_records(of_parts, "part").items()}
    done = {}
    for part in parts:
        if (file := _file(part, folder)).exists():
            identity = {"part": part.digest}
            done[part.digest] = [{**record, **identity} for record in read_json(file)["records"]]
        elif part.digest in earlier:
            done[part.digest] = earlier[part.digest]
    return done


def _seconds(done: Mapping[str, Sequence[Record]], part: Part) -> float | None:
    """Return how long the measurement of a part took, if its records say so."""
    return next(
        (
            record["seconds_of_part"]
            for record in done.get(part.digest, ())
            if "seconds_of_part" in record
        ),
        None,
    )


def _measure(measure: Measure, part: Part, folder: str) -> None:
    """Measure a part and store its records, with what made them."""
    part_folder = part.folder(Path(folder))
    part_folder.mkdir(parents=True, exist_ok=True)
    origin: dict[str, Any] = {"date": datetime.now(UTC).date().isoformat(), "commit": commit()}
    start = time.perf_counter()
    measured = measure(part.settings, part_folder)
    origin["seconds_of_part"] = round(time.perf_counter() - start, 1)
    records = [{**record, **origin} for record in measured]
    write_json(_file(part, Path(folder)), {"part": part.name, "records": records})


def group_records(records: Iterable[Record], *keys: str) -> dict[tuple[Any, ...], list[Record]]:
    """Group records by the values of these keys, in the order in which they come."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record[key] for key in keys), []).append(record)
    return groups


def train_in_folder(plan: Plan, folder: Path) -> tuple[Run, Record]:
    """Train or continue a run in a folder; return it and a record of its training.

    Steps are those of all its stages together, and times those up to the last checkpoint of each
    attempt; they are None if they were not measured.
    """
    run, spent = train_and_time(plan, JobFolder(folder), "cpu")
    names = ("supervision", "steps", "ended", "right_to")
    stages = [{name: stage[name] for name in names} for stage in run.records.stages]
    several = {"stages": stages} if len(stages) > 1 else {}
    return run, {
        "seed": plan.training.seed,
        "supervision": run.require_plan().supervision,
        "steps": sum(stage["steps"] for stage in stages),
        **several,
        "seconds_to_train": spent.seconds,
        "processor_seconds": spent.processor_seconds,
        "settings": plan.to_dict(),
    }


def without_problem(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan as plain values without its language."""
    return {name: value for name, value in plan.items() if name != "problem"}


def route(record: Record) -> str:
    """Return the model of a record of training, and its supervision, stage after stage."""
    stages = [stage["supervision"] for stage in record.get("stages", ())] or [record["supervision"]]
    return f"`{record['model']}`, {', then '.join(stages)}"
