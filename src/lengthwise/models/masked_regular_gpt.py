"""RegularGPT as equation (1) prints it: every level at every position, with T x T masks.

Costs O(T^2) per level; kept as the plain definition that the tree is tested against, and as the
thing that the benchmark measures the tree against.

Axes:
    word      words of the batch
    position  positions of the word
    width     numbers in a vector
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.layers.chunks import depth
from lengthwise.layers.sliding_dilated import make_dilated_mask
from lengthwise.models.regular_gpt import Layer, RegularGPT


def compute_masked_logits(
    model: RegularGPT, tokens: Int[Tensor, "word position"]
) -> Float[Tensor, "word class"]:
    """Return the logits at the last position, by the masks of equation (1) at all positions.

    The rows are padded on the left, at every level anew, to whole chunks: with the model's pad
    vector, or, if it has `pad="absent"`, with positions that no mask lets through. With thickness
    K, layers before the last of a block see their own chunk only, as the model defines it.
    """
    config = model.config
    chunk = config.chunk_size
    length = tokens.shape[1]
    x = model.leaf(tokens)
    stride = 1
    for _ in range(depth(length, chunk)):
        reach = stride * chunk
        missing = (-length % reach) if config.pad == "learned" else 0
        pad = model.pad * config.scale
        x = torch.cat([pad.expand(len(x), missing, -1), x], dim=1)
        positions = torch.arange(x.shape[1], device=x.device).flip(0) // reach
        same_chunk = positions[:, None] == positions[None, :]
        for index, layer in enumerate(model.block):
            mask = make_dilated_mask(layer.attention.bias, x.shape[1], stride)
            if index < config.num_layers - 1:
                mask = mask.masked_fill(~same_chunk, -math.inf)
            x = _layer(layer, x, mask)
        x = model.memory(x[:, missing:])
        stride = reach
    return model.read(x[:, -1])


def _layer(
    layer: Layer,
    x: Float[Tensor, "word position width"],
    mask: Float[Tensor, "head position position"],
) -> Float[Tensor, "word position width"]:
    """Apply one transformer layer with dense attention under an additive mask."""
    attention = layer.attention
    heads = attention.num_heads
    inner = layer.attention_norm.before(x)
    query = attention.query(inner).unflatten(-1, (heads, -1)).transpose(1, 2)
    key, value = (
        part.unflatten(-1, (heads, -1)).transpose(1, 2)
        for part in attention.key_value(inner).chunk(2, dim=-1)
    )
    logits = query @ key.transpose(-1, -2) / math.sqrt(key.shape[-1]) + mask
    attended = (attention.weights(logits, None, dim=-1) @ value).transpose(1, 2).flatten(2)
    h = layer.attention_norm.after(x + attention.output(attended))
    hidden = layer.activation(layer.expand(layer.feed_forward_norm.before(h)))
    return layer.feed_forward_norm.after(h + layer.contract(hidden))
