"""Every experiment: its smallest preset runs, and all else is a function of the records."""

import subprocess
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.analysis.figures import to_svg
from lengthwise.training import devices as module
from lengthwise.training.devices import commit
from lengthwise_papers import trained_experiment
from lengthwise_papers.catalogue import EXPERIMENTS
from lengthwise_papers.experiment import (
    MeasurementOptions,
    Record,
    count_steps,
)
from lengthwise_papers.trained_experiment import TrainedExperiment
from smoke_runs import results as results  # noqa: PLC0414  a fixture
from smoke_runs import smoke

NAMES = sorted(EXPERIMENTS)
COMPUTED = [
    name
    for name in NAMES
    if name not in ("chi2023/figure3", "chiang2022/figure4", "steps2022/figure2")
    and not isinstance(EXPERIMENTS[name], TrainedExperiment)
    and (
        name in ("own/compiled-sizes", "own/constructions", "own/ranges", "own/rungs")
        or not name.startswith("own/")
    )
]
"""Those that train nothing, so that what they say holds in the smallest preset, too."""

VARIANTS = {
    "chi2023/table1-audited",
    "chi2023/table1-groups",
    "chi2023/table2",
    "chi2023/table3",
    "chi2023/figure4",
    "chi2023/scratchpad",
    "chiang2022/figure4",
    "chiang2022/table1",
    "chiang2022/parity",
    "steps2022/figure2",
    "steps2022/table2",
    "steps2022/figure3",
    "steps2022/figure4",
    "steps2022/other-tasks",
    "chi2023/figure3",
    "own/arithmetic",
    "own/body-sizes",
    "own/certificates",
    "own/soundness",
}
LONG = {
    "own/compiled-sizes",
    "own/constructions",
    "own/every-kind",
    "own/gradient-alone",
    "own/hidden-functions",
    "own/labels-alone",
    "own/ladder",
    "own/long-words",
    "own/main-job",
    "own/many-words",
    "own/prefixes",
    "own/ranges",
    "own/rungs",
    "own/smallest-proofs",
    "own/symbol-by-symbol",
    "own/word-statements",
    "own/words-needed",
}
"""They take more than a second."""
ONE_OF_A_KIND = [
    pytest.param(name, marks=[pytest.mark.slow] if name in VARIANTS | LONG else [])
    for name in NAMES
]


def _lasting(record: Record) -> Record:
    """The record without the time that it took."""
    passing = ("seconds", "processor_seconds", "megabytes")
    lasting = {key: v for key, v in record.items() if not key.startswith(passing)}
    if isinstance(record.get("tests"), dict):
        lasting["tests"] = {name: _lasting(test) for name, test in record["tests"].items()}
    return lasting


# ---- all of them -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_OF_A_KIND)
def test_a_seed_gives_the_records_that_came_back_from_json_and_progress_goes_to_the_end(
    name: str,
    results: dict[str, dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    records = smoke(results, name)
    experiment = EXPERIMENTS[name]
    seen: list[tuple[int, int]] = []
    options = MeasurementOptions(progress=lambda *step: seen.append(step), runs=tmp_path)
    again = experiment.collect(name, "smoke", options)
    assert [_lasting(record) for record in again] == [_lasting(record) for record in records]
    for steps, part in groupby(seen, key=lambda step: step[1]):  # what is prepared, then the runs
        done = [count for count, _ in part]
        assert done == sorted(done)
        assert done[-1] == steps


@pytest.mark.parametrize("name", ONE_OF_A_KIND)
def test_what_is_stored_says_what_made_it(name: str, results: dict[str, dict[str, Any]]) -> None:
    smoke(results, name)
    found = {key: value for key, value in results[name].items() if key != "records"}
    assert (found["experiment"], found["preset"], found["seed"]) == (name, "smoke", 0)
    assert set(found["environment"]) == {"python", "torch", "processor", "device"}
    assert found["commit"] == commit()
    assert len(found["date"].split("-")) == 3


@pytest.mark.slow_for("own/rungs")
@pytest.mark.parametrize("name", COMPUTED)
def test_every_statement_of_the_paper_holds(name: str, results: dict[str, dict[str, Any]]) -> None:
    statements = EXPERIMENTS[name].check(smoke(results, name))
    assert statements
    assert [statement.says for statement in statements if not statement.holds] == []
    assert all(statement.where and statement.measured for statement in statements)


@pytest.mark.parametrize("name", ONE_OF_A_KIND)
def test_tables_have_a_cell_for_each_column_and_leave_the_records_alone(
    name: str, results: dict[str, dict[str, Any]]
) -> None:
    records, untouched = smoke(results, name), smoke(results, name)
    tables = EXPERIMENTS[name].tables(records)
    assert next(iter(tables)) == ""
    for columns, rows in tables.values():
        assert {len(row) for row in rows} <= {len(columns)}
        assert not any("|" in cell for row in [columns, *rows] for cell in row)  # for Markdown
    first = {figure: to_svg(drawn) for figure, drawn in EXPERIMENTS[name].figures(records).items()}
    assert first == {
        figure: to_svg(drawn) for figure, drawn in EXPERIMENTS[name].figures(records).items()
    }
    EXPERIMENTS[name].check(records)
    assert records == untouched


def test_the_commit_is_that_of_the_repository_which_the_code_runs_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        return done.stdout.strip()

    def runs_from(*folders: str) -> None:
        monkeypatch.setattr(module, "__file__", str(tmp_path.joinpath(*folders, "a.py")))

    git("init", "--quiet")
    runs_from("src", "lengthwise", "experiments")
    assert commit() is None  # there is none yet
    code, records = tmp_path / "src" / "code.py", tmp_path / "results" / "records.json"
    theirs = tmp_path / "papers" / "src" / "code.py"
    for file in (code, records, theirs):
        file.parent.mkdir(parents=True)
        file.touch()
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    first = git("rev-parse", "--short", "HEAD")
    assert commit() == first
    records.write_text("more")
    assert commit() == first
    code.write_text("changed")
    assert commit() == f"{first}-dirty"
    git("checkout", "--quiet", "src")
    assert commit() == first
    theirs.write_text("changed")
    assert commit() == f"{first}-dirty"
    git("checkout", "--quiet", "papers")
    code.with_name("new.py").touch()
    assert commit() == f"{first}-dirty"
    (tmp_path / ".venv").mkdir()
    runs_from(".venv", "lib", "lengthwise", "experiments")  # installed, within somebody's project
    assert commit() is None


@pytest.mark.parametrize(("device", "known"), [("cpu", 9.0), ("cuda", None), ("cuda:1", None)])
def test_what_another_kind_of_device_needed_is_no_estimate(
    device: str, known: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trained_experiment, "choose_device", lambda name: torch.device("cpu"))
    experiment = EXPERIMENTS["steps2022/table1"]
    assert isinstance(experiment, TrainedExperiment)
    run = experiment.runs(experiment.presets["smoke"], ())[0]
    record = {"seconds": 9.0, "environment": {"device": device}}
    stored = {run.job.digest: record}
    options = MeasurementOptions(progress=lambda *step: None, runs=tmp_path, stored=stored)
    first, *others = experiment.units("steps2022/table1", "smoke", options)
    assert (first.is_done, first.seconds) == (True, known)
    assert {(one.is_done, one.seconds) for one in others} == {(False, None)}


def test_counted_steps_add_up() -> None:
    seen: list[tuple[int, int]] = []
    add = count_steps(lambda *step: seen.append(step), 5)
    add(2)
    add(3)
    assert seen == [(2, 5), (5, 5)]


# ---- verdicts: each statement fails if what it says is not so ----------------------------------
