"""An experiment whose numbers are those of trained models: a sweep of runs, a record of each.

A run belongs to a cell of a table: a row (such as a language), a column (such as a model). What a
cell shows is a function of the records of its runs, one for each seed.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple

import torch

from lengthwise.errors import ConfigError, NothingFinishedError, WordError
from lengthwise.models.cost import forward_flops
from lengthwise.problems.plan import Plan
from lengthwise.problems.sweep_tests import TestResult
from lengthwise.registry import Catalogue
from lengthwise.sweeps.executors import InProcess
from lengthwise.sweeps.folder import JobFolder, claim_sweep, differing
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Failure, Outcome
from lengthwise.sweeps.sweep import Progress, run_sweep
from lengthwise.training.devices import choose_device
from lengthwise_papers.cells import cells, from_to, run_name, span
from lengthwise_papers.experiment import (
    RUNS,
    Experiment,
    MeasurementOptions,
    Record,
    Sizes,
    Statement,
    Table,
    Unit,
    choose_places,
    stem,
)
from lengthwise_papers.shared_runs import take_over


class CellRun(NamedTuple):
    """One run of a cell."""

    row: str
    column: str
    job: Job

    @property
    def name(self) -> str:
        """`parity, rnn, seed 0`: what `only` is looked for in."""
        return f"{self.row}, {self.column}, seed {self.job.plan.training.seed}"


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainedExperiment(Experiment, Generic[Sizes]):
    """A table or figure of trained models."""

    presets: Catalogue[Sizes]
    runs: Callable[[Sizes, Sequence[int]], list[CellRun]]
    """All runs, from the numbers of a preset and from seeds; those of the preset, if none."""
    judge: Callable[[Sequence[Record]], list[Statement]]
    """The statements of the paper that the records can decide."""
    prepare: Callable[[Sizes, Sequence[Job], Progress], None] = lambda sizes, jobs, progress: None
    """Called before the first of these runs, to make what they need."""
    runs_of: str = ""
    """The experiment whose runs these are, too; its own, if none is named."""

    def collect(self, name: str, preset: str, options: MeasurementOptions) -> list[Record]:
        """Return a record for each wanted run; runs that are done are not done again.

        A run is done if it is in the folder of runs, or else among the stored records.
        Stored records that are not asked for are kept.

        Raises:
            ConfigError: no run is wanted, a seed comes twice, `seed` is given, not `seeds`, or a
                stored record would be kept beside runs of other settings.
            RunError: the folder of runs holds another experiment's.
        """
        if options.seed:
            raise ConfigError(f"{name} trains runs, and its test words are fixed. Use --seeds.")
        owner = self.runs_of or name
        folder = options.runs / f"{stem(owner)}-{preset}"
        every = self.runs(self.presets[preset], options.seeds)
        wanted_runs = [
            every[i] for i in choose_places(name, [run.name for run in every], options.only)
        ]
        names = {run.name for run in wanted_runs}
        done = {run.job.digest for run in wanted_runs if JobFolder.of(run.job, folder).outcome()}
        stored = {
            run.job.digest: options.stored[run.job.digest]
            for run in every
            if run.job.digest in options.stored.keys() - done and _fits(run, options)
        }
        if options.finished:
            wanted_runs = [run for run in wanted_runs if run.job.digest in done | stored.keys()]
            if not wanted_runs:
                raise NothingFinishedError(
                    f"{folder} has no finished run of these. Leave out --finished."
                )
        other_runs = self._others(names, every, preset, options)
        swept = [run.job for run in wanted_runs if run.job.digest not in stored]
        outcomes = self._sweep(f"{owner} {preset}", preset, swept, folder, options) if swept else {}
        records = [
            _since(run, record(run, outcomes[run.job.digest]), options.stored)
            if run.job.digest in outcomes
            else _load_kept(run, options.stored)
            for run in [*wanted_runs, *other_runs]
        ]
        places = {cell: place for place, cell in enumerate(dict.fromkeys(r[:2] for r in every))}
        return sorted(
            records, key=lambda result: (places[result["row"], result["column"]], result["seed"])
        )

    def units(self, name: str, preset: str, options: MeasurementOptions) -> list[Unit]:
        """Return a unit for each run; a run that failed is not done."""
        folder = options.runs / f"{stem(self.runs_of or name)}-{preset}"
        all_units = []
        for run in self.runs(self.presets[preset], options.seeds):
            outcome = JobFolder.of(run.job, folder).outcome()
            stored = options.stored.get(run.job.digest, {})
            is_kept = bool(stored) and _is_of(run, stored) and "error" not in stored
            seconds = outcome.seconds if outcome else _seconds_here(stored)
            kind = f"{run.row}, {run.column}"
            all_units.append(Unit(run.name, kind, outcome is not None or is_kept, seconds))
        return all_units

    def _others(
        self,
        names: Collection[str],
        every: Sequence[CellRun],
        preset: str,
        options: MeasurementOptions,
    ) -> list[CellRun]:
        """Return the runs that are stored, and not asked for now.

        Raises:
            ConfigError: some are of other settings than the same runs would have today.
        """
        stored = options.stored
        left = {digest for digest, result in stored.items() if run_name(result) not in names}
        if not left:
            return []
        seeds = sorted({stored[digest]["seed"] for digest in left})
        planned = [*every, *self.runs(self.presets[preset], seeds)]
        other_runs = {
            run.job.digest: run
            for run in planned
            if run.job.digest in left and _is_of(run, stored[run.job.digest])
        }
        if stale := left - other_runs.keys():
            raise ConfigError(
                f"{len(stale)} stored runs are of other settings, such as "
                f"{run_name(stored[min(stale)])!r}. Ask for them too, or use another --out."
            )
        return list(other_runs.values())

    def _sweep(
        self, name: str, preset: str, jobs: Sequence[Job], folder: Path, options: MeasurementOptions
    ) -> dict[str, Outcome | Failure]:
        """Do these jobs; return their results by digest."""
        claim_sweep(folder, name)
        if left := [job for job in jobs if JobFolder.of(job, folder).outcome() is None]:
            self.prepare(self.presets[preset], left, options.progress)
            take_over(jobs, folder)
        options.progress(len(jobs) - len(left), len(jobs))
        executor = options.executor or InProcess()
        results = run_sweep(name, jobs, folder, executor, progress=options.progress)
        return {job.digest: result for job, result in zip(jobs, results, strict=True)}

    def check(self, records: Sequence[Record], /) -> list[Statement]:
        """Return the statements of `judge`, with one more if some runs failed."""
        failed = [result for result in records if "error" in result]
        if not failed:
            return self.judge(records)
        reasons = "; ".join(f"{run_name(result)}: {result['error']}" for result in failed)
        ended = Statement(where=RUNS, says="every run ends", holds=False, measured=reasons)
        return [ended, *self.judge(records)]

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Return all tables by title; the last shows all runs."""
        return {**Experiment.tables(self, records), "Runs": runs_table(records)}


