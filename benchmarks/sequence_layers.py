"""Sequence layers: a step of training in parallel, symbol by symbol, and of a transformer's layer.

    python benchmarks/bench.py layers

A step is forward and backward. The parallel form is compared with the layer's own steps, and its
whole block with a layer of torch's transformer of the same width, heads and hidden units, which
has causal attention that is fused.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.layers.mixers.mixer import mix_by_steps
from lengthwise.models.mixer_stack import MixerBlock

NUM_HEADS = 4
SHAPES = ((64, 40, 64), (64, 500, 8), (256, 40, 32), (256, 500, 4))
"""Width, symbols of a word, and words."""


def compare_layers(seconds: Callable[..., list[float]]) -> dict[str, float]:
    """Return ratios of each layer, at each shape."""
    result = {}
    for width, length, num_words in SHAPES:
        generator = torch.Generator().manual_seed(0)
        inputs = torch.randn(num_words, length, width, generator=generator)
        transformer = nn.TransformerEncoderLayer(
            width, NUM_HEADS, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        mask = nn.Transformer.generate_square_subsequent_mask(length)

        def attend(layer: Any = transformer, inputs: Tensor = inputs, mask: Tensor = mask) -> None:
            descend(layer, layer(inputs, src_mask=mask, is_causal=True))

        for name, make in MIXERS.items():
            block = MixerBlock(make(width, num_heads=NUM_HEADS), width)
            block.attention.draw(generator)

            def parallel(block: Any = block, inputs: Tensor = inputs) -> None:
                mixed, _ = block.attention(block.attention_norm.before(inputs))
                descend(block, block.finish(inputs, mixed))

            def alone(block: Any = block, inputs: Tensor = inputs) -> None:
                descend(block, block.attention(inputs)[0])

            def by_steps(block: Any = block, inputs: Tensor = inputs) -> None:
                descend(block, mix_by_steps(block.attention, inputs)[0])

            whole, theirs = seconds(parallel, attend, repeat=5)
            once, stepped = seconds(alone, by_steps, repeat=2)
            shape = f"{name}, width {width}, T={length}"
            result[f"{shape}: step by step / in parallel"] = stepped / once
            result[f"{shape}: block / transformer's layer"] = whole / theirs
    return result


def descend(layer: nn.Module, outputs: Tensor) -> None:
    """Compute the gradients."""
    layer.zero_grad()
    outputs.square().mean().backward()  # type: ignore[no-untyped-call]
