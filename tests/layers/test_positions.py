"""Positions: one contract for all, whichever of its hooks they use."""

import math

import pytest
import torch

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers.positions import POSITIONS
from position_formulas import ACTING, Pair
from position_makers import (
    HEADS,
    LAYERS,
    LONGEST,
    WIDTH,
    draw_heads,
    logits,
    make,
    whole,
)
from precisions import usable

LIMITED = ["learned", "randomised-learned"]
UNLIMITED = sorted(set(POSITIONS) - set(LIMITED))
ADDED = sorted(set(POSITIONS) - set(ACTING))


@pytest.fixture(params=sorted(POSITIONS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


FORMATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def test_vectors_have_the_width_and_precision_of_the_module(name: str) -> None:
    for dtype in usable(FORMATS):
        vectors = make(name).to(dtype)(*whole(9))
        assert (vectors.shape, vectors.dtype) == ((1, 9, WIDTH), dtype)
        assert vectors.isfinite().all(), dtype


def test_any_width_will_do(name: str) -> None:
    for width in (1, 2, 3, 5):
        assert make(name, width=width)(*whole(4)).shape == (1, 4, width)


def test_words_of_several_lengths_are_as_alone(name: str) -> None:
    position = make(name)
    count = torch.tensor([[3], [7], [1]])
    together = position(torch.arange(7).expand(3, 7), count)
    for row, length in enumerate(count.flatten().tolist()):
        alone = position(*whole(length))
        torch.testing.assert_close(together[row, :length], alone[0], rtol=0, atol=0)


@pytest.mark.needs_precision("float16")
def test_less_precision_only_rounds(name: str) -> None:
    """Nothing is computed in the precision of the module, such as i / n or a large angle."""
    count = LONGEST if name in LIMITED else 5000
    exact, single = make(name).double(), make(name)
    half = make(name).half()
    vectors = exact(*whole(count))
    torch.testing.assert_close(single(*whole(count)), vectors.float(), rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(half(*whole(count)), vectors.half(), rtol=1e-3, atol=1e-3)


def test_a_module_made_precise_again_is_exact_again() -> None:
    there = make("sinusoidal").half().double()
    assert torch.equal(there(*whole(5000)), make("sinusoidal").double()(*whole(5000)))


@pytest.mark.parametrize("name", UNLIMITED)
def test_words_far_longer_than_told_will_do(name: str) -> None:
    vectors = make(name).double()(*whole(100_000))
    assert vectors.isfinite().all()
    weights = make(name).parameters()
    drawn = sum(float(each.detach().abs().max()) for each in weights)
    assert vectors.abs().max() <= (100_000 if name == "fraction-early" else max(drawn, 1.0))


@pytest.mark.parametrize("name", LIMITED)
def test_learned_vectors_end_where_they_were_told_to(name: str) -> None:
    position = make(name)
    assert position(*whole(LONGEST)).shape == (1, LONGEST, WIDTH)
    for place in (position, position.train()):
        with pytest.raises(WordError, match="at most 12 places, but a word needs 13"):
            place(*whole(LONGEST + 1))


# ---- in attention ------------------------------------------------------------------------------


@pytest.fixture(params=[False, True], ids=["encoder", "decoder"])
def causal(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_every_position_that_acts_in_attention_has_a_formula() -> None:
    assert set(ACTING) == {name for name in POSITIONS if POSITIONS[name].acts_in_attention}


@pytest.mark.parametrize("name", ADDED)
def test_what_does_not_act_in_attention_leaves_it_alone(name: str, causal: bool) -> None:
    """So the model may leave out asking it."""
    position, query, key, place = (
        make(name, causal=causal),
        draw_heads(2, 4),
        draw_heads(2, 4),
        whole(4)[0][0],
    )
    assert torch.equal(position.turn_query(1, query, place), query)
    assert torch.equal(position.turn_key(1, key, place), key)
    assert position.bias(1, query, place, place) is None
    assert position.in_layer(1, place, place) is None


@pytest.mark.slow_except(
    "decoder-alibi-1",
    "decoder-alibi-4",
    "decoder-alibi-5",
    "decoder-hops-1",
    "decoder-hops-4",
    "decoder-hops-5",
    "decoder-kerple-power-1",
    "decoder-kerple-power-4",
    "decoder-recency-5",
    "decoder-rope-1",
    "encoder-alibi-1",
    "encoder-alibi-4",
    "encoder-alibi-5",
    "encoder-hops-1",
    "encoder-hops-4",
    "encoder-hops-5",
    "encoder-kerple-log-1",
    "encoder-kerple-log-5",
    "encoder-recency-1",
    "encoder-recency-5",
    "encoder-rope-1",
    "encoder-rope-4",
    "encoder-t5-1",
    "encoder-t5-5",
)
@pytest.mark.parametrize("size", [1, 4, 5])
@pytest.mark.parametrize("name", sorted(ACTING))
def test_logits_are_their_formula(name: str, causal: bool, size: int) -> None:
    """Near and far, with keys after queries too; in every layer and head."""
    position = make(name, head_width=size, causal=causal).double()
    asking = torch.tensor([0, 3, 77, 300])
    asked = torch.tensor([0, 1, 2, 3, 4, 10, 20, 61, 76, 77, 90, 200, 299, 300, 10_000])
    query, key = draw_heads(2, len(asking), size=size), draw_heads(2, len(asked), size=size)
    for layer in range(LAYERS):
        found = logits(position, query, key, asking, asked, layer=layer)
        assert found.shape == (2, HEADS, len(asking), len(asked))
        for word, head, a, b in torch.cartesian_prod(*map(torch.arange, found.shape)).tolist():
            pair = Pair(
                layer=layer,
                head=head,
                q=query[word, head, a].tolist(),
                k=key[word, head, b].tolist(),
                i=int(asking[a]),
                j=int(asked[b]),
            )
            defined = ACTING[name](position, pair)
            assert found[word, head, a, b].item() == pytest.approx(defined, rel=1e-9, abs=1e-9)


def test_places_that_follow_one_another_are_taken_together(name: str, causal: bool) -> None:
    position = make(name, causal=causal).double()
    query, key = draw_heads(2, 6), draw_heads(2, 20)
    asking, asked = torch.arange(70, 76), torch.arange(60, 80)
    found = logits(position, query, key, asking, asked)
    for row in range(6):
        alone = logits(position, query[:, :, row : row + 1], key, asking[row : row + 1], asked)
        torch.testing.assert_close(found[:, :, row : row + 1], alone, rtol=1e-12, atol=1e-12)
    one_by_one = logits(position, query, key[:, :, ::2], asking, asked[::2])
    torch.testing.assert_close(found[..., ::2], one_by_one, rtol=1e-12, atol=1e-12)


def test_hooks_keep_shape_and_precision(name: str, causal: bool) -> None:
    for dtype in usable(FORMATS):
        position = make(name, causal=causal).to(dtype)
        query, key, place = draw_heads(2, 3).to(dtype), draw_heads(2, 7).to(dtype), torch.arange(7)
        turned = position.turn_query(0, query, place[4:]), position.turn_key(0, key, place)
        for before, after in zip((query, key), turned, strict=True):
            assert (after.shape, after.dtype) == (before.shape, dtype)
            assert after.isfinite().all(), dtype
        bias = position.bias(0, query, place[4:], place)
        if bias is not None:
            assert torch.broadcast_to(bias, (2, HEADS, 3, 7)).isfinite().all(), dtype
            assert bias.dtype in (dtype, torch.float32)


@pytest.mark.needs_precision("float16")
@pytest.mark.parametrize("name", sorted(ACTING))
def test_logits_in_less_precision_are_near(name: str, causal: bool) -> None:
    """Angles, distances and powers are not computed in the precision of the module."""
    query, key, asked = draw_heads(1, 1), draw_heads(1, 3000), torch.arange(3000)
    exact = logits(make(name, causal=causal).double(), query, key, asked[-1:], asked)
    single = logits(make(name, causal=causal), query.float(), key.float(), asked[-1:], asked)
    torch.testing.assert_close(single, exact.float(), rtol=1e-5, atol=2e-5)
    half = logits(make(name, causal=causal).half(), query.half(), key.half(), asked[-1:], asked)
    torch.testing.assert_close(half.double(), exact, rtol=1e-2, atol=3e-2)


def test_one_query_is_the_last_row_of_the_full_matrix(name: str, causal: bool) -> None:
    position, query, key = make(name, causal=causal).double(), draw_heads(2, 9), draw_heads(2, 9)
    place = torch.arange(9)
    whole_matrix = logits(position, query, key, place, place, layer=1)
    one = logits(position, query[:, :, 8:], key, place[8:], place, layer=1)
    torch.testing.assert_close(one, whole_matrix[:, :, 8:])


def test_keys_one_by_one_are_the_keys_together(name: str, causal: bool) -> None:
    """What a cache keeps of a key does not depend on the others."""
    position, key, place = make(name, causal=causal).double(), draw_heads(2, 9), torch.arange(9)
    together = position.turn_key(1, key, place)
    alone = [position.turn_key(1, key[:, :, j : j + 1], place[j : j + 1]) for j in range(9)]
    torch.testing.assert_close(together, torch.cat(alone, dim=2), rtol=1e-12, atol=1e-12)


def test_attention_depends_on_distances_only(name: str, causal: bool) -> None:
    position, query, key = make(name, causal=causal).double(), draw_heads(2, 9), draw_heads(2, 9)
    place = torch.arange(9)
    here, there = (logits(position, query, key, at, at, layer=1) for at in (place, place + 1000))
    torch.testing.assert_close(here, there, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(ACTING))
def test_attention_does_depend_on_distances(name: str, causal: bool) -> None:
    position, query, key = make(name, causal=causal).double(), draw_heads(2, 9), draw_heads(2, 9)
    place = torch.arange(9)
    here, further = (
        logits(position, query, key, at, place, layer=1) for at in (place + 9, place + 10)
    )
    changed = ~torch.isclose(here, further)
    assert changed.flatten(2).any(dim=2).all()


@pytest.mark.parametrize("name", sorted(ACTING))
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_attention_runs_at_any_distance(name: str, dtype: torch.dtype) -> None:
    position = make(name).to(dtype)
    query, key = draw_heads(1, 1).to(dtype), draw_heads(1, 1).to(dtype)
    for places in ([0], [100_000]), ([100_000], [0]):
        assert logits(position, query, key, *map(torch.tensor, places)).isfinite().all()


def test_words_do_not_see_each_other(name: str, causal: bool) -> None:
    position, query, key = make(name, causal=causal).double(), draw_heads(3, 4), draw_heads(3, 6)
    asking, asked = torch.arange(4), torch.arange(6)
    together = logits(position, query, key, asking, asked)
    for word in range(3):
        one = slice(word, word + 1)
        torch.testing.assert_close(
            together[one], logits(position, query[one], key[one], asking, asked)
        )


def test_every_weight_gets_a_gradient(name: str, causal: bool) -> None:
    position = make(name, causal=causal).double()
    place, count = whole(LONGEST)
    query, key = draw_heads(1, LONGEST), draw_heads(1, LONGEST)
    found = [
        logits(position, query, key, place[0], place[0], layer=layer) for layer in range(LAYERS)
    ]
    total = torch.stack(found).sin().sum() + position(place, count).sin().sum()
    if total.requires_grad:
        total.backward()
    for parameter in position.parameters():
        assert parameter.grad is not None
        assert parameter.grad.any()


def test_names_of_stored_weights_do_not_change() -> None:
    """Stored folders rely on them."""
    recorded = {
        "learned": ["vectors"],
        "fraction": ["directions"],
        "fraction-early": ["directions"],
        "first": ["directions"],
        "first-early": ["shared", "vectors"],
        "transformer-xl": ["u", "v", "w.0", "w.1"],
        "t5": ["table"],
        "kerple-log": ["a", "p"],
        "kerple-power": ["a", "p"],
        "recency": ["own", "slope"],
        "randomised-learned": ["encoding.vectors"],
    }
    assert {name: sorted(make(name).state_dict()) for name in recorded} == recorded


def test_weights_are_drawn_by_the_generator(name: str) -> None:
    first, second, other = (make(name) for _ in range(3))
    for position, seed in (first, 0), (second, 0), (other, 1):
        position.draw(torch.Generator().manual_seed(seed))
    for one, two, three in zip(*(p.parameters() for p in (first, second, other)), strict=True):
        assert torch.equal(one, two)
        assert not torch.equal(one, three)
        assert one.any()


def test_learned_vectors_are_drawn_with_variance_one_over_width() -> None:
    position = make("learned", width=64, max_positions=900)
    position.draw(torch.Generator().manual_seed(0))
    assert next(position.parameters()).std().item() == pytest.approx(1 / math.sqrt(64), rel=0.02)


def test_an_unknown_position_is_refused() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'learned'"):
        POSITIONS["learnt"]
