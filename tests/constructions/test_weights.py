"""Weights set by what they do: a head, a unit, the directions of positions."""

import math

import pytest
import torch
from torch.nn import functional as F

from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.weights import (
    require_epsilon,
    require_sharpness,
    set_head,
    set_positions,
    set_unit,
    zero_weights,
)
from lengthwise.errors import ConstructionError
from lengthwise.layers.attention import Attention
from lengthwise.layers.norms import LayerNorm
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.transformer_layer import TransformerLayer

STREAM = Coordinates(["a", "b", "c", "d"])
EVERYBODY = torch.ones(1, 1, 5, dtype=torch.bool)


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("head", [0, 1, 2])
def test_a_head_moves_what_it_finds_where_it_is_told_to_look(head: int) -> None:
    attention, x = Attention(4, num_heads=3, head_width=4), draw(2, 5, 4)
    zero_weights(attention)
    set_head(
        attention,
        head,
        ask=STREAM.row({"a": 2.0}),
        offer=STREAM.row({"b": 1.0}),
        moves=[
            (STREAM.row({"c": 3.0}), STREAM.column({"d": 1.0})),
            (STREAM.row({"a": 1.0}), STREAM.column({"b": -1.0})),
        ],
    )
    with torch.no_grad():
        found = attention(x, x, EVERYBODY)
    weights = (2.0 * x[:, :, None, 0] * x[:, None, :, 1]).softmax(dim=-1)
    expected = torch.zeros_like(x)
    expected[..., 3] = (weights @ (3.0 * x[..., 2:3]))[..., 0]
    expected[..., 1] = -(weights @ x[..., 0:1])[..., 0]
    torch.testing.assert_close(found, expected)


def test_a_head_that_asks_nothing_averages() -> None:
    attention, x = Attention(4, num_heads=2, head_width=4), draw(2, 5, 4)
    zero_weights(attention)
    set_head(attention, 1, moves=[(STREAM.row({"c": 1.0}), STREAM.column({"d": 1.0}))])
    assert attention.queries_are_alike
    with torch.no_grad():
        found = attention(x, x, EVERYBODY)
    torch.testing.assert_close(found[..., 3], x[..., 2].mean(dim=1, keepdim=True).expand(2, 5))
    assert not found[..., :3].any()


def test_a_unit_adds_its_activation_along_its_column() -> None:
    layer = TransformerLayer(
        d_model=4,
        num_heads=1,
        head_width=4,
        d_hidden=3,
        norm="none",
        epsilon=0.0,
        activation="relu",
        scale="standard",
    )
    zero_weights(layer)
    set_unit(layer, 1, STREAM.row({"a": 1.0, "b": -2.0}), STREAM.column({"d": 5.0}), bias=0.25)
    x = draw(2, 5, 4)
    with torch.no_grad():
        added = layer(x, x, EVERYBODY) - x
    torch.testing.assert_close(added[..., 3], 5 * F.relu(x[..., 0] - 2 * x[..., 1] + 0.25))
    assert not added[..., :3].any()


def test_blank_models_do_nothing_in_double_precision() -> None:
    model = Encoder(EncoderConfig(vocab_size=2, num_classes=2, norm="post"))
    zero_weights(model)
    assert not model.training
    for name, parameter in model.named_parameters():
        assert parameter.dtype == torch.float64
        assert (parameter == (1 if name.endswith("norm.weight") else 0)).all()
    norms = [module for module in model.modules() if isinstance(module, LayerNorm)]
    assert all((norm.weight == 1).all() for norm in norms)


def test_features_of_places_are_written_along_columns() -> None:
    model = Encoder(EncoderConfig(vocab_size=2, num_classes=2, d_model=4, position="fraction"))
    zero_weights(model)
    set_positions(model, [STREAM.column({"d": 2.0}), STREAM.column({"a": 1.0})])
    place, count = torch.tensor([[3]]), torch.tensor([[4]])
    assert model.position(place, count).tolist() == [[[-1.0, 0.0, 0.0, 1.5]]]


@pytest.mark.parametrize("epsilon", [0.0, 1e-320, 1e-5, 100.0, 1e50])
def test_epsilon_may_be_anything_from_zero_on(epsilon: float) -> None:
    require_epsilon(epsilon)


@pytest.mark.parametrize("epsilon", [-1e-9, math.nan, 1.1e50, math.inf])
def test_other_values_of_epsilon_are_refused(epsilon: float) -> None:
    with pytest.raises(ConstructionError, match="epsilon="):
        require_epsilon(epsilon)


@pytest.mark.parametrize("kept", [1.0, 1e-10, 3.0])
def test_sharpness_is_judged_by_what_is_kept_of_it(kept: float) -> None:
    for logit in (1.001e-6, 1.0, 63.9):
        require_sharpness(logit / kept, kept)
    for logit in (0.999e-6, 64.1, -1.0, math.nan):
        with pytest.raises(ConstructionError, match="sharpness="):
            require_sharpness(logit / kept, kept)
