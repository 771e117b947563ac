"""Muon against the singular value decomposition, and against torch.optim.Muon."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.optim import _muon

from lengthwise.errors import ConfigError
from lengthwise.training.muon import Muon, orthogonal, state_keys
from lengthwise.training.settings import TrainingConfig

SIZES = st.integers(1, 9)


def draw(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def through_singular_values(matrix: torch.Tensor) -> torch.Tensor:
    """Return what the iterations do to the singular values, each as a number of its own."""
    u, values, v = torch.linalg.svd(matrix, full_matrices=False)
    values = values / values.norm()
    for _ in range(5):
        values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
    return u @ torch.diag(values) @ v


@given(SIZES, SIZES, st.integers(1, 3), st.integers(0, 999))
def test_orthogonal_applies_its_polynomial_to_singular_values(
    rows: int, columns: int, count: int, seed: int
) -> None:
    matrices = draw(seed, count, rows, columns)
    expected = torch.stack([through_singular_values(each) for each in matrices])
    torch.testing.assert_close(orthogonal(matrices), expected, rtol=1e-9, atol=1e-9)


def test_singular_values_come_near_one() -> None:
    values = torch.logspace(0, -2.2, 40, dtype=torch.float64)
    u, v = (torch.linalg.qr(draw(seed, 40, 40))[0] for seed in (0, 1))
    matrix = (u * (values / values.norm())) @ v
    found = torch.linalg.svdvals(orthogonal(matrix[None])[0])
    assert found.min() > 0.68
    assert found.max() < 1.21


def test_no_gradient_leaves_zero() -> None:
    assert torch.equal(orthogonal(torch.zeros(1, 3, 5)), torch.zeros(1, 3, 5))


def exactly(grad: torch.Tensor, coefficients: object, steps: int, eps: float) -> torch.Tensor:
    """Return torch's iterations, without its rounding to bfloat16."""
    return orthogonal(grad[None])[0]


@given(SIZES, SIZES, st.integers(0, 999), st.floats(0, 0.5))
@settings(max_examples=30)
def test_steps_are_those_of_torch(rows: int, columns: int, seed: int, decay: float) -> None:
    start, target = draw(seed, rows, columns), draw(seed + 1, rows, columns)
    ours, theirs = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    group = {"params": [ours], "weight_decay": decay, "orthogonal": True}
    one = Muon([group], lr=0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_muon, "_zeropower_via_newtonschulz", exactly)
        other = torch.optim.Muon(
            [theirs], lr=0.1, weight_decay=decay, adjust_lr_fn="match_rms_adamw"
        )
        for _ in range(4):
            for parameter, optimiser in ((ours, one), (theirs, other)):
                parameter.grad = 2 * (parameter.detach() - target)
                optimiser.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_other_groups_take_the_steps_of_adamw() -> None:
    ours, theirs = nn.Linear(3, 3).double(), nn.Linear(3, 3).double()
    theirs.load_state_dict(ours.state_dict())
    groups = [
        {"params": [ours.weight], "weight_decay": 0.0, "orthogonal": True},
        {"params": [ours.bias], "weight_decay": 0.0, "orthogonal": False},
    ]
    one, other = Muon(groups, lr=0.1), torch.optim.AdamW([theirs.bias], lr=0.1, weight_decay=0.0)
    for _ in range(3):
        for bias, optimiser in ((ours.bias, one), (theirs.bias, other)):
            bias.grad = 2 * (bias.detach() - 1)
            optimiser.step()
    assert torch.equal(ours.bias, theirs.bias)
    assert torch.equal(ours.weight, theirs.weight)  # it had no gradient
    assert state_keys(one)[ours.weight] == ("momentum",)


def test_a_plan_of_adamw_is_stored_as_before_there_was_a_choice() -> None:
    assert "optimiser" not in TrainingConfig().to_dict()
    assert TrainingConfig(optimiser="muon").to_dict()["optimiser"] == "muon"
    assert TrainingConfig.from_dict(TrainingConfig(optimiser="muon").to_dict()).optimiser == "muon"


def test_an_unknown_optimiser_is_refused() -> None:
    with pytest.raises(ConfigError, match="optimiser"):
        TrainingConfig.from_dict({"optimiser": "sgd"})
