"""Devices: which are chosen, which are refused, and what is said of the machine."""

import pytest
import torch

from lengthwise.errors import ConfigError
from lengthwise.training import devices
from lengthwise.training.devices import choose_device, environment


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("abacus", "torch has no device 'abacus'. Use auto, cpu, mps, or cuda"),
        ("meta", r"device 'meta' cannot be used \(.+\)\. Use auto or cpu\.$"),
        (3, "a device is a name, but got 3"),
    ],
)
def test_a_device_that_cannot_compute_is_refused(name: str, rule: str) -> None:
    with pytest.raises(ConfigError, match=rule) as refused:
        choose_device(name)
    assert "\n" not in str(refused.value)


def test_without_an_accelerator_that_computes_correctly_the_processor_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = torch.device("mps")
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: there)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(devices, "why_unavailable", lambda *_: "it gives wrong numbers")
    assert choose_device("auto") == torch.device("cpu")
    monkeypatch.setattr(devices, "why_unavailable", lambda *_: None)
    assert choose_device("auto") == there
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    assert choose_device("auto") == torch.device("cpu")


def test_a_result_says_what_computed_it() -> None:
    said = environment("cpu")
    assert (said["torch"], said["device"]) == (torch.__version__, "cpu")
    assert said["processor"]
    assert "accelerator" not in said
