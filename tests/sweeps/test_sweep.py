"""Many jobs, whatever happens to some of them."""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import ConfigError, RunError
from lengthwise.files import read_json
from lengthwise.problems.base import Plan, Run, run_test
from lengthwise.problems.runs import train
from lengthwise.sweeps import run as running
from lengthwise.sweeps import sweep as sweeping
from lengthwise.sweeps.executors import InProcess
from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.outcome import Failure, Outcome
from lengthwise.sweeps.run import run_job
from lengthwise.sweeps.stopwatch import Stopwatch
from lengthwise.sweeps.sweep import run_sweep
from lengthwise.training import progress as displaying
from sweep_jobs import TESTS, failures, figures, outcomes, small_jobs, small_plan

NAME = "chi2023/table1"


class Mortal(InProcess):
    """Its worker dies at the calls of these numbers, counted from 0."""

    def __init__(self, deaths: set[int]) -> None:
        self.deaths = deaths
        self.calls = 0
        self.stopped = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> "Future[Any]":
        self.calls += 1
        if self.calls - 1 not in self.deaths:
            return super().submit(function, *arguments)
        future: Future[Any] = Future()
        future.set_exception(EOFError("killed"))
        return future

    def is_worker_lost(self, error: BaseException) -> bool:
        return isinstance(error, EOFError)

    def stop(self) -> None:
        self.stopped = True


def test_results_come_in_the_order_of_the_jobs_and_done_jobs_are_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = small_jobs(3)
    seen: list[tuple[int, int]] = []
    first = run_sweep(NAME, jobs[1:], tmp_path, InProcess(), progress=lambda *n: seen.append(n))
    assert seen == [(1, 2), (2, 2)]
    trained: list[int] = []

    def note(plan: Plan, **settings: Any) -> Run:
        trained.append(plan.training.seed)
        return train(plan, **settings)

    monkeypatch.setattr(running, "train", note)

    executor = Mortal(set())
    every = run_sweep(NAME, jobs, tmp_path, executor)

    assert trained == [0]
    assert executor.calls == 1
    assert every[1:] == first
    assert [result.digest for result in every] == [job.digest for job in jobs]
    assert figures(every) == figures([run_job(job, tmp_path / "apart") for job in jobs])


def test_progress_says_how_far_a_job_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[Any] = []
    said: list[str] = []

    class Watch(Stopwatch):
        def update(self, step: int, record: Mapping[str, Any]) -> None:
            super().update(step, record)
            said.append(notes[-1]())

    def test(*given: Any) -> Any:
        said.append(notes[-1]())
        return run_test(*given)

    def show(done: int, total: int | None, note: Any = "") -> None:
        notes.append(note)

    monkeypatch.setattr(running, "Stopwatch", Watch)
    monkeypatch.setattr(running, "run_test", test)
    monkeypatch.setattr(sweeping, "caller_watch", lambda _: lambda *_, **__: nullcontext(show))
    run_sweep("mine", small_jobs(1), tmp_path, InProcess())
    before, *_, after, tested, _ = said
    assert before == "parity, elman, seed 0"
    assert re.fullmatch(r"parity, elman, seed 0, step 4/4, validation [\d.]+ %", after)
    assert tested == "parity, elman, seed 0, testing"
    assert notes[-1] == ""
    metrics = next(tmp_path.glob("*/run/metrics.jsonl"))
    metrics.with_name("model.safetensors").unlink()
    metrics.write_text("damaged", encoding="utf-8")
    assert notes[0]() == before


def test_progress_says_how_many_jobs_have_ended_and_what_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(displaying, "_SECONDS_BETWEEN_LINES", 0.0)
    jobs = small_jobs(2)
    run_sweep("mine", jobs, tmp_path, InProcess(), progress=True)
    assert capsys.readouterr().err.splitlines() == [
        "sweep mine: 0 of 2 jobs (parity, elman, seed 0)",
        "sweep mine: 1 of 2 jobs",
        "sweep mine: 1 of 2 jobs (parity, elman, seed 1)",
        "sweep mine: 2 of 2 jobs",
    ]
    run_sweep("mine", jobs, tmp_path, InProcess(), progress=True)
    assert capsys.readouterr().err == "sweep mine: 2 of 2 jobs\n"
    run_sweep("mine", small_jobs(3), tmp_path, InProcess(), progress=False)
    assert capsys.readouterr() == ("", "")
    with pytest.raises(ConfigError, match="progress is True or False"):
        run_sweep("mine", jobs, tmp_path, InProcess(), progress=1)  # type: ignore[arg-type]


