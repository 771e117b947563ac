"""A transformer layer is its two branches, normalised where its norm says."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lengthwise.layers.norms import LayerNorm
from lengthwise.models.transformer_layer import TransformerLayer

Norm = Literal["post", "pre", "none"]
WIDTH = 6


def make(norm: Norm, activation: Literal["relu", "gelu"] = "relu") -> TransformerLayer:
    """Random weights in float64, those of norms, too."""
    layer = TransformerLayer(
        d_model=WIDTH,
        num_heads=2,
        head_width=3,
        d_hidden=5,
        norm=norm,
        epsilon=0.1,
        activation=activation,
        scale="standard",
    ).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(generator=generator)
    return layer


def norms(layer: TransformerLayer) -> tuple[Callable[[Tensor], Tensor], ...]:
    """The first and the second, as they are in torch."""
    found = [module for module in layer.modules() if isinstance(module, LayerNorm)]
    return tuple(
        partial(F.layer_norm, normalized_shape=[WIDTH], weight=n.weight, bias=n.bias, eps=0.1)
        for n in found
    )


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["post", "pre", "none"])
def test_a_layer_is_its_formula(norm: Norm, activation: Literal["relu", "gelu"]) -> None:
    layer = make(norm, activation)
    generator = torch.Generator().manual_seed(1)
    keys = torch.randn(2, 4, WIDTH, dtype=torch.float64, generator=generator)
    queries, seen = keys[:, :3], torch.rand(2, 3, 4, generator=generator) < 0.7
    seen[..., 0] = True
    act: Callable[[Tensor], Tensor] = F.relu if activation == "relu" else F.gelu

    def feed_forward(x: Tensor) -> Tensor:
        return layer.contract(act(layer.expand(x)))

    with torch.no_grad():
        if norm == "none":
            h = queries + layer.attention(queries, keys, seen)
            expected = h + feed_forward(h)
        elif norm == "pre":
            first, second = norms(layer)
            h = queries + layer.attention(first(queries), first(keys), seen)
            expected = h + feed_forward(second(h))
        else:
            first, second = norms(layer)
            h = first(queries + layer.attention(queries, keys, seen))
            expected = second(h + feed_forward(h))
        torch.testing.assert_close(layer(queries, keys, seen), expected)
