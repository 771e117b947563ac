"""Jobs that are trained as one before the sweep: the same runs, and only those that can be."""

from pathlib import Path

import pytest

from lengthwise.experiments.sweeps.executors import InProcess
from lengthwise.experiments.sweeps.folder import JobFolder
from lengthwise.experiments.sweeps.job import Job
from lengthwise.experiments.sweeps.outcome import Outcome
from lengthwise.experiments.sweeps.run import run_job
from lengthwise.experiments.sweeps.stacked import stacks, train_stacked
from lengthwise.experiments.sweeps.sweep import run_sweep
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
        alone = run_job(job, tmp_path / "alone", device="cpu")
        assert outcome.steps == alone.steps
        for one, other in zip(outcome.tests, alone.tests, strict=True):
            assert one.mean_accuracy == pytest.approx(other.mean_accuracy, abs=0.05)
    assert train_stacked(jobs, tmp_path, device="cpu") == 0


def test_a_job_that_another_is_at_is_left_to_it(tmp_path: Path) -> None:
    jobs = small_jobs(2)
    with JobFolder.of(jobs[1], tmp_path).locked():
        train_stacked(jobs, tmp_path, device="cpu")
    assert not any(JobFolder.of(job, tmp_path).run.exists() for job in jobs)
