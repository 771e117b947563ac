"""One job: its figures, its time, and what happens when it is given again or fails."""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from lengthwise.errors import LengthwiseError, RunError
from lengthwise.files import read_json, write_json
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.recognition import measure
from lengthwise.problems.recognition.measure import RecognitionEvaluation
from lengthwise.problems.runs import load_run, train
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.sweeps import run as running
from lengthwise.sweeps.folder import BusyError, JobFolder
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.outcome import Outcome
from lengthwise.sweeps.run import attempt, run_job
from lengthwise.training.loop import find_kept_record
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig
from sweep_jobs import small_jobs, small_plan


def test_an_outcome_holds_what_an_ordinary_run_and_its_tests_give(tmp_path: Path) -> None:
    (job,) = small_jobs(1)

    outcome = run_job(job, tmp_path, device="cpu")

    run = train(job.plan, device="cpu")
    assert [result.name for result in outcome.tests] == ["beyond", "audited"]
    for test, result in zip(job.tests, outcome.tests, strict=True):
        asked = {"lengths": test.lengths, "words": 16, "seed": test.seed}
        found = evaluate_and_store(run, {**asked, "protocol": test.protocol})
        assert isinstance(found, RecognitionEvaluation)
        summary = found.values
        assert result.accuracy_by_length() == found.scores.accuracy_by_length()
        assert result.summary["mean_accuracy"] == summary["mean_accuracy"]
        assert result.shortcuts == summary["shortcuts"]
        assert [row.words for row in result.by_length] == [16] * len(test.lengths)
    assert outcome.parameters == sum(p.numel() for p in run.model.parameters())
    assert (outcome.steps, outcome.attempts, outcome.digest) == (4, 1, job.digest)
    assert outcome.seconds > 0
    assert {"lengthwise", "python", "torch", "processor"} <= set(outcome.environment)
    place = JobFolder.of(job, tmp_path)
    assert read_json(place.path / "job.json") == job.to_dict()
    stored = read_json(place.path / "outcome.json")
    assert Outcome.from_dict(stored) == outcome
    best = find_kept_record(run.metrics)
    assert outcome.validation_accuracy == best["validation_accuracy"]
    assert outcome.longest is None
    old = {name: one for name, one in stored.items() if name != "validation_accuracy"}
    assert Outcome.from_dict(old).validation_accuracy is None
    assert RunFolder(place.run).evaluation() == outcome.test("beyond").summary
    with pytest.raises(LengthwiseError, match=r"has no test 'other'\. It has beyond, audited"):
        outcome.test("other")


@pytest.mark.parametrize("model", ["elman", "scratchpad"])  # this one has a tuple
def test_a_job_that_is_done_is_loaded(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = small_jobs(1, model=model)
    outcome = run_job(job, tmp_path)
    monkeypatch.setattr(running, "train", None)

    again = run_job(job, tmp_path)

    assert json.dumps(again.to_dict()) == json.dumps(outcome.to_dict())


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
    place.save_clock(place.clock()._replace(seconds=100.0))

    outcome = run_job(job, tmp_path)

    assert 100 < outcome.seconds < 160
    assert (outcome.seconds, outcome.attempts) == place.clock()[:2]
    assert outcome.attempts == 2
    whole = train(job.plan, device="cpu").model.state_dict()
    kept = load_run(place.run, device="cpu").model.state_dict()
    assert all(whole[name].equal(kept[name]) for name in whole)


def test_an_outcome_has_the_environment_of_training_and_not_of_the_test(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    place = JobFolder.of(job, tmp_path)
    train(job.plan, out=place.run, device="cpu")
    config = read_json(place.run / "config.json")
    config["environment"].update(torch="2.0", processor="of a cluster", device="cuda")
    write_json(place.run / "config.json", config)

    outcome = run_job(job, tmp_path, device="cpu")

    assert outcome.environment == config["environment"] | {"lengthwise": version("lengthwise")}


def test_an_outcome_from_before_a_default_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the same digest, since settings that have their default are not in it."""
    old, new = small_jobs(1, patience=1)[0], small_jobs(1, patience=2)[0]
    default = TrainingConfig.__dataclass_fields__["patience"]
    monkeypatch.setattr(default, "default", 1)
    outcome = run_job(old, tmp_path, device="cpu")
    monkeypatch.setattr(default, "default", 2)
    assert new.digest == outcome.digest

    for load in (lambda: run_job(new, tmp_path), JobFolder.of(new, tmp_path).outcome):
        with pytest.raises(RunError) as caught:
            load()
        assert str(caught.value) == (
            f"{tmp_path / new.digest} holds the outcome of a run with training.patience=1, but "
            f"now training.patience=2 is asked for. Delete that folder, or use another one for all "
            f"runs (--runs)."
        )


def test_an_outcome_without_a_setting_that_came_later_is_loaded(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    outcome = run_job(job, tmp_path, device="cpu")
    file = JobFolder.of(job, tmp_path).path / "outcome.json"
    stored = read_json(file)
    del stored["plan"]["objective"]["closure"]
    stored["plan"]["training"]["given up since"] = 1
    write_json(file, stored)

    assert run_job(job, tmp_path) == replace(outcome, plan=stored["plan"])


def test_a_failed_job_is_recorded_and_tried_again(tmp_path: Path) -> None:
    """Training succeeds, and then there is no room for the words of the test."""
    job = Job(plan=small_plan(), tests=(Test(name="much", lengths=(2**25,)),))

    answer = attempt(job.to_dict(), str(tmp_path), "cpu")

    place = JobFolder.of(job, tmp_path)
    stored = read_json(place.path / "failure.json")
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
        patched.setattr(measure, "test_run", None)
        with pytest.raises(TypeError):
            run_job(job, tmp_path)
    assert (place.path / "failure.json").exists()

    run_job(job, tmp_path)

    assert not (place.path / "failure.json").exists()


def test_a_job_that_another_process_is_at_is_busy(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    with JobFolder.of(job, tmp_path).lock():
        with pytest.raises(BusyError, match=r"is being worked on \(host .* process \d+\)"):
            run_job(job, tmp_path)
        assert set(attempt(job.to_dict(), str(tmp_path), "cpu")) == {"busy"}
    assert set(attempt(job.to_dict(), str(tmp_path), "cpu")) == {"outcome"}


def test_an_outcome_is_that_of_the_same_settings_only(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    run_job(job, tmp_path, device="cpu")
    file = JobFolder.of(job, tmp_path).path / "outcome.json"
    stored = read_json(file)
    stored["plan"]["training"]["patience"] = 99
    write_json(file, stored)
    with pytest.raises(RunError, match=r"a run with training\.patience=99, but now training\.pat"):
        run_job(job, tmp_path)


def measure_steps(run: Run, test: Test, *, factor: int) -> TestResult:
    return TestResult.plain(test, "steps", {"product": factor * run.metrics[-1]["step"]})


def test_a_test_can_measure_something_else(tmp_path: Path) -> None:
    function = f"{__name__}:measure_steps"
    test = Test(name="own", lengths=(9,), measure={"function": function, "factor": 3})
    (job,) = jobs_over_seeds(small_plan(), [0], [test])
    assert Job.from_dict(job.to_dict()) == job
    plain = Test(name="own", lengths=(9,))
    assert "measure" not in plain.to_dict()
    outcome = run_job(job, tmp_path, device="cpu")
    assert outcome.test("own").summary["product"] == 3 * outcome.steps
