"""Biases: their numbers by hand, and against the implementations that others use."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.layers.biases import DistanceBias, KerplePosition, T5Position, t5_bucket
from position_formulas import bucket
from position_makers import make

FAR = torch.arange(-300, 301)


@pytest.mark.parametrize("causal", [False, True])
def test_t5_buckets(causal: bool) -> None:
    found = t5_bucket(FAR, causal=causal).tolist()
    assert found == [bucket(delta, causal) for delta in FAR.tolist()]


def test_t5_buckets_of_a_decoder() -> None:
    """Up to 15 one each, 31 from some distance below 128 on, and what comes later is not told."""
    found = t5_bucket(torch.arange(400), causal=True).tolist()
    assert found[:17] == list(range(17))
    assert set(found) == set(range(32))
    assert found == sorted(found)
    assert (found.index(31) < 128) & (found[128] == 31)
    assert set(t5_bucket(-torch.arange(1, 400), causal=True).tolist()) == {0}


def test_t5_buckets_of_an_encoder() -> None:
    """Powers of the square root of 2, exactly where a logarithm would be rounded."""
    delta = torch.tensor([0, 7, 8, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 128])
    expected = [0, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15]
    assert t5_bucket(delta, causal=False).tolist() == expected
    assert t5_bucket(-delta[1:], causal=False).tolist() == [16 + e for e in expected[1:]]


@pytest.mark.parametrize("causal", [False, True])
def test_t5_is_as_in_transformers(causal: bool) -> None:
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    settings = pytest.importorskip("transformers").T5Config(
        d_model=6, num_heads=3, d_kv=2, is_decoder=causal
    )
    public = t5.T5Attention(settings, has_relative_attention_bias=True)
    position = make("t5", causal=causal)
    assert isinstance(position, T5Position)
    with torch.no_grad():
        public.relative_attention_bias.weight.copy_(position.table)
    theirs = public._relative_position_bucket(-FAR, bidirectional=not causal)
    assert theirs.tolist() == t5_bucket(FAR, causal=causal).tolist()
    place = torch.arange(200)
    ours = position.bias(0, torch.zeros(1, 3, 200, 5), place, place)
    torch.testing.assert_close(ours, public.compute_bias(200, 200), rtol=0, atol=0)


def slopes(num_heads: int) -> list[float]:
    bias = make("alibi", num_heads=num_heads).bias(
        0, torch.zeros(1, num_heads, 1, 1), torch.tensor([1]), torch.tensor([0])
    )
    assert bias is not None
    return (-bias.flatten()).tolist()


def test_alibi_slopes_are_a_geometric_sequence() -> None:
    assert slopes(8) == [2.0**-h for h in range(1, 9)]
    assert slopes(16) == pytest.approx([2 ** (-h / 2) for h in range(1, 17)], rel=1e-7)
    assert slopes(3) == pytest.approx([2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8], rel=1e-7)


@pytest.mark.parametrize("causal", [False, True])
def test_alibi_is_symmetric(causal: bool) -> None:
    place = torch.arange(40)
    bias = make("alibi", causal=causal).bias(0, torch.zeros(1, 3, 40, 1), place, place)
    assert bias is not None
    assert torch.equal(bias, bias.transpose(2, 3))


@pytest.mark.parametrize("num_heads", [1, 4, 8, 16])
def test_alibi_is_as_in_bloom(num_heads: int) -> None:
    """They add m_h j, which differs from -m_h (i - j) by a number that is the same for all keys."""
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    mask = torch.ones(1, 50, dtype=torch.long)
    theirs = bloom.build_alibi_tensor(mask, num_heads, torch.float32).view(1, num_heads, 1, 50)
    place = torch.arange(50)
    query = torch.zeros(1, num_heads, 50, 1)
    ours = make("alibi", num_heads=num_heads, causal=True).bias(0, query, place, place)
    assert ours is not None
    seen = torch.ones(50, 50, dtype=torch.bool).tril()
    both = [
        x.expand(1, num_heads, 50, 50).masked_fill(~seen, -math.inf).softmax(dim=-1)
        for x in (ours, theirs)
    ]
    torch.testing.assert_close(*both, rtol=1e-5, atol=1e-7)


def kerple(name: str) -> KerplePosition:
    position = make(name)
    assert isinstance(position, KerplePosition)
    return position


@pytest.mark.parametrize("name", ["kerple-log", "kerple-power"])
def test_kerple_weights_are_kept_in_their_range(name: str) -> None:
    """Those below count as 0.01 and a power above 2 as 2, but all get a gradient."""
    outside, inside = kerple(name), kerple(name)
    most = 2.0 if name == "kerple-power" else 9.0
    with torch.no_grad():
        outside.p.copy_(torch.tensor([-5.0, 0.5, 9.0]))
        inside.p.copy_(torch.tensor([0.01, 0.5, most]))
        outside.a.copy_(torch.tensor([1.0, 0.0, 3.0]))
        inside.a.copy_(torch.tensor([1.0, 0.01, 3.0]))
    place, query = torch.arange(30), torch.zeros(1, 3, 30, 1)
    biases = [position.bias(0, query, place, place) for position in (outside, inside)]
    assert biases[0] is not None
    assert torch.equal(biases[0], biases[1])
    torch.autograd.backward(biases[0].sum())
    for parameter in outside.parameters():
        assert parameter.grad is not None
        assert parameter.grad.all()


@pytest.mark.parametrize("name", ["kerple-log", "kerple-power"])
def test_kerple_weights_are_drawn_uniformly(name: str) -> None:
    position = make(name, num_heads=2000)
    assert isinstance(position, KerplePosition)
    position.draw(torch.Generator().manual_seed(0))
    for weights, most in (position.p, 2.0), (position.a, 1.0):
        ranks = (weights.detach() / most).sort().values
        torch.testing.assert_close(ranks, torch.linspace(0, 1, 2000), rtol=0, atol=0.05)


@pytest.mark.parametrize("name", ["t5", "alibi", "kerple-log", "kerple-power"])
def test_all_layers_share_a_bias(name: str) -> None:
    position, place, query = make(name), torch.arange(9), torch.zeros(1, 3, 9, 1)
    first, second = (position.bias(layer, query, place, place) for layer in (0, 1))
    assert first is not None
    assert second is not None
    assert torch.equal(first, second)


counts = st.integers(1, 20)
places = st.builds(lambda first, count: [*range(first, first + count)], st.integers(0, 40), counts)


@pytest.mark.parametrize("name", ["t5", "alibi", "kerple-log", "kerple-power"])
@given(asking=places, asked=places, causal=st.booleans())
@settings(max_examples=30)
def test_diagonals_are_what_single_places_give(
    name: str, asking: list[int], asked: list[int], causal: bool
) -> None:
    """Values along diagonals are those of each pair, and so are the gradients."""
    position = make(name, causal=causal)
    assert isinstance(position, DistanceBias)
    with torch.no_grad():
        for parameter in position.parameters():
            parameter.copy_(0.5 + torch.arange(parameter.numel()).view_as(parameter) / 100)
    query_positions, key_positions = torch.tensor(asking), torch.tensor(asked)
    query = torch.zeros(1, 3, len(asking), 1)
    found = position.bias(0, query, query_positions, key_positions)
    expected = position.of_delta(query_positions[:, None] - key_positions, 0)[None]
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0.0)  # powers round as they stand
    if not expected.requires_grad:
        return
    weights = torch.arange(1.0, expected.numel() + 1).view_as(expected) / expected.numel()
    gradients = [
        torch.autograd.grad((bias * weights).sum(), list(position.parameters()))
        for bias in (found, expected)
    ]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)