def test_jobs_and_results_are_shown_in_a_line_each(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    assert repr(job) == "Job(parity, elman, seed 0; beyond, audited)"
    (outcome,) = run_sweep(NAME, [job], tmp_path, InProcess())
    assert repr(outcome).startswith(f"Outcome({job.digest}, elman, seed 0: 4 steps; beyond ")
    assert repr(outcome).count(" %") == 2
    failure = Failure(digest=job.digest, plan=job.plan.to_dict(), error="no memory")
    assert repr(failure) == f"Failure({job.digest}, elman, seed 0: no memory)"


def test_a_failure_does_not_stop_the_others_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = small_jobs(3)

    def fail_at_one(plan: Plan, **settings: Any) -> Run:
        if plan.training.seed == 1:
            raise ValueError("seed one\nhas two lines")
        return train(plan, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(running, "train", fail_at_one)
        first = run_sweep(NAME, jobs, tmp_path, InProcess())

    assert [type(result) for result in first] == [Outcome, Failure, Outcome]
    (failure,) = failures(first)
    assert failure.error == "ValueError: seed one"
    assert failure.plan["training"]["seed"] == 1
    assert len(outcomes(first)) == 2
    stored = read_json(JobFolder.of(jobs[1], tmp_path).path / "failure.json")
    assert stored["error"] == failure.error
    second = run_sweep(NAME, jobs, tmp_path, InProcess())
    assert not failures(second)
    assert [second[0], second[2]] == outcomes(first)


def test_jobs_of_workers_that_died_are_given_to_others_a_few_times(tmp_path: Path) -> None:
    executor = Mortal({0, 1, 3})
    results = run_sweep(NAME, small_jobs(2), tmp_path, executor)
    assert len(outcomes(results)) == 2
    assert executor.calls == 5

    dead = run_sweep(NAME, small_jobs(3), tmp_path, Mortal(set(range(9))), retries=1)
    assert [type(result) for result in dead] == [Outcome, Outcome, Failure]
    assert failures(dead)[0].error == "its worker died, 2 times in all"
    stored = read_json(tmp_path / dead[2].digest / "failure.json")
    assert stored == failures(dead)[0].to_dict()


def test_stopping_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = small_jobs(3)
    executor = Mortal(set())

    def stop_after_one(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(NAME, jobs, tmp_path, executor, progress=stop_after_one)

    assert executor.stopped
    assert [JobFolder.of(job, tmp_path).outcome() is None for job in jobs] == [False, True, True]
    assert len(outcomes(run_sweep(NAME, jobs, tmp_path, InProcess()))) == 3


def test_what_cannot_be_a_sweep_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    folder = tmp_path / "sweep"
    with pytest.raises(ConfigError, match="the same run"):
        run_sweep(NAME, [job, job], folder, InProcess())
    with pytest.raises(ConfigError, match="retries=-1"):
        run_sweep(NAME, [job], folder, InProcess(), retries=-1)
    assert not folder.exists()
    run_sweep(NAME, [], folder, InProcess())
    with pytest.raises(RunError, match="holds the sweep of chi2023/table1"):
        run_sweep("chi2023/table2", [job], folder, InProcess())


def test_a_busy_job_is_waited_for_while_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "_PAUSE", 0.02)
    jobs = small_jobs(3)
    results: list[Outcome | Failure] = []
    sweep = threading.Thread(
        target=lambda: results.extend(run_sweep(NAME, jobs, tmp_path, InProcess()))
    )
    held = JobFolder.of(jobs[0], tmp_path)
    run_sweep(NAME, [], tmp_path, InProcess())
    with held.lock():
        sweep.start()
        while JobFolder.of(jobs[2], tmp_path).outcome() is None:
            time.sleep(0.01)
        assert held.outcome() is None
    sweep.join(timeout=30)
    assert len(outcomes(results)) == 3


TWIN = """
import json, sys, time
from pathlib import Path
from lengthwise.sweeps.executors import InProcess
from lengthwise.sweeps.job import Job
from lengthwise.sweeps.sweep import run_sweep
jobs = [Job.from_dict(values) for values in json.load(sys.stdin)]
Path(sys.argv[2]).touch()
while not all(Path(sys.argv[1] + twin).exists() for twin in "01"):
    time.sleep(0.001)
results = run_sweep("chi2023/table1", jobs, sys.argv[1], InProcess(), device="cpu")
print(json.dumps([result.to_dict() for result in results]))
"""


@pytest.mark.slow
def test_two_sweeps_at_once_share_a_folder(tmp_path: Path) -> None:
    """Their outcomes are the same down to the seconds, so every job was done once."""
    jobs = small_jobs(4, steps=20)
    twins = [
        subprocess.Popen(
            [sys.executable, "-c", TWIN, str(tmp_path / "sweep"), str(tmp_path / f"sweep{twin}")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for twin in range(2)
    ]
    for twin in twins:  # they wait for each other before they begin
        assert twin.stdin is not None
        json.dump([job.to_dict() for job in jobs], twin.stdin)
        twin.stdin.close()
        twin.stdin = None
    said = [twin.communicate()[0].splitlines()[-1] for twin in twins]

    assert [twin.returncode for twin in twins] == [0, 0]
    assert said[0] == said[1]
    found = [Outcome.from_dict(values) for values in json.loads(said[0])]
    assert all(outcome.attempts == 1 for outcome in found)
    apart = run_sweep(NAME, jobs, tmp_path / "apart", InProcess(), device="cpu")
    assert figures(found) == figures(apart)


def test_jobs_with_errors_of_configuration_are_failures_too(tmp_path: Path) -> None:
    """A network that is too large is refused by `train`, before the run's folder is made."""
    vast = Job(plan=small_plan(d_model=2**20), tests=TESTS)
    results = run_sweep(NAME, [vast, *small_jobs(1)], tmp_path, InProcess())
    assert failures(results)[0].error.startswith("ConfigError: the network would have")
    assert len(outcomes(results)) == 1
