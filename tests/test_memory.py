"""Where out of memory, a user reads one line, and nothing half-written is left."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli import languages
from lengthwise.errors import ConfigError
from lengthwise.memory import enough_memory, lacks_memory
from lengthwise.models.custom_network import Adapted
from lengthwise.training.runs import RunFolder

TOO_MANY = 2**55
"""Bytes that no machine has; too few for the sum of sizes to overflow."""


def torch_array() -> None:
    torch.empty(TOO_MANY, dtype=torch.uint8)


def numpy_array() -> None:
    np.empty(TOO_MANY, dtype=np.uint8)


def python_bytes() -> None:
    bytearray(TOO_MANY)


def overflowing_shape() -> None:
    torch.empty(2**40, 2**40)


@pytest.mark.parametrize(
    ("ask", "size"),
    [
        (torch_array, " another 33,554,432.0 GiB was requested."),
        (numpy_array, " another 32.0 PiB was requested."),
        (python_bytes, "out of memory."),
        (overflowing_shape, "out of memory."),
    ],
)
def test_every_kind_of_error_is_known(ask: Callable[[], None], size: str) -> None:
    with pytest.raises(ConfigError, match="out of memory") as raised, enough_memory("R."):
        ask()
    assert size in str(raised.value)
    assert str(raised.value).endswith(" R.")


@pytest.mark.parametrize(
    ("told", "size"),
    [
        ("out of memory: you tried to allocate 33554432 bytes", "another 32 MiB was requested. R."),
        (
            "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has",
            "another 2.50 GiB was requested. R.",
        ),
        (
            "out of memory: Unable to allocate 200. MiB for an array",
            "another 200 MiB was requested. R.",
        ),
        ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling", "out of memory. R."),
    ],
)
def test_a_size_is_told_in_a_fitting_unit(told: str, size: str) -> None:
    with pytest.raises(ConfigError) as raised, enough_memory("R."):
        raise RuntimeError(told)
    assert str(raised.value).endswith(size)


def test_other_errors_stay_as_they_are() -> None:
    assert not lacks_memory(ValueError("out of memory"))
    with pytest.raises(RuntimeError, match="shapes"), enough_memory("R."):
        raise RuntimeError("shapes differ")


class Hungry(nn.Module):
    """Asks for too much memory in the training step of a number."""

    def __init__(self, step: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.out = nn.Embedding(2, 4), nn.Linear(4, 2)
        self.steps, self.last = 0, step

    def forward(self, tokens: Tensor) -> Tensor:
        if self.training and torch.is_grad_enabled() and len(tokens) == 7:
            self.steps += 1
            if self.steps == self.last:
                torch_array()
        found: Tensor = self.out(self.embedding(tokens).sum(1))
        return found


SHORT: dict[str, Any] = {"max_length": 4, "steps": 9, "validate_every": 2, "batch_size": 7}


def test_a_run_that_does_not_fit_leaves_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(ConfigError, match=r"Lower batch_size, .*"):
        lw.train("parity", model=Hungry(1), out=out, **SHORT)
    assert not out.exists()
    lw.train("parity", model=Hungry(99), out=out, **{**SHORT, "batch_size": 6})


@pytest.mark.parametrize("out", [".", "../link", "../own"])
def test_a_folder_of_the_users_own_is_left_empty(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "link").symlink_to(own)
    monkeypatch.chdir(own)
    with pytest.raises(ConfigError, match="out of memory"):
        lw.train("parity", model=Hungry(1), out=out, **SHORT)
    assert list(own.iterdir()) == []


def test_a_folder_where_another_process_trains_stays(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    assert folder.claim({"a": 1})
    with RunFolder(folder.path).lock():
        folder.unclaim(keep_folder=False)
        assert folder.config()["a"] == 1
    folder.unclaim(keep_folder=False)
    assert not folder.path.exists()


def test_a_checkpoint_that_does_not_fit_into_memory_is_not_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    with pytest.raises(ConfigError):
        lw.train("parity", model=Hungry(6), out=out, **SHORT)

    def full(module: nn.Module, weights: Any, **rest: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(Adapted, "load_state_dict", full)
    with pytest.raises(ConfigError, match=r"out of memory: another 2\.00 GiB was requested"):
        lw.train("parity", model=Hungry(99), out=out, **SHORT)
    assert (out / "checkpoint.safetensors").exists()


def test_what_was_trained_before_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(ConfigError, match="out of memory"):
        lw.train("parity", model=Hungry(6), out=out, **SHORT)
    assert (out / "checkpoint.safetensors").exists()
    again = lw.train("parity", model=Hungry(99), out=out, **SHORT)
    assert [each["step"] for each in again.metrics] == [2, 4, 6, 8, 9]


def test_a_command_says_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(languages, "run", lambda arguments: torch_array())
    status, _, error = Shell(capsys, monkeypatch)("languages")
    assert status == 2
    assert error.startswith("lengthwise: out of memory: another ")
    assert error.count("\n") == 1
