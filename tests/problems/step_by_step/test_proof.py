"""What has a proof of addition, and what is refused."""

from pathlib import Path

import pytest
import torch

from lengthwise.errors import VerificationError
from lengthwise.steps import certify
from problems.step_by_step.test_sizes import adder, trained


def test_other_orders_and_supervision_are_refused(tmp_path: Path) -> None:
    for name, settings, message in (
        ("weak", {"order": "carries", "supervision": "weak"}, "but the run writes .*, weak"),
        ("order", {"order": 2}, "the run writes addition of 3-bit numbers, representation 2"),
    ):
        of_task = {"bits": 3, "examples": 8, "d_model": 4, **settings}
        run = trained("steps:addition", "pointer-decoder", tmp_path / name, **of_task)
        with pytest.raises(VerificationError, match=message):
            certify(run)


def test_the_weights_of_the_run_are_proved_in_their_type(tmp_path: Path) -> None:
    run = adder(tmp_path)
    assert certify(run).precision == "float32"
    run.model.double()
    assert certify(run).precision == "float64"
    run.model.to(torch.bfloat16)
    with pytest.raises(VerificationError, match="all float64, but these are bfloat16"):
        certify(run)
