"""Transformer-XL: what layers share, and how weights are drawn. The formula is in the contract."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.layers.encodings import sinusoids
from lengthwise.layers.transformer_xl import TransformerXlPosition
from position_makers import HEADS, SIZE, WIDTH, draw_heads, logits, make


def make_layer() -> TransformerXlPosition:
    position = make("transformer-xl").double()
    assert isinstance(position, TransformerXlPosition)
    return position


def test_layers_share_all_but_the_matrix() -> None:
    position, x, place = make_layer(), draw_heads(2, 7), torch.arange(7)
    first, second = (logits(position, x, x, place, place, layer=layer) for layer in (0, 1))
    assert not torch.isclose(first, second).any()
    with torch.no_grad():
        position.w[1].copy_(position.w[0])
    assert torch.equal(first, logits(position, x, x, place, place, layer=1))


def test_ahead_is_not_behind() -> None:
    x = draw_heads(1, 1)
    position, here, there = make_layer(), torch.tensor([4]), torch.tensor([9])
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
    assert [tuple(matrix.shape) for matrix in make_layer().w] == [(HEADS * SIZE, WIDTH)] * 2


@given(queries=st.integers(1, 6), first=st.integers(0, 5), keys=st.integers(1, 9))
def test_gradients_are_those_of_the_formula(queries: int, first: int, keys: int) -> None:
    """Queries may stand behind the keys, or among them, and be fewer."""
    position, x = make_layer(), draw_heads(2, queries).requires_grad_()
    asking, asked = torch.arange(first, first + queries), torch.arange(keys)
    generator = torch.Generator().manual_seed(queries)
    wanted = torch.randn(2, HEADS, queries, keys, dtype=torch.float64, generator=generator)
    waves = sinusoids(asking[:, None] - asked, WIDTH).double()
    distances = (waves @ position.w[1].T).unflatten(-1, (HEADS, SIZE))
    plain = torch.einsum("whis,ijhs->whij", x + position.v, distances) / SIZE**0.5
    found = position.bias(1, x, asking, asked)
    inputs = [x, position.v, position.w[1]]
    slopes = torch.autograd.grad((found * wanted).sum(), inputs)
    expected = torch.autograd.grad((plain * wanted).sum(), inputs)
    for one, other in zip((found, *slopes), (plain, *expected), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


def test_the_gradient_has_a_gradient() -> None:
    position = make_layer()
    asking, asked = torch.arange(2, 5), torch.arange(4)
    x = draw_heads(1, 3).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x: position.bias(0, x.sin(), asking, asked), (x,))
