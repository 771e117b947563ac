"""Small models in float64 whose every weight is away from its initial value."""

from typing import Protocol, TypeVar

import torch
from torch import Tensor, nn


class _Network(Protocol):
    def initialise(self, generator: torch.Generator) -> None: ...


Network = TypeVar("Network", bound=_Network)


def perturb(model: Network, by: float, seed: int = 0) -> Network:
    """Initialise a network in float64 and add N(0, by^2) to every weight; for evaluation."""
    assert isinstance(model, nn.Module)
    model.double().eval()
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, dtype=torch.double, generator=generator)
            parameter.add_(noise, alpha=by)
    return model


def random_tokens(num_symbols: int, words: int, length: int, seed: int = 0) -> Tensor:
    """Draw words of uniform symbols."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(num_symbols, (words, length), generator=generator)
