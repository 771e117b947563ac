"""The layer of Proposition 2 forgets all but the logit, whatever vectors it sees."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from lengthwise.constructions.confidence import MAX_ETA, MIN_ETA, keep_only_logit, logit_for
from lengthwise.constructions.coordinates import Coordinates
from lengthwise.constructions.weights import zero_weights
from lengthwise.errors import ConstructionError
from lengthwise.models.transformer_layer import TransformerLayer


def layer(stream: Coordinates, epsilon: float) -> TransformerLayer:
    made = TransformerLayer(
        d_model=stream.width,
        num_heads=1,
        head_width=1,
        d_hidden=2 * stream.width,
        norm="post",
        epsilon=epsilon,
        activation="relu",
        scale="standard",
    )
    zero_weights(made)
    return made


@given(width=st.integers(2, 12), seed=st.integers(0, 99), epsilon=st.sampled_from([0.0, 1e-5, 1.0]))
def test_only_the_logit_is_left(width: int, seed: int, epsilon: float) -> None:
    """(s, -s, 0, ..., 0), divided as layer norm does."""
    generator = torch.Generator().manual_seed(seed)
    stream = Coordinates([f"x{number}" for number in range(width)])
    logit = torch.randn(width, dtype=torch.float64, generator=generator)
    x = torch.randn(3, 4, width, dtype=torch.float64, generator=generator)
    x -= x.mean(dim=-1, keepdim=True)
    made = layer(stream, epsilon)
    keep_only_logit(made, stream, logit)

    with torch.no_grad():
        out = made(x, x, torch.ones(1, 1, 4, dtype=torch.bool))

    s = F.layer_norm(x, (width,), eps=epsilon) @ logit
    expected = torch.zeros_like(x)
    expected[..., 0] = s / (2 * s**2 / width + epsilon).sqrt()
    expected[..., 1] = -expected[..., 0]
    torch.testing.assert_close(out, expected, rtol=1e-9, atol=1e-9)


def test_without_epsilon_the_size_of_the_logit_does_not_count() -> None:
    """In float64, too, as far as it stands beside numbers of size 1, and none where it will be."""
    stream = Coordinates(["a", "b", "one", "s", "-one", "-s"])
    made = layer(stream, 0.0)
    keep_only_logit(made, stream, stream.row({"s": 1.0}))
    for size in (1.0, 1e-8, -1e-8, 1e-13, -1e-13):
        x = torch.tensor([[[0.0, 0.0, 1.0, size, -1.0, -size]]], dtype=torch.float64)
        with torch.no_grad():
            out = made(x, x, torch.ones(1, 1, 1, dtype=torch.bool))
        s = math.copysign(math.sqrt(3), size)
        assert out[0, 0].tolist() == pytest.approx([s, -s, 0, 0, 0, 0], abs=1e-3)


@given(eta=st.floats(-40, math.log(MAX_ETA)).map(math.exp).filter(lambda eta: eta >= MIN_ETA))
def test_the_logit_has_the_cross_entropy(eta: float) -> None:
    assert math.log1p(math.exp(-logit_for(eta))) == pytest.approx(eta, rel=1e-12)


@pytest.mark.parametrize("eta", [0.5, 0.6, math.log(2), 0.7, 5.0, 1e300])
def test_a_large_eta_is_met_with_something_to_spare(eta: float) -> None:
    assert logit_for(eta) == logit_for(MAX_ETA) > 0


@pytest.mark.parametrize("eta", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
def test_what_is_no_cross_entropy_is_refused(eta: float) -> None:
    with pytest.raises(ConstructionError) as caught:
        logit_for(eta)
    assert str(caught.value) == f"a cross-entropy is positive, but eta={eta}. Use 0.001, say."


def test_what_float64_cannot_tell_from_zero_is_refused() -> None:
    assert 1 + math.exp(-logit_for(MIN_ETA)) > 1
    with pytest.raises(ConstructionError) as caught:
        logit_for(1e-16)
    assert str(caught.value) == (
        "eta=1e-16 is below 2.2e-16, the least that float64 resolves. Use a larger one."
    )
