"""Muon against the singular value decomposition, and against torch.optim.Muon."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from lengthwise.errors import ConfigError
from lengthwise.problems.planning import make_plan
from lengthwise.training.adamw import state_keys
from lengthwise.training.loop import begin, decays
from lengthwise.training.muon import Muon, orthogonal
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


def test_a_matrix_of_zeros_stays() -> None:
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
    _muon = pytest.importorskip("torch.optim._muon", reason="torch has Muon since 2.9")
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


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_training_takes_muon_for_the_matrices_of_layers_alone(optimiser: str) -> None:
    plan = make_plan("parity", "regular-gpt", settings={"optimiser": optimiser})
    model = plan.draw()
    state = begin(model, plan.problem.objective(plan), plan.training, None)
    by_muon = {p for p, keys in state_keys(state.optimiser).items() if keys == ("momentum",)}
    names = {name for name, parameter in model.named_parameters() if parameter in by_muon}
    matrices = {name for name, is_applied in decays(model).items() if is_applied}
    assert len(matrices) > 4
    assert names == (matrices if optimiser == "muon" else set())


def test_an_unknown_optimiser_is_refused() -> None:
    with pytest.raises(ConfigError, match="optimiser"):
        TrainingConfig.from_dict({"optimiser": "sgd"})
    wrong: Any = "Muon"
    with pytest.raises(ConfigError, match="optimiser='Muon' is not an option"):
        TrainingConfig(optimiser=wrong)


@given(rank=st.integers(1, 8), seed=st.integers(0, 99))
def test_few_directions_are_turned_in_single_precision_as_in_double(rank: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    left, right = (torch.randn(1, size, rank, generator=generator) for size in (16, 96))
    matrix = left @ right.mT
    expected = orthogonal(matrix.double())
    torch.testing.assert_close(orthogonal(matrix).double(), expected, rtol=0, atol=2e-3)
