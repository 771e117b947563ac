"""Weights of few binary digits, so that exact arithmetic on them stays small."""

import torch
from torch import nn


@torch.no_grad()
def round_weights(model: nn.Module, places: int) -> None:
    """Round all weights to whole multiples of 2^-places, in place; none if `places` is 0."""
    if places:
        for weight in model.parameters():
            weight.copy_((weight * 2**places).round() / 2**places)
