"""Dropout draws from the generator of the noise, so that a seed decides a run."""

import pytest
import torch

from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train


@pytest.mark.parametrize("supervision", ["composition", "codebook", "transition"])
def test_a_seed_decides_runs_with_dropout(supervision: str) -> None:
    settings = {"objective": supervision, "dropout": 0.2, "steps": 6, "validate_every": 3}
    plan = make_plan("tomita-4", preset="smoke", settings={**settings, "max_length": 8})
    losses = []
    for other in (1, 2):
        torch.manual_seed(other)  # whatever else has drawn
        losses.append([record["loss"] for record in train(plan, device="cpu").metrics])
    assert losses[0] == losses[1]
    again = train(plan.with_seed(1), device="cpu").metrics
    assert [record["loss"] for record in again] != losses[0]
