"""Does TensorBoard get to see the figures of a run, each once?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lengthwise.cli.main import main
from lengthwise.data import extra
from lengthwise.errors import ConfigError
from lengthwise.training.tensorboard import track_progress


class Shown:
    """What a person sees."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        self.steps.append(step)


def scalars(folder: Path) -> dict[str, dict[int, float]]:
    """What was written, by name and step."""
    from tensorboard.backend.event_processing.event_accumulator import (  # noqa: PLC0415
        EventAccumulator,
    )

    found = EventAccumulator(str(folder))
    found.Reload()
    names = found.Tags()["scalars"]
    for name in names:
        steps = [event.step for event in found.Scalars(name)]
        assert len(steps) == len(set(steps))
    return {name: {event.step: event.value for event in found.Scalars(name)} for name in names}


def test_figures_are_written_and_handed_on_and_a_resumed_run_takes_the_place_of_its_end(
    tmp_path: Path,
) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: lengthwise[track]")
    shown = Shown()
    record = {"loss": 2.0, "accuracy": 0.5, "words_per_second": 10.0, "note": "x", "right_to": None}
    validation = {"validation_loss": 3.0, "perfect": False}
    with track_progress(shown, tmp_path / "board") as progress:
        for step in range(1, 6):
            progress.update(step, record)
    with track_progress(shown, tmp_path / "board") as progress:
        progress.update(4, {**record, "loss": 1.0})
        progress.update(5, {**record, **validation, "loss": 1.0})
    assert shown.steps == [1, 2, 3, 4, 5, 4, 5]
    found = scalars(tmp_path / "board")
    assert found["train/loss"] == {1: 2.0, 2: 2.0, 3: 2.0, 4: 1.0, 5: 1.0}
    assert found["validation/loss"] == {5: 3.0}
    assert found["validation/perfect"] == {5: 0.0}
    assert set(found) == {
        *("train/loss", "train/accuracy", "train/words_per_second"),
        *("validation/loss", "validation/perfect"),
    }


def test_the_command_writes_them(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed: lengthwise[track]")
    short = ["--preset", "smoke", "--device", "cpu", "--set", "steps=4", "--set", "patience=0"]
    command = ["train", "parity", "--model", "lstm", "--out", str(tmp_path / "run"), *short]
    assert main([*command, "--tensorboard", str(tmp_path / "board")]) == 0
    found = scalars(tmp_path / "board")
    assert sorted(found["train/loss"]) == [1, 2, 3, 4]
    assert sorted(found["validation/accuracy"]) == [4]


def test_without_the_library_nothing_is_begun(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    with (
        pytest.raises(ConfigError, match=r"library tensorboard.*'lengthwise\[track\]'"),
        track_progress(Shown(), tmp_path / "board"),
    ):
        pass
    command = ["train", "parity", "--preset", "smoke", "--out", str(tmp_path / "run")]
    assert main([*command, "--tensorboard", str(tmp_path / "board")]) == 2
    assert not list(tmp_path.iterdir())
