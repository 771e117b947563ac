"""Runs that another sweep has done are copied: tested anew, but not trained."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lengthwise.problems import runs
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.folder import JobFolder, Spent
from lengthwise.sweeps.run import run_job
from lengthwise.training.runs import RunFolder
from lengthwise_papers.shared_runs import take_over
from sweep_jobs import small_jobs

OTHER_TESTS = (Test(name="other", lengths=(10, 30), words_per_length=8),)


def test_a_run_of_the_same_plan_is_copied_and_only_tested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = small_jobs(2)
    first = run_job(jobs[0], tmp_path / "one", device="cpu")
    JobFolder.of(jobs[0], tmp_path / "one").save_clock(Spent(12.5, 3, 9.0))
    again = [replace(job, tests=OTHER_TESTS) for job in jobs]
    assert again[0].digest != jobs[0].digest
    assert take_over(again, tmp_path / "two") == 1
    assert take_over(again, tmp_path / "two") == 0
    monkeypatch.setattr(runs, "fit", _no_training)
    outcome = run_job(again[0], tmp_path / "two", device="cpu")
    assert [test.name for test in outcome.tests] == ["other"]
    assert (outcome.seconds, outcome.attempts, outcome.steps) == (12.5, 3, first.steps)
    folders = [JobFolder.of(j, tmp_path / n) for j, n in ((jobs[0], "one"), (again[0], "two"))]
    weights = [RunFolder(folder.run).weights() for folder in folders]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    assert not JobFolder.of(again[1], tmp_path / "two").path.exists()


def test_what_was_begun_or_belongs_to_the_sweep_itself_is_left_alone(tmp_path: Path) -> None:
    jobs = small_jobs(1)
    run_job(jobs[0], tmp_path / "one", device="cpu")
    again = replace(jobs[0], tests=OTHER_TESTS)
    place = JobFolder.of(again, tmp_path / "two")
    place.run.mkdir(parents=True)
    assert take_over([again], tmp_path / "two") == 0
    assert take_over([again], tmp_path / "one") == 0
    assert take_over(small_jobs(1, d_model=8), tmp_path / "two") == 0
    with JobFolder.of(again, tmp_path / "three").lock():
        assert take_over([again], tmp_path / "three") == 0


def test_unfinished_runs_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = small_jobs(1)
    monkeypatch.setattr(runs, "fit", _no_training)
    with pytest.raises(AssertionError):
        run_job(jobs[0], tmp_path / "one", device="cpu")
    assert take_over([replace(jobs[0], tests=OTHER_TESTS)], tmp_path / "two") == 0


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("job.json", "{}"),
        ("job.json", "[]"),
        ("job.json", "{"),
        ("job.json", None),
        ("clock.json", "{}"),
    ],
)
def test_siblings_that_cannot_be_read_are_skipped(
    tmp_path: Path, file: str, content: str | None
) -> None:
    """The one that can be read is taken, though others of the same run come before and after."""
    (job,) = small_jobs(1)
    for name in ("a", "b", "c"):
        run_job(job, tmp_path / name, device="cpu")
    JobFolder.of(job, tmp_path / "b").save_clock(Spent(12.5, 3, 9.0))
    for name in ("a", "c"):
        damaged = JobFolder.of(job, tmp_path / name).path / file
        damaged.unlink()
        if content is None:
            damaged.mkdir()
        else:
            damaged.write_text(content)
    again = replace(job, tests=OTHER_TESTS)

    assert take_over([again], tmp_path / "two") == 1

    assert JobFolder.of(again, tmp_path / "two").clock() == (12.5, 3, 9.0)


def test_a_run_that_cannot_be_copied_is_left_to_be_trained(tmp_path: Path) -> None:
    (job,) = small_jobs(1)
    run_job(job, tmp_path / "one", device="cpu")
    (JobFolder.of(job, tmp_path / "one").run / "gone").symlink_to("nowhere")
    again = replace(job, tests=OTHER_TESTS)

    assert take_over([again], tmp_path / "two") == 0

    left = {path.name for path in JobFolder.of(again, tmp_path / "two").path.iterdir()}
    assert left == {"job.json", "lock"}


def _no_training(*_: Any, **__: Any) -> None:
    raise AssertionError("this would train")
