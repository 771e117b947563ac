r"""Mean attention weights of RegularGPT's heads on the C children of a node, by level.

Section 7.2 of Chi et al. (2023) expects one head for each child, so that the feed-forward network
receives both children side by side. The record shows whether the heads of a trained model do so.
The weights are those of the block's last layer, whose query is the last position of a chunk:

$$a_{h, n} = \mathrm{softmax}_n(q_{C-1} \cdot k_n / \sqrt{D} + r_{h, C-1-n}), \qquad n = 0..C-1.$$

Axes:
    node    chunks; each becomes a node
    position   the C positions of a chunk, in the order of the word
    head    attention heads
    width   numbers in a vector
"""

import math
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lengthwise.analysis.model_copy import block_outputs, float64_copy
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import grow
from lengthwise.layers.right_aligned import FullWords, Lengths
from lengthwise.layers.sliding_dilated import InsideChunks
from lengthwise.models.regular_gpt import RegularGPT


def attention(
    model: nn.Module, language: Language, tokens: FullWords, lengths: Lengths
) -> dict[str, Any]:
    """Record `weights[level][head][position]` of right-aligned words: means over all chunks.

    A chunk that occurs more than once counts as often. At the left edge of a word the pad replaces
    absent children, and its weight counts for that position. `focus[head]` is the largest weight of
    the mean over levels, at `favourite[head]`: 1 if the head attends to one position only, 1 / C if
    it attends to all equally.

    Raises:
        ConfigError: the model is not a RegularGPT.
    """
    model = float64_copy(model)
    tree = grow(tokens, lengths, model.config.vocab_size, model.config.chunk_size)
    weights_of_levels = keep_weights(model)
    block_outputs(model, [level.children for level in tree.levels])
    means = []
    for weights, level in zip(weights_of_levels, tree.levels, strict=True):
        times = torch.bincount(level.positions[level.positions >= 0], minlength=len(weights))
        means.append(torch.einsum("n,nph->hp", times.double(), weights) / times.sum())
    by_head = torch.stack(means).mean(dim=0)
    focus, favourite = by_head.max(dim=1)
    return {
        "chunk_size": model.config.chunk_size,
        "num_layers": model.config.num_layers,
        "focus": focus.tolist(),
        "favourite": favourite.tolist(),
        "weights": [
            [[round(value, 6) for value in head] for head in level.tolist()] for level in means
        ],
    }


def keep_weights(model: RegularGPT) -> list[Tensor]:
    """Return a list to which each call of the last layer of a copy will add its weights."""
    kept: list[Tensor] = []

    def keep(module: nn.Module, inputs: tuple[Tensor, Tensor | None], output: Tensor) -> None:
        assert isinstance(module, InsideChunks)
        kept.append(chunk_weights(module, *inputs))

    model.block[-1].attention.register_forward_hook(keep)  # it goes away with the copy
    return kept


def chunk_weights(
    layer: InsideChunks,
    x: Float[Tensor, "node position width"],
    present: Bool[Tensor, "node position"] | None,
) -> Float[Tensor, "node position head"]:
    """Recompute the attention weights inside chunks for the query of the last position."""
    num_nodes, chunk, width = x.shape
    heads = (layer.num_heads, width // layer.num_heads)
    query = layer.query(x[:, -1]).view(num_nodes, 1, *heads)
    key = layer.key_value(x)[..., :width].view(num_nodes, chunk, *heads)
    logits = (query * key).sum(dim=-1) / math.sqrt(heads[1]) + layer.bias.flip(1).T
    return layer.weights(logits, None if present is None else ~present[:, :, None], dim=1)
