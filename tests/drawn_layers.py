"""Layers and inputs in float64 for the tests of sequence layers."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor, nn

from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.layers.mixers.mixer import Mixer

Layer = TypeVar("Layer", bound=Mixer)


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers in float64."""
    return torch.randn(*shape, dtype=torch.double, generator=torch.Generator().manual_seed(seed))


def made(
    kind: Callable[..., Layer], width: int, num_heads: int = 2, seed: int = 0, **settings: Any
) -> Layer:
    """A layer in float64, whose weights are not those that training begins with."""
    mixer = kind(width, num_heads=num_heads, **settings)
    mixer.draw(torch.Generator().manual_seed(seed))
    shake(mixer.double(), seed)
    return mixer


def make(name: str, width: int, num_heads: int, seed: int = 0) -> Mixer:
    """The same from the catalogue."""
    return made(MIXERS[name], width, num_heads, seed)


def shake(module: nn.Module, seed: int = 0) -> None:
    """Add noise to all weights."""
    with torch.no_grad():
        for index, parameter in enumerate(module.parameters()):
            parameter.add_(draw(*parameter.shape, seed=seed + index), alpha=0.3)


def close(left: Tensor, right: Tensor) -> None:
    """Compare up to rounding in float64."""
    torch.testing.assert_close(left, right, rtol=1e-9, atol=1e-9)


def marks_of(model: str) -> list[pytest.MarkDecorator]:
    """Mark models of sequence layers as slow, except one of them, since they share a block."""
    is_other = model in MIXERS and model != "gated-deltanet-negative"
    return [pytest.mark.slow] if is_other else []


def one_layer(models: Iterable[str]) -> list[Any]:
    """Names of models in order, with their marks."""
    return [pytest.param(name, marks=marks_of(name)) for name in sorted(models)]
