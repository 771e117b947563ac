"""Run folders: whole at every moment, and protected from mix-ups."""

import errno
import fcntl
import json
import os
from pathlib import Path
from typing import BinaryIO

import pytest
import torch

from lengthwise import files
from lengthwise.errors import RunError
from lengthwise.training.runs import RunFolder

CONFIG = {"language": "parity", "loop": {"seed": 0}}
WEIGHTS = {"a": torch.arange(6.0).view(2, 3)}


VALIDATION = {"loss": 0.5, "validation_loss": 0.5, "validation_accuracy": 0, "perfect": False}


def make(path: Path) -> RunFolder:
    folder = RunFolder(path / "run")
    folder.claim(CONFIG)
    return folder


def test_a_folder_gives_back_what_was_stored(tmp_path: Path) -> None:
    folder = make(tmp_path)
    folder.save_checkpoint(WEIGHTS, [{"step": 1}])
    checkpoint = folder.checkpoint()
    assert checkpoint is not None
    assert torch.equal(checkpoint["a"], WEIGHTS["a"])
    records = [{**VALIDATION, "step": 1}, {**VALIDATION, "step": 2}]
    folder.finish(WEIGHTS, records)
    folder.save_evaluation([{"length": 3}], {"mean": 1.0})
    assert folder.config() == CONFIG
    assert folder.metrics() == records
    assert torch.equal(folder.weights()["a"], WEIGHTS["a"])
    assert folder.scores() == [{"length": 3}]
    assert folder.evaluation() == {"mean": 1.0}
    assert sorted(p.name for p in folder.path.iterdir()) == [
        "config.json",
        "evaluation.json",
        "metrics.jsonl",
        "model.safetensors",
        "scores.jsonl",
    ]


def test_claiming_again_is_fine_and_another_configuration_is_not(tmp_path: Path) -> None:
    folder = make(tmp_path)
    folder.claim({**CONFIG, "environment": {"torch": "other"}})
    before = (folder.path / "config.json").read_bytes()
    with pytest.raises(RunError, match=r"loop.seed=0, but now loop.seed=1 is asked for"):
        folder.claim({"language": "parity", "loop": {"seed": 1}})
    assert (folder.path / "config.json").read_bytes() == before


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunError, match="holds no run"):
        RunFolder(tmp_path).claim(CONFIG)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_is_missing_or_damaged_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a folder"):
        RunFolder(tmp_path / "nowhere").config()
    with pytest.raises(RunError, match=r"holds no config.json"):
        RunFolder(tmp_path).config()
    folder = make(tmp_path)
    with pytest.raises(RunError, match="not trained to the end"):
        folder.weights()
    folder.finish(WEIGHTS, [])
    weights = folder.path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:20])
    with pytest.raises(RunError, match=r"model.safetensors cannot be read"):
        folder.weights()
    (folder.path / "config.json").write_text("{")
    with pytest.raises(RunError, match="is not JSON"):
        folder.config()
    for version, remedy in ((1, "Train again in a new folder"), (99, "Use a newer version")):
        (folder.path / "config.json").write_text(json.dumps({"format": version}))
        told = rf"of format {version}, but this version .* reads format 2 alone\. {remedy}"
        with pytest.raises(RunError, match=told):
            folder.config()
    (folder.path / "config.json").write_text("{}")
    with pytest.raises(RunError, match=r"names no format of a run\. Train again"):
        folder.config()


def test_what_a_killed_writer_left_is_no_obstacle(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    (folder.path / ".config.json.999.tmp").write_text("{")
    folder.claim(CONFIG)
    with folder.lock():  # so that nothing of a writer that lives is removed
        assert [path.name for path in folder.path.iterdir()] == ["config.json"]


def test_checkpoint_that_outlived_its_training_is_removed(tmp_path: Path) -> None:
    folder = make(tmp_path)
    folder.finish(WEIGHTS, [{"step": 1}])
    folder.save_checkpoint(WEIGHTS, [{"step": 1}])
    folder.claim(CONFIG)
    assert folder.checkpoint() is None


def test_one_process_at_a_time_trains_in_a_folder(tmp_path: Path) -> None:
    folder = make(tmp_path)
    with (
        folder.lock(),
        pytest.raises(RunError, match="another process is training in"),
        folder.lock(),
    ):
        pytest.fail("the second lock was given")
    with folder.lock():
        assert folder.config() == CONFIG


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    files.write_text(path, "old")

    def fail(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        files.write_text(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_folders_are_locked_where_only_writable_files_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS, which refuses an exclusive lock of a file that was opened for reading."""

    def flock(file: BinaryIO, operation: int) -> None:
        if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")

    folder = RunFolder(tmp_path / "run")
    folder.claim({"seed": 0})
    monkeypatch.setattr(fcntl, "flock", flock)
    with folder.lock():
        pass
