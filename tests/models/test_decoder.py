"""Decoders: nobody sees what comes later, and completing with a cache is completing without."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers.attention import SCALES
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.decoder import Decoder, DecoderConfig
from models.drawn_decoders import LONGEST, NORMS, VOCABULARY, draw, make, shapes


@given(shape=shapes, length=st.integers(1, LONGEST), data=st.data())
def test_places_that_are_not_asked_change_nothing(
    shape: dict[str, Any], length: int, data: st.DataObject
) -> None:
    model, words = make(**shape), draw(3, length)
    first = data.draw(st.integers(0, length - 1))
    torch.testing.assert_close(model(words, first=first), model(words)[:, first:])


NOT_NEAR = {"recency": "a short format rounds slope times distance, but for whole slopes"}


@pytest.mark.parametrize("position", sorted(set(POSITIONS) - set(NOT_NEAR)))
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_near(position: str, dtype: torch.dtype) -> None:
    model = make(position=position, scale="log-length", max_length=200)
    words = draw(2, 200)
    exact, half = model(words), model.to(dtype)(words)
    assert half.dtype == dtype
    torch.testing.assert_close(half.double(), exact, rtol=0.2, atol=0.4)
    assert model.complete(words[:, :3], 5).shape == (2, 8)


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_every_weight_is_trained(position: str, scale: str) -> None:
    model = make(position=position, scale=scale, num_layers=2).train()
    model(draw(3, LONGEST)).sin().sum().backward()
    # A bias of all keys of a query alike changes no attention, and in the first layer of hops each
    # query has one key: itself, or the one before it.
    idle = ["key.bias"]
    if position == "hops":
        parts = "query.weight", "query.bias", "key.weight", "scale.factor"
        idle += [f"layers.0.attention.{part}" for part in parts]
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any() or name.endswith(tuple(idle)), name


@pytest.mark.parametrize("position", ["randomised-sinusoidal", "randomised-learned"])
def test_positions_are_drawn_in_training_only(position: str) -> None:
    model, words = make(position=position), draw(3, 7)
    assert torch.equal(model(words), model(words))
    model.train()
    first, again, other = (
        model(words, generator=torch.Generator().manual_seed(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@settings(max_examples=20)
@given(shape=shapes, length=st.integers(1, LONGEST))
def test_a_place_does_not_know_how_long_the_word_will_be(
    shape: dict[str, Any], length: int
) -> None:
    model = make(**shape)
    words = draw(2, LONGEST)
    torch.testing.assert_close(model(words)[:, :length], model(words[:, :length]))


@settings(max_examples=10)
@given(shape=shapes)
def test_attention_weights_are_of_what_is_seen(shape: dict[str, Any]) -> None:
    model = make(**shape)
    weights = model.attention_weights(draw(2, 6))
    assert weights.shape == (shape["num_layers"], 2, shape["num_heads"], 6, 6)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
    assert torch.equal(weights, weights.tril())
    assert bool((weights >= 0).all())


@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_attention_weights_are_those_that_the_logits_come_from(position: str) -> None:
    model = make(position=position, num_heads=1, norm="none", num_layers=2)
    words = draw(1, 5)
    weights = model.attention_weights(words)
    seen = torch.ones(1, 5, 5).tril().bool()
    x = model.embedding(words) + model.position(torch.arange(5)[None], torch.tensor([[LONGEST]]))
    for number, (layer, weight) in enumerate(zip(model.block, weights[:, 0, 0], strict=True)):
        places = model.position.in_layer(number, torch.arange(5), torch.arange(5))
        gathered = layer.attention.output(weight @ layer.attention.value(x[0]))
        torch.testing.assert_close(gathered, layer.attention(x, x, seen, places)[0])
        x = layer(x, x, seen, places)


@pytest.mark.parametrize("norm", NORMS)
def test_stored_weights_give_the_same_model(norm: str) -> None:
    model, other = make(norm=norm), make(seed=1, norm=norm)
    words = draw(3, 6)
    assert not torch.equal(model(words), other(words))
    other.load_state_dict(model.state_dict())
    assert torch.equal(model(words), other(words))


def test_with_embeddings_that_are_normalised_norms_and_residuals_are_as_printed() -> None:
    """Those of equations 2, 9, 10, 13 and 14 of the steps paper."""
    model = make(norm="post-embedded", num_heads=1, num_layers=1, epsilon=0.3)
    words = draw(3, 7)
    [layer] = model.block
    emb = model.embedding(words) + model.position(torch.arange(7)[None], torch.tensor([[LONGEST]]))
    norm = model.embedding_norm.get_parameter
    ln1 = F.layer_norm(emb, (8,), norm("weight"), norm("bias"), eps=0.3)
    attention = layer.attention
    logits = attention.query(ln1) @ attention.key(ln1).mT / math.sqrt(8)
    hidden = logits.masked_fill(~torch.ones(7, 7).tril().bool(), -math.inf).softmax(dim=2)
    ln2 = layer.attention_norm.after(attention.output(hidden @ attention.value(ln1)) + ln1)
    ln3 = layer.feed_forward_norm.after(layer.contract(F.gelu(layer.expand(ln2))) + ln2)
    torch.testing.assert_close(model(words), model.answer(ln3))


def test_one_seed_gives_one_model() -> None:
    models = [Decoder(DecoderConfig(vocab_size=2, max_length=4, d_model=8)) for _ in range(3)]
    for model, seed in zip(models, (0, 0, 1), strict=True):
        model.initialise(torch.Generator().manual_seed(seed))
    words = torch.tensor([[0, 1, 1, 0]])
    assert torch.equal(models[0](words), models[1](words))
    assert not torch.equal(models[0](words), models[2](words))


@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_words_that_are_too_long_are_refused(position: str) -> None:
    model = make(position=position)
    words = draw(2, LONGEST)
    assert model(words).shape == (2, LONGEST, VOCABULARY)
    assert model.complete(words, 1).shape == (2, LONGEST + 1)
    assert model.complete(words[:, :1], LONGEST).shape == (2, LONGEST + 1)
    longer = draw(2, LONGEST + 1)
    for refused in (
        lambda: model(longer),
        lambda: model.attention_weights(longer),
        lambda: model.complete(longer, 1),
        lambda: model.complete(words[:, :1], LONGEST + 1),
    ):
        with pytest.raises(WordError, match=r"^[^\n]*at most 12 symbols[^\n]*13[^\n]*$"):
            refused()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"d_model": 9}, "d_model=9 cannot be split over num_heads=2"),
        ({"epsilon": -1e-9}, "epsilon=-1e-09 is too small"),
        ({"max_length": 0}, "max_length=0 is too small"),
        ({"position": "sines"}, "unknown position 'sines'"),
        ({"scale": "log"}, "unknown attention scale 'log'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(**values)


def test_the_feed_forward_network_has_four_times_the_width_unless_told() -> None:
    assert make().block[0].expand.out_features == 32
    assert make(d_hidden=5).block[0].expand.out_features == 5
