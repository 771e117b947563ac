"""Jobs that are trained as one before the sweep: the same runs, and only those that can be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import ClaimError
from lengthwise.experiments.sweeps import stacked
from lengthwise.experiments.sweeps.executors import InProcess
from lengthwise.experiments.sweeps.folder import JobFolder
from lengthwise.experiments.sweeps.job import Job
from lengthwise.experiments.sweeps.outcome import Outcome
from lengthwise.experiments.sweeps.run import run_job
from lengthwise.experiments.sweeps.stacked import stacks, train_stacked
from lengthwise.experiments.sweeps.sweep import run_sweep
from lengthwise.training import stack
from sweep_jobs import TESTS, small_jobs, small_plan


def test_runs_that_differ_in_seed_or_rate_are_put_together_and_others_are_not() -> None:
    elman = small_jobs(3)
    faster = [Job(plan=small_plan(learning_rate=0.1, seed=9), tests=TESTS)]
    longer = small_jobs(2, steps=6)
    alone = [Job(plan=small_plan("gru"), tests=TESTS)]
    binary = small_jobs(2, model="regular-gpt-binary")
    decoder = small_jobs(2, model="decoder")
    groups = stacks([*elman, *longer, *alone, *binary, *decoder, *faster])
    assert groups == [[*elman, *faster], longer]


@pytest.mark.parametrize("model", ["elman", "regular-gpt"])
def test_a_sweep_only_tests_what_was_trained_as_one(model: str, tmp_path: Path) -> None:
    jobs = small_jobs(3, model=model)
    told: list[tuple[int, int]] = []
    found = train_stacked(jobs, tmp_path, device="cpu", told=lambda *step: told.append(step))
    assert (found, told) == (3, [(1, 1)])
    trained = [JobFolder.of(job, tmp_path).run / "model.safetensors" for job in jobs]
    before = [path.read_bytes() for path in trained]
    (tmp_path / "sweep.json").write_text('{"format": 1, "experiment": "x"}')
    outcomes = run_sweep("x", jobs, tmp_path, InProcess(), device="cpu")
    assert [path.read_bytes() for path in trained] == before
    for job, outcome in zip(jobs, outcomes, strict=True):
        assert isinstance(outcome, Outcome)
        assert outcome.seconds > 0
        assert outcome.attempts == 1
        assert outcome.environment["stack"] == "3"
        alone = run_job(job, tmp_path / "alone", device="cpu")
        assert outcome.steps == alone.steps
        for one, other in zip(outcome.tests, alone.tests, strict=True):
            expected = pytest.approx(other.summary["mean_accuracy"], abs=0.05)
            assert one.summary["mean_accuracy"] == expected
    assert train_stacked(jobs, tmp_path, device="cpu") == 0


def test_a_job_that_another_is_at_is_left_to_it(tmp_path: Path) -> None:
    jobs = small_jobs(2)
    with JobFolder.of(jobs[1], tmp_path).locked():
        assert train_stacked(jobs, tmp_path, device="cpu") == 0
    assert not any(JobFolder.of(job, tmp_path).run.exists() for job in jobs)


def fails_after(steps: int, error: BaseException) -> Callable[..., Any]:
    """A step of a stack; the last one raises the error."""
    step, taken = stack._Stack.step, iter(range(steps))

    def failing(self: Any) -> Any:
        if next(taken, None) is None:
            raise error
        return step(self)

    return failing


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), ClaimError("not finite")])
def test_a_stack_that_fails_is_left_to_the_sweep(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runs go on alone from their checkpoints, and those of another stack are trained."""
    failing, other = small_jobs(2), small_jobs(3, steps=6)
    monkeypatch.setattr(stack._Stack, "step", fails_after(3, error))
    assert train_stacked(failing, tmp_path, device="cpu") == 0
    monkeypatch.undo()
    calls = iter([_raises(error), stack.train_stack])

    def one_after_the_other(*arguments: Any, **settings: Any) -> Any:
        return next(calls)(*arguments, **settings)

    monkeypatch.setattr(stacked, "train_stack", one_after_the_other)
    assert train_stacked([*failing, *other], tmp_path, device="cpu") == 3

    (tmp_path / "sweep.json").write_text('{"format": 1, "experiment": "x"}')
    for outcome in run_sweep("x", [*failing, *other], tmp_path, InProcess(), device="cpu"):
        assert isinstance(outcome, Outcome), outcome
        assert outcome.attempts == (3 if outcome.steps == 4 else 1)


def _raises(error: Exception) -> Callable[..., Any]:
    def failing(*_: Any, **__: Any) -> Any:
        raise error

    return failing


def test_the_time_of_a_stack_that_was_interrupted_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = small_jobs(2)
    places = [JobFolder.of(job, tmp_path) for job in jobs]
    with monkeypatch.context() as patched:
        patched.setattr(stack._Stack, "step", fails_after(3, KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            train_stacked(jobs, tmp_path, device="cpu")
    assert all(place.clock()[0] > 0 and place.clock()[1] == 1 for place in places)
    for place in places:
        place.save_clock(100.0, 1)

    assert train_stacked(jobs, tmp_path, device="cpu") == 2

    assert all(100 < place.clock()[0] < 160 and place.clock()[1] == 2 for place in places)


def test_runs_that_ended_meanwhile_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another sweep may end a run between the choice of stacks and their training."""
    jobs = small_jobs(2)
    run_job(jobs[0], tmp_path, device="cpu")
    before = JobFolder.of(jobs[0], tmp_path).clock()
    monkeypatch.setattr(stacked, "stacks", lambda _: [jobs])

    assert train_stacked(jobs, tmp_path, device="cpu") == 1

    assert JobFolder.of(jobs[0], tmp_path).clock() == before
