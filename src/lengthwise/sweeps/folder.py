"""The files of a sweep: a folder for the experiment, and in it one for each job.

    sweep.json              the name of the experiment; written first, never changed
    DIGEST/job.json         the run's settings and its tests
    DIGEST/run/             an ordinary run folder
    DIGEST/clock.json       time and attempts of training so far
    DIGEST/outcome.json     figures; exists exactly if the job is done
    DIGEST/failure.json     the error, if the last attempt raised one; deleted when the job is done
    DIGEST/lock             held by the process that works on the job; names that process

All processes that work on one sweep, on one machine or on several, see the same folder.
"""

import json
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lengthwise.errors import RunError
from lengthwise.files import create_json, is_leftover, read_json, write_json
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Failure, Outcome

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
"""Version of the folder's layout."""

_OUTCOME, _FAILURE, _CLOCK = "outcome.json", "failure.json", "clock.json"


_JOB = re.compile(r"[0-9a-f]{12}")
"""Names of folders of jobs."""


class BusyError(RunError):
    """Raised if another process is working on the job."""


def claim_sweep(folder: Path, experiment: str) -> None:
    """Create the folder for the sweep of an experiment, or accept one that already holds it.

    Raises:
        RunError: the folder holds the sweep of another experiment, or files of something else.
    """
    stored = folder / "sweep.json"
    paths = [path for path in folder.iterdir() if not is_leftover(path)] if folder.is_dir() else []
    is_known = stored in paths or all(_JOB.fullmatch(path.name) for path in paths)
    if (folder.exists() and not folder.is_dir()) or not is_known:
        raise RunError(
            f"{folder} exists and holds no sweep of lengthwise. Use a new or empty folder."
        )
    create_json(stored, {"format": FORMAT, "experiment": experiment})
    record = read_json(stored, remedy="Delete that file; the runs beside it stay.")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RunError(f"{stored} is not of format {FORMAT}. Use a new folder.")
    if record.get("experiment") != experiment:
        raise RunError(
            f"{folder} holds the sweep of {record.get('experiment')}, but {experiment} is asked "
            f"for. Use another folder."
        )


class Spent(NamedTuple):
    """Holds what training took, up to the last checkpoint of each attempt.

    Times are None if those of an earlier attempt were not measured.
    """

    seconds: float | None = 0.0
    attempts: int = 0
    processor_seconds: float | None = 0.0
    """Time of all threads of the process."""


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The files of one job."""

    path: Path
    job: Job | None = None
    """The job, if it is known; an outcome of another job is then refused."""

    @classmethod
    def of(cls, job: Job, folder: Path) -> "JobFolder":
        """Return the folder of a job in the folder of its sweep."""
        return cls(folder / job.digest, job)

    @property
    def run(self) -> Path:
        """The folder in which the run is trained."""
        return self.path / "run"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep others from the job; the system releases the lock if we die.

        Raises:
            BusyError: another process is working on it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        # network file systems lock writable files only
        with (self.path / "lock").open("a+") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    file.seek(0)
                    raise BusyError(
                        f"{self.path} is being worked on ({file.read().strip()}). Wait for it."
                    ) from None
            file.truncate(0)
            file.write(f"host {socket.gethostname()} process {os.getpid()}\n")
            file.flush()
            yield

    def describe(self, job: Job) -> None:
        """Store the settings and tests of the job."""
        if not (self.path / "job.json").exists():
            write_json(self.path / "job.json", job.to_dict())

    def outcome(self) -> Outcome | None:
        """Return the outcome of the job, or None if it is not done.

        Raises:
            RunError: it is damaged, or of a run with other settings.
        """
        path = self.path / _OUTCOME
        if not path.exists():
            return None
        stored = read_json(path, remedy=f"Delete {path}; this run alone is tested again.")
        try:
            outcome = Outcome.from_dict(stored)
        except RunError as error:
            raise RunError(f"{path}: {error}") from None
        if self.job is not None:
            self._require_settings_of(self.job, outcome)
        return outcome

    def finish(self, outcome: Outcome) -> None:
        """Store the outcome of the job, which ends it."""
        (self.path / _FAILURE).unlink(missing_ok=True)
        write_json(self.path / _OUTCOME, outcome.to_dict())

    def fail(self, failure: Failure) -> None:
        """Store the error of the last attempt."""
        write_json(self.path / _FAILURE, failure.to_dict())

    def _require_settings_of(self, job: Job, outcome: Outcome) -> None:
        """Refuse an outcome of other settings: the digest leaves out defaults, which may change."""
        plan = json.loads(json.dumps(job.plan.to_dict()))  # as it is stored
        for name, then, now in differing(outcome.plan, plan):
            raise RunError(
                f"{self.path} holds the outcome of a run with {name}={then!r}, but now "
                f"{name}={now!r} is asked for. Delete that folder, or use another one for all "
                f"runs (--runs)."
            )

    def clock(self) -> Spent:
        """Return what training took so far."""
        path = self.path / _CLOCK
        if not path.exists():
            return Spent(None, 0, None) if self.run.exists() else Spent()
        stored = read_json(path)
        try:
            seconds, processor = (
                None if seconds is None else float(seconds)
                for seconds in (stored["seconds"], stored.get("processor_seconds"))
            )
            return Spent(seconds, int(stored["attempts"]), processor)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise RunError(f"{path} is damaged. Delete it: only time is lost.") from None

    def save_clock(self, spent: Spent) -> None:
        """Store what training took so far."""
        write_json(self.path / _CLOCK, spent._asdict())


def differing(stored: Any, requested: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings to which both give different values: the name, and both values."""
    if isinstance(stored, Mapping) and isinstance(requested, Mapping):
        for key in stored:
            if key in requested:
                yield from differing(stored[key], requested[key], f"{name}.{key}" if name else key)
    elif stored != requested and name != "problem.corpus.folder":  # a corpus may be moved
        yield name, stored, requested
