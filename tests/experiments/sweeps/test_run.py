"""One job: its figures, its time, and what happens when it is given again or fails."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError
from lengthwise.experiments.measure import measure
from lengthwise.experiments.sweeps import run as running
from lengthwise.experiments.sweeps.folder import BusyError, JobFolder
from lengthwise.experiments.sweeps.job import Job, Test
from lengthwise.experiments.sweeps.outcome import Outcome
from lengthwise.experiments.sweeps.run import attempt, run_job
from lengthwise.files import read_json
from lengthwise.training.runs import RunFolder
from lengthwise.training.train import load_run, train
from sweep_jobs import small_jobs, small_plan


def test_an_outcome_holds_what_an_ordinary_run_and_its_tests_give(tmp_path: Path) -> None:
    (job,) = small_jobs(1)

    outcome = run_job(job, tmp_path, device="cpu")

    run = train(job.plan, device="cpu")
    assert [result.name for result in outcome.tests] == ["beyond", "audited"]
    for test, result in zip(job.tests, outcome.tests, strict=True):
        scores, summary = measure(
            run, test.lengths, protocol=test.protocol, words_per_length=16, seed=test.seed
        )
        assert result.accuracy_by_length() == scores.accuracy_by_length()
        assert result.mean_accuracy == summary["mean_accuracy"]
        assert result.shortcuts == summary["shortcuts"]
        assert [row.words for row in result.by_length] == [16] * len(test.lengths)
    assert outcome.parameters == sum(p.numel() for p in run.model.parameters())
    assert (outcome.steps, outcome.attempts, outcome.digest) == (4, 1, job.digest)
    assert outcome.seconds > 0
    assert {"lengthwise", "python", "torch", "processor"} <= set(outcome.environment)
    place = JobFolder.of(job, tmp_path)
    assert read_json(place.path / "job.json") == job.to_dict()
    assert Outcome.from_dict(read_json(place.path / "outcome.json")) == outcome
    assert RunFolder(place.run).evaluation() == outcome.test("beyond").summary
    with pytest.raises(LengthwiseError, match=r"has no test 'other'\. It has beyond, audited"):
        outcome.test("other")


def test_a_job_that_is_done_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = small_jobs(1)
    outcome = run_job(job, tmp_path)
    monkeypatch.setattr(running, "train", None)

    assert run_job(job, tmp_path) == outcome


def test_a_job_goes_on_where_it_stood_and_its_time_is_added_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = small_jobs(1)
    place = JobFolder.of(job, tmp_path)
    save = RunFolder.save_checkpoint

    def die_after(self: RunFolder, *arguments: Any) -> None:
        save(self, *arguments)
        if arguments[1][-1]["step"] == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, "save_checkpoint", die_after)
        with pytest.raises(KeyboardInterrupt):
            run_job(job, tmp_path)
    place.save_clock(100.0, place.clock()[1])

    outcome = run_job(job, tmp_path)

    assert 100 < outcome.seconds < 160
    assert (outcome.seconds, outcome.attempts) == place.clock()
    assert outcome.attempts == 2
    whole = train(job.plan, device="cpu").model.state_dict()
    kept = load_run(place.run, device="cpu").model.state_dict()
    assert all(whole[name].equal(kept[name]) for name in whole)


def test_time_is_counted_at_checkpoints(tmp_path: Path) -> None:
    place = JobFolder(tmp_path)
    place.save_clock(7.0, 2)
    times = iter([10.0, 11.5, 11.5, 14.0, 14.0])
    watch = running._Stopwatch(place, now=lambda: next(times))

    watch.update(1, {"loss": 0.7})
    assert place.clock() == (7.0, 3)
    watch.update(2, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (8.5, 3)
    watch.update(4, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (11.0, 3)


def test_a_failed_job_is_recorded_and_tried_again(tmp_path: Path) -> None:
    """Training succeeds, and then there is no room for the words of the test."""
    job = Job(plan=small_plan(), tests=(Test(name="much", lengths=(2**25,)),))

    answer = attempt(job.to_dict(), str(tmp_path), "cpu")

    place = JobFolder.of(job, tmp_path)
    stored = place.failure()
    assert stored is not None
    assert stored.keys() == answer["failure"].keys()
    for name in ("digest", "plan", "error"):
        assert stored[name] == answer["failure"][name]
    assert stored["error"].startswith("TaskError: 512 words of 33554432 symbols")
    assert "Traceback" in stored["details"]
    assert RunFolder(place.run).is_finished
    with pytest.raises(LengthwiseError, match="symbols at once"):
        run_job(job, tmp_path, device="cpu")
    assert place.clock()[1] == 1  # to test again is not to train again


def test_success_removes_the_record_of_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = small_jobs(1)
    place = JobFolder.of(job, tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(running, "measure", None)
        with pytest.raises(TypeError):
            run_job(job, tmp_path)
    assert place.failure() is not None

    run_job(job, tmp_path)

    assert place.failure() is None


def test_a_job_that_another_process_is_at_is_busy(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    with JobFolder.of(job, tmp_path).locked():
        with pytest.raises(BusyError, match=r"is being worked on \(host .* process \d+\)"):
            run_job(job, tmp_path)
        assert set(attempt(job.to_dict(), str(tmp_path), "cpu")) == {"busy"}
    assert set(attempt(job.to_dict(), str(tmp_path), "cpu")) == {"outcome"}
