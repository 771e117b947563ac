"""Whose folder is it?"""

import json
from pathlib import Path

import pytest

from lengthwise.errors import RunError
from lengthwise.sweeps.folder import JobFolder, claim_sweep


def test_a_folder_belongs_to_one_experiment(tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    claim_sweep(folder, "chi2023/table1")
    (folder / "0123456789ab").mkdir()
    claim_sweep(folder, "chi2023/table1")

    with pytest.raises(RunError) as caught:
        claim_sweep(folder, "chi2023/table2")

    assert str(caught.value) == (
        f"{folder} holds the sweep of chi2023/table1, but chi2023/table2 is asked for. "
        f"Use another folder."
    )
    assert json.loads((folder / "sweep.json").read_text())["experiment"] == "chi2023/table1"


def test_folders_of_something_else_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(RunError, match="holds no sweep of lengthwise"):
            claim_sweep(place, "chi2023/table1")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_leftovers_of_a_writer_that_was_killed_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / ".sweep.json.17.tmp").write_text("{")
    claim_sweep(tmp_path, "chi2023/table1")
    assert (tmp_path / "sweep.json").exists()


def test_a_damaged_sweep_is_named(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text('{"format": 0}')
    with pytest.raises(RunError, match="is not of format 1"):
        claim_sweep(tmp_path, "chi2023/table1")


def test_a_sweep_whose_name_is_damaged_goes_on_when_the_file_is_gone(tmp_path: Path) -> None:
    claim_sweep(tmp_path, "chi2023/table1")
    (tmp_path / "0123456789ab").mkdir()
    stored = tmp_path / "sweep.json"
    stored.write_text("{")
    with pytest.raises(RunError, match="Delete that file; the runs beside it stay"):
        claim_sweep(tmp_path, "chi2023/table1")
    stored.unlink()
    claim_sweep(tmp_path, "chi2023/table1")
    assert json.loads(stored.read_text())["experiment"] == "chi2023/table1"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{}", "a stored outcome is damaged"),
        ("[]", "a stored outcome is damaged"),
        ('{"format": 2}', "an outcome is of format 2"),
        ("{", "is not JSON"),
    ],
)
def test_a_damaged_outcome_is_named_by_its_path(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "outcome.json").write_text(content)
    with pytest.raises(RunError, match=what) as caught:
        JobFolder(tmp_path).outcome()
    assert str(caught.value).startswith(f"{tmp_path / 'outcome.json'}")
    assert "\n" not in str(caught.value)
