"""Sweeps: many jobs, each done independently and in any order; finished jobs are kept.

A sweep that is started again, after Ctrl-C, a crash or a power cut, continues. Two sweeps with the
same folder share the work: each tries a job of the other again a little later.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from lengthwise.errors import RunError
from lengthwise.settings import require
from lengthwise.sweeps.executors import Executor
from lengthwise.sweeps.folder import JobFolder, claim_sweep
from lengthwise.sweeps.job import Job, require_distinct
from lengthwise.sweeps.outcome import Failure, Outcome
from lengthwise.sweeps.run import attempt
from lengthwise.training.progress import Count, Note, caller_watch, describe_validation
from lengthwise.training.runs import RunFolder

_PAUSE = 1.0
"""Seconds after which a job that another process was working on is tried again."""

_PATIENCE = 5.0
"""Seconds without a result after which the executor is asked whether one can still arrive."""

Answer = dict[str, Any]

Progress = Callable[[int, int], None]
"""Called with the number of jobs that have ended and the number of all jobs."""


def run_sweep(
    experiment: str,
    jobs: Sequence[Job],
    folder: Path | str,
    executor: Executor,
    *,
    device: str = "auto",
    progress: Progress | bool | None = None,
    retries: int = 2,
) -> list[Outcome | Failure]:
    """Do all jobs; return the result of each, in their order.

    Jobs that are done are loaded. A job whose worker died is given to another one, at most
    `retries` times. A job that raises an error is recorded as a failure, which does not stop the
    others, and is tried again when the sweep is run again.

    A bar shows how many jobs have ended, one that runs with its last validation, and the time left,
    on a terminal and in a notebook; `progress=True` prints lines elsewhere, and `progress=False`
    nothing. A function is called as `progress(done, all)` when a job has ended.

    Raises:
        ConfigError: two jobs are the same run, or `progress` is none of these.
        RunError: the folder holds something else.
    """
    require(retries >= 0, f"retries={retries} is too small. Use 0 or more.")
    require_distinct(jobs)
    place = Path(folder).resolve()  # workers have other working folders
    claim_sweep(place, experiment)
    with _choose_display(progress, experiment) as shown:
        sweep = _Sweep(jobs, place, executor, device=device, retries=retries, progress=shown)
        try:
            return sweep.run()
        except BaseException:
            executor.stop()
            raise


def _choose_display(
    progress: Progress | bool | None, experiment: str
) -> AbstractContextManager[Count | None]:
    """Return the display of a sweep: that of the caller, or a bar or lines."""
    if not callable(progress):
        return caller_watch(progress)(f"sweep {experiment}", "jobs", at_once=True)
    ended = 0

    def call(done: int, total: int | None, note: Note = "") -> None:
        nonlocal ended
        if total is not None and done > ended:
            ended = done
            progress(done, total)

    return nullcontext(call)


class _Sweep:
    """State of a sweep: the jobs that wait, those that run, and those that have ended."""

    def __init__(
        self,
        jobs: Sequence[Job],
        folder: Path,
        executor: Executor,
        *,
        device: str,
        retries: int,
        progress: Count | None,
    ) -> None:
        self._jobs = {job.digest: job for job in jobs}
        self._folder = folder
        self._executor = executor
        self._device = device
        self._retries = retries
        self._progress = progress
        self._waiting: deque[str] = deque()
        self._busy: deque[tuple[float, str]] = deque()
        self._running: dict[Future[Answer], str] = {}
        self._deaths = dict.fromkeys(self._jobs, 0)
        self._over: dict[str, Outcome | Failure] = {}

    def run(self) -> list[Outcome | Failure]:
        """Run until every job has ended."""
        for digest, job in self._jobs.items():
            outcome = JobFolder.of(job, self._folder).outcome()
            if outcome is None:
                self._waiting.append(digest)
            else:
                self._over[digest] = outcome
        if not self._waiting:
            self._show([])
        while len(self._over) < len(self._jobs):
            self._recall(time.monotonic())
            self._submit()
            self._collect()
        return [self._over[digest] for digest in self._jobs]

    def _recall(self, now: float) -> None:
        """Queue the jobs of another process again when their pause has passed."""
        while self._busy and self._busy[0][0] <= now:
            self._waiting.append(self._busy.popleft()[1])

    def _submit(self) -> None:
        slots = self._executor.slots
        while self._waiting and (slots is None or len(self._running) < slots):
            digest = self._waiting.popleft()
            self._show([*self._running.values(), digest])
            call = self._executor.submit(
                attempt, self._jobs[digest].to_dict(), str(self._folder), self._device
            )
            self._running[call] = digest

    def _collect(self) -> None:
        """Wait until a job ends or a pause has passed."""
        pause = max(0.0, self._busy[0][0] - time.monotonic()) if self._busy else _PATIENCE
        if not self._running:
            time.sleep(pause if self._busy else 0.0)
            return
        self._executor.require_alive()
        for call in wait(self._running, pause, FIRST_COMPLETED).done:
            self._judge(self._running.pop(call), call)

    def _judge(self, digest: str, call: Future[Answer]) -> None:
        error = CancelledError() if call.cancelled() else call.exception()
        if error is None:
            self._take(digest, call.result())
        elif not self._executor.is_worker_lost(error):
            self._fail(digest, f"{type(error).__name__}: {error}")
        elif self._deaths[digest] < self._retries:
            self._deaths[digest] += 1
            self._waiting.append(digest)
        else:
            self._fail(digest, f"its worker died, {self._deaths[digest] + 1} times in all")

    def _take(self, digest: str, answer: Answer) -> None:
        if "busy" in answer:
            self._busy.append((time.monotonic() + _PAUSE, digest))
        elif "outcome" in answer:
            self._end(digest, Outcome.from_dict(answer["outcome"]))
        else:
            self._end(digest, Failure(**answer["failure"]))

    def _fail(self, digest: str, error: str) -> None:
        """Record a failure that no worker could record."""
        job = self._jobs[digest]
        failure = Failure(digest=digest, plan=job.plan.to_dict(), error=error)
        JobFolder.of(job, self._folder).fail(failure)
        self._end(digest, failure)

    def _end(self, digest: str, result: Outcome | Failure) -> None:
        self._over[digest] = result
        self._show(list(self._running.values()))

    def _show(self, running: Sequence[str]) -> None:
        """Show how many jobs have ended, and the jobs that run."""
        if self._progress is None:
            return
        more = f", and {len(running) - 1} more" if len(running) > 1 else ""

        def note() -> str:
            return f"{_reached(self._jobs[running[0]], self._folder)}{more}"

        self._progress(len(self._over), len(self._jobs), note if running else "")


def _reached(job: Job, folder: Path) -> str:
    """Return how far a job is, in words, by the files that its worker writes."""
    run = RunFolder(JobFolder.of(job, folder).run)
    if run.is_finished:
        return f"{job.title}, testing"
    try:
        last = run.metrics()[-1]
    except (IndexError, OSError, RunError):  # before the first validation, or on a lost disk
        return job.title
    step = f"step {last['step']}/{job.plan.training.steps}"
    return f"{job.title}, {step}, {describe_validation(last)}"