def _fits(run: CellRun, options: MeasurementOptions) -> bool:
    """Return whether a stored record can be used; a failed one only with `finished`."""
    stored_record = options.stored[run.job.digest]
    return _is_of(run, stored_record) and (options.finished or "error" not in stored_record)


def _is_of(run: CellRun, stored_record: Record) -> bool:
    """Return whether a record has the run's settings: a default may have changed."""
    return not any(differing(stored_record.get("settings", {}), _about(run)["settings"]))


def _seconds_here(stored: Record) -> float | None:
    """Return how long a recorded run took, if it was trained on the kind of device used here."""
    device = torch.device(stored.get("environment", {}).get("device", "cpu"))
    return stored.get("seconds") if device.type == choose_device("auto").type else None


def _since(run: CellRun, result: Record, stored: Mapping[str, Record]) -> Record:
    """Return the record, with the commit of the stored one if both are of the same training."""
    before = stored.get(result["digest"], {})
    parts = ("seconds", "steps", "date", "tests")
    same = "error" not in result and all(before.get(part) == result[part] for part in parts)
    return {"commit": before["commit"], **result} if same and _is_of(run, before) else result


def _load_kept(run: CellRun, stored: Mapping[str, Record]) -> Record:
    """Return the stored record of a run, under the run's present name."""
    stored_record = stored[run.job.digest]
    return {**stored_record, **_about(run)}


def record(run: CellRun, result: Outcome | Failure) -> Record:
    """Return the record of a run: its settings, its cost, and its scores at each length."""
    if isinstance(result, Failure):
        return {**_about(run), "error": result.error}
    return {
        **_about(run),
        "steps": result.steps,
        "perfect": result.perfect,
        **_count_validated(result),
        "seconds": round(result.seconds, 1),
        "parameters": result.parameters,
        "flops": flops_of(run.job.plan),
        "environment": dict(result.environment),
        "date": result.date,
        "tests": {test.name: _test(run.job, test) for test in result.tests},
    }


WORD_OF_COST = 500
"""Number of symbols of the word whose cost is given."""

