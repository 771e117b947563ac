"""The tree computes what its masked form does."""

import math

import pytest
import torch
from torch import Tensor

from lengthwise.layers.sliding_dilated import make_dilated_mask
from lengthwise.models.masked_regular_gpt import _layer, compute_masked_logits
from models.drawn_trees import draw, make


@pytest.mark.slow_except("3")
@pytest.mark.parametrize("chunk_size", [2, 3, 4, 5])
def test_tree_equals_masks_below_at_and_past_the_powers_of_the_chunk(chunk_size: int) -> None:
    near = {chunk_size**power + off for power in range(8) for off in (-1, 0, 1)}
    lengths = sorted(length for length in near | {7, 11, 130} if 0 < length <= 130)
    for num_layers, pad in ((1, "learned"), (1, "absent"), (2, "learned"), (2, "absent")):
        model = make(chunk_size=chunk_size, num_layers=num_layers, pad=pad)
        with torch.no_grad():
            for length in lengths:
                tokens = draw(3, length, seed=length)
                masked = compute_masked_logits(model, tokens)
                torch.testing.assert_close(model(tokens), masked, rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("pad", ["learned", "absent"])
@pytest.mark.parametrize("num_layers", [1, 2])
@pytest.mark.parametrize("chunk_size", [2, 3, 4, 5])
def test_tree_equals_masks_at_all_of_1_to_130(chunk_size: int, num_layers: int, pad: str) -> None:
    for norm in ("post", "pre", "none"):
        model = make(chunk_size=chunk_size, num_layers=num_layers, pad=pad, norm=norm)
        with torch.no_grad():
            for length in range(1, 131):
                tokens = draw(3, length, seed=length)
                masked = compute_masked_logits(model, tokens)
                rtol = 1e-10 if norm == "none" else 0  # without norms numbers grow with depth
                torch.testing.assert_close(model(tokens), masked, rtol=rtol, atol=1e-10)


@torch.no_grad()
def test_inner_layers_see_their_chunk_alone_where_equation_1_looks_beyond() -> None:
    model, words = make(chunk_size=3, num_layers=2, pad="absent"), draw(1, 6, seed=0)
    other = words.clone()
    other[0, 2] = 1 - other[0, 2].clamp(max=1)  # the last symbol of the first chunk
    first_chunk = torch.arange(6) < 3
    elsewhere = first_chunk[:, None] != first_chunk[None, :]

    def last_node(tokens: Tensor, *, is_confined: bool) -> Tensor:
        x = model.leaf(tokens)
        for layer in model.block:
            mask = make_dilated_mask(layer.attention.bias, 6, 1)
            x = _layer(layer, x, mask.masked_fill(elsewhere, -math.inf) if is_confined else mask)
        return x[:, -1]

    assert not torch.equal(last_node(words, is_confined=False), last_node(other, is_confined=False))
    node = model.compose(model.leaf(words[0]), torch.tensor([[3, 4, 5]]))
    torch.testing.assert_close(last_node(words, is_confined=True), node, rtol=0, atol=1e-10)
    torch.testing.assert_close(last_node(other, is_confined=True), node, rtol=0, atol=1e-10)
