"""Noise comes from the seed, and of equally good weights the later ones are kept."""

import torch
from torch import nn

from lengthwise.training.loop import Step, Validation, fit
from lengthwise.training.settings import TrainingConfig


class Drifting:
    """Weights fall at every step; all of them are as good."""

    def __init__(self) -> None:
        self.noise: list[float] = []
        self.seen: list[float] = []

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        self.noise.append(torch.rand((), generator=noise).item())
        return Step(model(torch.ones(1, 1)).sum(), 0.0, 1)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        self.seen.append(model(torch.ones(1, 1)).item())
        return Validation(loss=1.0, accuracy=0.5, perfect=False)


def drift(seed: int) -> tuple[Drifting, nn.Module]:
    model, objective = nn.Linear(1, 1), Drifting()
    fit(model, objective, TrainingConfig(steps=4, validate_every=1, seed=seed))
    return objective, model


def test_noise_is_that_of_the_seed() -> None:
    first, again, other = (drift(seed)[0].noise for seed in (0, 0, 1))
    assert first == again
    assert set(first).isdisjoint(other)


def test_of_equally_good_weights_the_last_are_kept() -> None:
    objective, model = drift(0)
    assert len(set(objective.seen)) == 4
    assert model(torch.ones(1, 1)).item() == objective.seen[-1]
