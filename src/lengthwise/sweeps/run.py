"""One job: trains the run from its last checkpoint, tests it, and stores the outcome last."""

import threading
import traceback
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lengthwise.problems.account import sizes_of
from lengthwise.problems.base import Plan, Run, run_test
from lengthwise.problems.runs import train
from lengthwise.sweeps.folder import BusyError, JobFolder, Spent
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Failure, Outcome
from lengthwise.sweeps.stopwatch import Stopwatch
from lengthwise.training.loop import find_kept_record
from lengthwise.training.runs import RunFolder

_ONE_AT_A_TIME = threading.Lock()
"""A lock, since the number of torch's threads, which decides the last digits, is one per
process."""


def run_job(job: Job, folder: Path, *, device: str = "auto") -> Outcome:
    """Train the run of a job in its folder and test it; finished parts are loaded, not repeated.

    An error is recorded in the job's folder, and raised.

    Raises:
        BusyError: another process is working on the job.
    """
    place = JobFolder.of(job, folder)
    with place.lock():
        done = place.outcome()
        if done is not None:
            return done
        try:
            outcome = _do(job, place, device)
        except Exception as error:
            place.fail(_failure(job, error))
            raise
        place.finish(outcome)
        return outcome


def _do(job: Job, place: JobFolder, device: str) -> Outcome:
    place.describe(job)
    run, spent = train_and_time(job.plan, place, device)
    tests = [
        # only the first test stores its scores in the run's folder
        run_test(run if index == 0 else replace(run, folder=None), test)
        for index, test in enumerate(job.tests)
    ]
    best = find_kept_record(run.metrics)
    return Outcome(
        digest=job.digest,
        plan=job.plan.to_dict(),
        tests=tuple(tests),
        steps=run.metrics[-1]["step"],
        perfect=bool(best["perfect"]),
        seconds=spent.seconds or 0.0,
        attempts=spent.attempts,
        parameters=sizes_of(run.model)["trained_parameters"],
        environment={
            "lengthwise": version("lengthwise"),
            **RunFolder(place.run).config()["environment"],
        },
        date=datetime.now(UTC).date().isoformat(),
        validation_accuracy=best["validation_accuracy"],
        longest=best.get("longest"),
    )


def train_and_time(plan: Plan, place: JobFolder, device: str) -> tuple[Run, Spent]:
    """Train or continue a run in its folder; return it, and what it took altogether."""
    watch = None if RunFolder(place.run).is_finished else Stopwatch(place)
    run = train(plan, out=place.run, device=device, progress=watch)
    return run, place.clock()


def _failure(job: Job, error: Exception) -> Failure:
    return Failure(
        digest=job.digest,
        plan=job.plan.to_dict(),
        error=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}",
        details=traceback.format_exc(),
    )


def attempt(job: Mapping[str, Any], folder: str, device: str) -> dict[str, Any]:
    """Call `run_job` from another process, with plain values as arguments and result.

    The result is `{"outcome": ...}`, or `{"failure": ...}` if an error was raised, which is also
    stored, or `{"busy": ...}` if another process is working on the job.
    """
    work = Job.from_dict(job)
    try:
        with _ONE_AT_A_TIME:
            return {"outcome": run_job(work, Path(folder), device=device).to_dict()}
    except BusyError as error:
        return {"busy": str(error)}
    except Exception as error:
        return {"failure": _failure(work, error).to_dict()}
