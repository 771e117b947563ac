"""Attention against its definition, written as loops over words, heads and places."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.layers import attention
from lengthwise.layers.attention import SCALES, Attention, LearnedLogScale
from position_formulas import ACTING, Pair
from position_makers import make as make_position

FACTORS: dict[str, Callable[[Attention, int, int], float]] = {
    "standard": lambda attention, head, n: 1.0,
    "log-length": lambda attention, head, n: math.log(n),
    "log-length-32": lambda attention, head, n: math.log(n, 32),
    "learned-log": lambda attention, head, n: learn(attention)[head] * math.log(n),
}


def learn(attention: Attention) -> list[float]:
    assert isinstance(attention.scale, LearnedLogScale)
    return attention.scale.factor.tolist()


def make(seed: int = 0, *, width: int = 5, **values: Any) -> Attention:
    """Random weights and biases in float64."""
    attention = Attention(width, **{"num_heads": 2, "head_width": 3, **values}).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.normal_(generator=generator)
    return attention


def draw(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator)


def draw_seen(words: int, queries: int, keys: int, seed: int = 0) -> Tensor:
    """Who sees whom, at random; everybody sees one place at least."""
    generator = torch.Generator().manual_seed(seed)
    seen = torch.rand(words, queries, keys, generator=generator) < 0.6
    somebody = torch.randint(keys, (words, queries, 1), generator=generator)
    return seen.scatter(2, somebody, True)


def by_definition(
    attention: Attention, scale: str, queries: Tensor, keys: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    """What is gathered and the weights, one query at a time."""
    size, value_size = attention.head_width, attention.value_width
    words, num_queries, num_keys = len(queries), queries.shape[1], keys.shape[1]
    weights = torch.zeros(words, attention.num_heads, num_queries, num_keys, dtype=torch.float64)
    gathered = torch.zeros_like(queries)
    for word in range(words):
        for query in range(num_queries):
            places = [key for key in range(num_keys) if seen[word, query, key]]
            found = []
            for head in range(attention.num_heads):
                part = slice(head * size, (head + 1) * size)
                asked = attention.query(queries[word, query])[part]
                logits = [
                    FACTORS[scale](attention, head, len(places))
                    * float(asked @ attention.key(keys[word, place])[part])
                    / math.sqrt(size)
                    for place in places
                ]
                total = math.fsum(math.exp(logit) for logit in logits)
                answer = torch.zeros(value_size, dtype=torch.float64)
                value_part = slice(head * value_size, (head + 1) * value_size)
                for place, logit in zip(places, logits, strict=True):
                    weight = math.exp(logit) / total
                    weights[word, head, query, place] = weight
                    answer += weight * attention.value(keys[word, place])[value_part]
                found.append(answer)
            gathered[word, query] = attention.output(torch.cat(found))
    return gathered, weights


shapes = st.fixed_dictionaries(
    {
        "num_heads": st.integers(1, 3),
        "head_width": st.integers(1, 4),
        "value_width": st.integers(0, 4),
        "scale": st.sampled_from(sorted(SCALES)),
    }
)


@given(
    shape=shapes,
    words=st.integers(1, 2),
    queries=st.integers(1, 3),
    keys=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_attention_is_its_definition(
    shape: dict[str, Any], words: int, queries: int, keys: int, seed: int
) -> None:
    attention = make(seed, **shape)
    asking, answering = draw(words, queries, 5, seed=seed), draw(words, keys, 5, seed=seed + 1)
    seen = draw_seen(words, queries, keys, seed)

    with torch.no_grad():
        gathered, weights = by_definition(attention, shape["scale"], asking, answering, seen)
        for training in (True, False):
            attention.train(training)
            torch.testing.assert_close(attention(asking, answering, seen), gathered)
        torch.testing.assert_close(attention.weights(asking, answering, seen), weights)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("scale", sorted(SCALES))
def test_its_gradient_is_that_of_a_softmax(scale: str, training: bool) -> None:
    attention = make(scale=scale).train(training)
    asking, answering = draw(3, 4, 5).requires_grad_(), draw(3, 6, 5, seed=1).requires_grad_()
    seen = draw_seen(3, 4, 6)
    query, key, value = (
        part(x).view(3, -1, attention.num_heads, attention.head_width).transpose(1, 2)
        for part, x in (
            (attention.query, asking),
            (attention.key, answering),
            (attention.value, answering),
        )
    )
    factor = attention.scale(seen.sum(dim=-1))[..., None]
    logits = factor * (query @ key.transpose(2, 3)) / math.sqrt(attention.head_width)
    shares = logits.masked_fill(~seen[:, None], -math.inf).softmax(dim=-1)
    expected = attention.output((shares @ value).transpose(1, 2).flatten(2))
    inputs = [asking, answering, *attention.parameters()]
    slopes = torch.autograd.grad(expected.sin().sum(), inputs)
    found = torch.autograd.grad(attention(asking, answering, seen).sin().sum(), inputs)
    for one, other in zip(found, slopes, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


def test_every_scale_is_compared() -> None:
    assert set(SCALES) == set(FACTORS)


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_weights_add_up_to_one_and_are_zero_where_nothing_is_seen(scale: str) -> None:
    seen = draw_seen(3, 7, 9)
    weights = make(scale=scale).weights(draw(3, 7, 5), draw(3, 9, 5, seed=1), seen)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, 2, 7, dtype=torch.float64))
    assert not weights.masked_select(~seen[:, None].expand_as(weights)).any()
    assert weights.masked_select(seen[:, None].expand_as(weights)).all()


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_a_word_does_not_see_the_others(scale: str) -> None:
    attention = make(scale=scale)
    asking, answering, seen = draw(4, 3, 5), draw(4, 6, 5, seed=1), draw_seen(4, 3, 6)
    together = attention(asking, answering, seen)
    for word in range(4):
        one = slice(word, word + 1)
        alone = attention(asking[one], answering[one], seen[one])
        torch.testing.assert_close(together[one], alone, rtol=1e-12, atol=1e-12)


def test_one_mask_does_for_all_words_and_queries() -> None:
    attention = make()
    asking, answering, seen = draw(4, 3, 5), draw(4, 6, 5, seed=1), draw_seen(1, 1, 6)
    gathered = attention(asking, answering, seen)
    torch.testing.assert_close(gathered, attention(asking, answering, seen.expand(4, 3, 6)))


@pytest.mark.parametrize("at_once", [10**9, 1])
@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("name", [None, *sorted(ACTING)])
def test_without_a_mask_all_is_seen(
    name: str | None, scale: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lengthwise.layers.attention._WEIGHTS_AT_ONCE", at_once)
    attention = make(num_heads=3, head_width=4, scale=scale)
    here = None
    if name is not None:
        position = make_position(name, width=5, num_heads=3, head_width=4).double()
        here = position.in_layer(0, torch.arange(3), torch.arange(6))
    asking, answering = draw(4, 3, 5), draw(4, 6, 5, seed=1)
    for mode in (torch.no_grad(), torch.enable_grad()):
        with mode:
            masked = attention(asking, answering, torch.ones(1, 1, 6, dtype=torch.bool), here)
            assert torch.equal(attention(asking, answering, None, here), masked)
    weights = attention.weights(asking, answering, torch.ones(4, 3, 6, dtype=torch.bool), here)
    assert torch.equal(attention.weights(asking, answering, None, here), weights)


def test_places_that_are_not_seen_change_nothing() -> None:
    attention, asking, seen = make(), draw(2, 3, 5), draw_seen(2, 1, 8)
    answering = draw(2, 8, 5, seed=1)
    others = torch.where(seen.transpose(1, 2), answering, 1e6)
    torch.testing.assert_close(
        attention(asking, answering, seen), attention(asking, others, seen), rtol=0, atol=0
    )


@pytest.mark.parametrize("training", [True, False])
def test_logits_that_overflow_where_nothing_is_seen_change_nothing(training: bool) -> None:
    attention = Attention(1, num_heads=1, head_width=1).half().train(training)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.fill_(float(parameter.ndim == 2))
    keys = torch.tensor([[[1.0], [300.0]]], dtype=torch.float16)
    asking = torch.full((1, 1, 1), 300.0, dtype=torch.float16)
    seen = torch.tensor([[[True, False]]])
    assert attention(asking, keys, seen).tolist() == [[[1.0]]]
    assert attention.weights(asking, keys, seen).tolist() == [[[[1.0, 0.0]]]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("length", [1, 3, 10, 49, 1000])
def test_uniform_attention_is_the_exact_mean(length: int, scale: str, dtype: torch.dtype) -> None:
    """k ones among n places give k / n to the last digit, not n roundings of 1 / n."""
    attention = Attention(1, num_heads=1, head_width=1, scale=scale).to(dtype).eval()
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.zero_()
        attention.value.weight.fill_(1.0)
        attention.output.weight.fill_(1.0)
    seen = torch.ones(1, 1, length, dtype=torch.bool)
    for ones in {0, 1, length // 3, length // 2, length - 1, length}:
        values = torch.zeros(1, length, 1, dtype=dtype)
        values[0, :ones] = 1
        mean = attention(values[:, :1], values, seen)
        assert mean.item() == (torch.tensor(ones, dtype=dtype) / length).item()


def test_logits_past_the_largest_float_do_no_harm() -> None:
    """exp(1000) is infinite, but only differences of logits count."""
    attention = Attention(1, num_heads=1, head_width=1).double()
    with torch.no_grad():
        for layer in (attention.query, attention.key, attention.value, attention.output):
            nn.init.ones_(layer.weight)
            nn.init.zeros_(layer.bias)
    keys = torch.tensor([[[1000.0], [999.0]]], dtype=torch.float64)
    one = torch.ones(1, 1, 1, dtype=torch.float64)
    weights = attention.weights(one, keys, torch.ones(1, 1, 2, dtype=torch.bool))
    torch.testing.assert_close(weights[0, 0, 0, 0].item(), 1 / (1 + math.exp(-1)))


def test_alike_queries_are_recognised() -> None:
    """They may have a bias, with which attention is not uniform but the same for all."""
    attention = make()
    seen, answering = draw_seen(2, 1, 6), draw(2, 6, 5, seed=1)
    assert not attention.queries_are_alike
    assert not torch.allclose(*attention(draw(2, 2, 5), answering, seen).unbind(1))
    with torch.no_grad():
        attention.query.weight.zero_()
    assert attention.queries_are_alike
    torch.testing.assert_close(*attention(draw(2, 2, 5), answering, seen).unbind(1))


@pytest.mark.parametrize("name", ["value", "output"])
def test_idle_attention_is_recognised(name: str) -> None:
    attention = make()
    seen, asking = draw_seen(2, 3, 6), draw(2, 3, 5)
    assert not attention.is_idle
    assert not torch.allclose(
        attention(asking, draw(2, 6, 5, seed=1), seen), attention(asking, draw(2, 6, 5), seen)
    )
    with torch.no_grad():
        getattr(attention, name).weight.zero_()
    assert attention.is_idle
    torch.testing.assert_close(
        attention(asking, draw(2, 6, 5, seed=1), seen), attention(asking, draw(2, 6, 5), seen)
    )


@pytest.mark.parametrize("name", ["query", "key"])
def test_attention_that_ignores_places_still_gathers(name: str) -> None:
    """Uniform attention is not idle."""
    attention = make()
    with torch.no_grad():
        getattr(attention, name).weight.zero_()
    assert not attention.is_idle


def test_a_learned_factor_starts_at_one_and_is_of_each_head() -> None:
    attention, other = Attention(5, 2, 3, "learned-log"), Attention(5, 2, 3, "log-length")
    assert learn(attention) == [1.0, 1.0]
    other.load_state_dict(attention.state_dict(), strict=False)
    x, seen = draw(2, 6, 5).float(), draw_seen(2, 6, 6)
    assert torch.equal(attention(x, x, seen), other(x, x, seen))
    attention(x, x, seen).sin().sum().backward()
    assert isinstance(attention.scale, LearnedLogScale)
    assert attention.scale.factor.grad is not None
    assert attention.scale.factor.grad.all()


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("name", sorted(ACTING))
def test_the_scale_multiplies_logits_with_all_that_a_position_does(name: str, scale: str) -> None:
    attention = make(scale=scale)
    position = make_position(name, width=5, num_heads=2, head_width=3).double()
    asking, answering, seen = draw(2, 3, 5), draw(2, 6, 5, seed=1), draw_seen(2, 3, 6)
    places = position.in_layer(1, torch.tensor([4, 5, 6]), torch.arange(6))
    with torch.no_grad():
        weights = attention.weights(asking, answering, seen, places)
        gathered = attention(asking, answering, seen, places)
        q = attention.query(asking).view(2, 3, 2, 3).tolist()
        k = attention.key(answering).view(2, 6, 2, 3).tolist()
        values = attention.value(answering).view(2, 6, 2, 3)
    for word, query, head in torch.cartesian_prod(*map(torch.arange, (2, 3, 2))).tolist():
        keys = [key for key in range(6) if seen[word, query, key]]
        factor, found = FACTORS[scale](attention, head, len(keys)), []
        for key in keys:
            pair = Pair(
                layer=1,
                head=head,
                q=q[word][query][head],
                k=k[word][key][head],
                i=[4, 5, 6][query],
                j=key,
            )
            found.append(factor * ACTING[name](position, pair))
        powers = [math.exp(logit - max(found)) for logit in found]
        expected = torch.zeros(6, dtype=torch.float64)
        expected[keys] = torch.tensor(powers, dtype=torch.float64) / math.fsum(powers)
        torch.testing.assert_close(weights[word, head, query], expected)
    mixed = torch.einsum("whqk,wkhs->wqhs", weights, values).flatten(2)
    torch.testing.assert_close(gathered, attention.output(mixed))


@pytest.mark.needs_precision("float16")
def test_biases_past_the_largest_float_do_no_harm() -> None:
    """In half precision the bias of ALiBi at 100,000 places is none."""
    attention = make(scale="log-length").half()
    position = make_position("alibi", width=5, num_heads=2, head_width=3).half()
    x, far = draw(1, 2, 5).half(), torch.tensor([10**6, 10**6 + 1])
    places = position.in_layer(0, far, torch.tensor([0, 1]))
    weights = attention.weights(x, x, torch.ones(1, 2, 2, dtype=torch.bool), places)
    assert weights.isfinite().all()
    one = attention.weights(x, x, torch.eye(2, dtype=torch.bool)[None], places)
    assert torch.equal(one, torch.eye(2).half().expand(1, 2, 2, 2))


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown attention scale 'log'"):
        Attention(4, num_heads=1, head_width=4, scale="log")


@pytest.mark.parametrize("at_once", [1, 40, 10**9])
@pytest.mark.parametrize("alike", [False, True])
def test_without_gradients_a_few_words_at_a_time_are_all_of_them(
    at_once: int, alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = Attention(6, 2, 3, "log-length").double()
    generator = torch.Generator().manual_seed(0)
    queries, keys = (torch.randn(5, n, 6, generator=generator).double() for n in (3, 4))
    seen = torch.rand(1 if alike else 5, 3, 4, generator=generator) < 0.6
    seen[:, :, 0] = True
    together = layer(queries, keys, seen).detach()
    monkeypatch.setattr(attention, "_WEIGHTS_AT_ONCE", at_once)
    with torch.no_grad():
        torch.testing.assert_close(layer(queries, keys, seen), together, rtol=0, atol=1e-14)
