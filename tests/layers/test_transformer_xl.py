"""Transformer-XL: what layers share, and how weights are drawn. The formula is in the contract."""

import pytest
import torch

from lengthwise.layers.transformer_xl import TransformerXlPosition
from position_makers import HEADS, SIZE, WIDTH, draw_heads, logits, make


def made() -> TransformerXlPosition:
    position = make("transformer-xl").double()
    assert isinstance(position, TransformerXlPosition)
    return position


def test_layers_share_all_but_the_matrix() -> None:
    position, x, place = made(), draw_heads(2, 7), torch.arange(7)
    first, second = (logits(position, x, x, place, place, layer=layer) for layer in (0, 1))
    assert not torch.isclose(first, second).any()
    with torch.no_grad():
        position.w[1].copy_(position.w[0])
    assert torch.equal(first, logits(position, x, x, place, place, layer=1))


def test_ahead_is_not_behind() -> None:
    x = draw_heads(1, 1)
    position, here, there = made(), torch.tensor([4]), torch.tensor([9])
    assert not torch.isclose(
        logits(position, x, x, here, there), logits(position, x, x, there, here)
    ).any()


def test_weights_are_drawn_as_described() -> None:
    position = make("transformer-xl", width=64, num_heads=8, head_width=64)
    assert isinstance(position, TransformerXlPosition)
    position.draw(torch.Generator().manual_seed(0))
    for vector in (position.u, position.v):
        assert vector.std().item() == pytest.approx(0.02, rel=0.1)
    for matrix in position.w:
        assert matrix.shape == (8 * 64, 64)
        assert matrix.abs().max().item() == pytest.approx((6 / (8 * 64 + 64)) ** 0.5, rel=0.01)


def test_keys_of_distances_are_of_the_width_of_the_model() -> None:
    assert [tuple(matrix.shape) for matrix in made().w] == [(HEADS * SIZE, WIDTH)] * 2