_LENGTHS: Mapping[str, Callable[[Plan], int]] = {
    "step-by-step": lambda plan: int(plan.network.max_length),
    "language-modelling": lambda plan: int(plan.data.window),
    "translation": lambda plan: 30,
}
"""Length of the input whose cost is given, where it is not a word: inputs with all steps, a window,
and a sentence with its translation."""


def flops_of(plan: Plan) -> int:
    """Return floating-point operations of a usual input; of languages a word of `WORD_OF_COST`."""
    model, vocab_size = plan.build().eval(), plan.network.vocab_size
    of_kind = _LENGTHS.get(plan.problem.kind)
    length = WORD_OF_COST if of_kind is None else of_kind(plan)
    try:
        return forward_flops(model, vocab_size, length)
    except WordError:  # learned positions reach only the training lengths
        return forward_flops(model, vocab_size, plan.data.max_length)


def _count_validated(result: Outcome) -> Record:
    """Return how many words of training lengths are right, and their greatest length, if known."""
    known = {"validation_accuracy": result.validation_accuracy, "longest": result.longest}
    return {name: figure for name, figure in known.items() if figure is not None}


def _about(run: CellRun) -> Record:
    """Return what is known of a run before it is trained."""
    plan = run.job.plan
    return {
        "row": run.row,
        "column": run.column,
        "seed": plan.training.seed,
        "model": plan.model,
        "supervision": plan.supervision,
        "trained_on": plan.trained_on,
        "digest": run.job.digest,
        "settings": _plain(plan.settings),
    }


def _test(job: Job, result: TestResult) -> Record:
    """Return the record of a test; only lengths with wrong answers are listed."""
    job_test = next(test for test in job.tests if test.name == result.name)
    summary = result.summary
    return {
        "lengths": _format_lengths(job_test.lengths),
        "missing": list(summary["missing_lengths"]),
        "words_per_length": summary["words_per_length"],
        "protocol": summary["protocol"],
        "seed": job_test.seed,
        **{key: _plain(summary[key]) for key in _OF_ACCURACY if key in summary},
        "shortcuts": dict(summary["shortcuts"]),
        "seconds": summary.get("seconds", 0.0),
        **summary.get("figures", {}),
        "wrong": {str(n): words - right for n, words, right in result.by_length if right < words},
    }


_OF_ACCURACY = ("mean_accuracy", "interval_95", "worst_length", "worst_accuracy")
"""The figures of a test of answers; other tests have figures of their own."""


def _plain(value: Any) -> Any:
    """Return the value as JSON restores it."""
    return json.loads(json.dumps(value))


def _format_lengths(lengths: Sequence[int]) -> str:
    """Write the lengths as `parse_lengths` reads them."""
    first, last = lengths[0], lengths[-1]
    step = lengths[1] - first if len(lengths) > 2 else 0
    if step > 0 and list(lengths) == list(range(first, last + 1, step)):
        return f"{first}:{last}" if step == 1 else f"{first}:{last}:{step}"
    return ",".join(map(str, lengths))


_COST = f"Mflop a word (languages: of {WORD_OF_COST} symbols)"


def runs_table(records: Sequence[Record]) -> Table:
    """Return a row for each cell: how its runs were trained and tested, and their cost."""
    columns = ["row", "column", "supervision", "trained on", "seeds", "steps", "seconds to train"]
    columns += ["parameters trained", _COST, "words at each of", "shortcut %", "commit"]
    rows = [
        [row, column, runs[0]["supervision"], runs[0]["trained_on"], *_costs(runs)]
        for (row, column), runs in cells(records).items()
    ]
    failed = [result for result in records if "error" in result]
    rows += [
        [
            result["row"],
            result["column"],
            f"failed: {result['error']}",
            "",
            str(result["seed"]),
            *[""] * 7,
        ]
        for result in failed
    ]
    return Table(columns, rows)


def _costs(runs: Sequence[Record]) -> Iterator[str]:
    yield ", ".join(str(run["seed"]) for run in runs)
    yield from_to([run["steps"] for run in runs])
    yield span(runs, "seconds")
    yield f"{runs[0]['parameters']:,}"
    yield f"{runs[0]['flops'] / 1e6:.1f}"
    tests = runs[0]["tests"].values()
    asked = [f"{test['words_per_length']} at {test['lengths']}" for test in tests]
    yield "; ".join(dict.fromkeys(asked))
    first = next(iter(tests))
    yield f"{100 * max(first['shortcuts'].values()):.1f}" if first["shortcuts"] else "none"
    yield ", ".join(dict.fromkeys(run.get("commit", "this") for run in runs))
