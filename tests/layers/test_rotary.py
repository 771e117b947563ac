"""Rotary positions: rotations, and those of Llama in another order."""

import pytest
import torch

from position_makers import draw_heads, make


@pytest.mark.parametrize("size", [4, 5])
def test_nothing_changes_its_length(size: int) -> None:
    x, place = draw_heads(2, 50, size=size), torch.arange(50) * 1000
    turned = make("rope").double().turn_key(0, x, place)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[:, :, 0], x[:, :, 0])


def test_an_odd_number_stays() -> None:
    x = draw_heads(2, 9, size=5)
    turned = make("rope").double().turn_query(0, x, torch.arange(9))
    assert torch.equal(turned[..., 4], x[..., 4])
    assert not torch.isclose(turned[:, :, 1:, :4], x[:, :, 1:, :4]).any()


def test_one_number_has_no_pair() -> None:
    x = draw_heads(2, 9, size=1)
    assert torch.equal(make("rope").double().turn_key(0, x, torch.arange(9)), x)


def test_layers_turn_alike() -> None:
    x, place, position = draw_heads(2, 9), torch.arange(9), make("rope").double()
    assert torch.equal(position.turn_key(0, x, place), position.turn_query(1, x, place))


def test_it_is_as_in_llama() -> None:
    """Llama's pairs are r and r + size/2 in place of 2r and 2r + 1."""
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    settings = pytest.importorskip("transformers").LlamaConfig(
        hidden_size=24, num_attention_heads=3, head_dim=8
    )
    query, key, place = draw_heads(2, 60, size=8).float(), draw_heads(2, 60, size=8).float(), 60
    index = torch.arange(place)
    cosine, sine = llama.LlamaRotaryEmbedding(settings)(query, index[None])
    order = torch.cat([torch.arange(0, 8, 2), torch.arange(1, 8, 2)])
    theirs = llama.apply_rotary_pos_emb(query[..., order], key[..., order], cosine, sine)
    position = make("rope", head_width=8)
    ours = position.turn_query(0, query, index), position.turn_key(0, key, index)
    for mine, public in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine[..., order], public, rtol=1e-4, atol=1e-5)
