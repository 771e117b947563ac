"""Caches of a text: their room, and what is computed from them."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.text.models.regular_gpt_hf import (
    RegularGPTForCausalLM,
)
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM
from lengthwise.text.models.text_cache_hf import TextCache
from text.models.small_hf import model as model  # noqa: PLC0414  a fixture
from text.models.small_hf import network, tokens_of


def test_the_room_of_a_cache_grows_with_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.text.models.text_cache_hf._LEAST_ROOM", 1)
    model, cache, tokens = network(chunk_size=4), TextCache(), tokens_of(3, 20)
    found = RegularGPTForCausalLM.of(model)
    with torch.no_grad():
        for end in range(3, 21):
            part = tokens[:, cache.get_seq_length() : end]
            logits = found(part, past_key_values=cache, logits_to_keep=1).logits[:, -1]
            torch.testing.assert_close(logits, model.last(tokens[:, :end]))


CHANGES = st.one_of(
    st.tuples(st.just("more"), st.integers(1, 4)),
    st.tuples(st.just("cut"), st.integers(0, 3)),
    st.tuples(st.just("order"), st.permutations(range(3))),
    st.tuples(st.just("identity"), st.none()),
    st.tuples(st.just("copies"), st.integers(1, 2)),
)


@given(
    changes=st.lists(CHANGES, min_size=1, max_size=5),
    levels=st.sampled_from([0, 2]),
    keep=st.integers(0, 1),
    gradients=st.booleans(),
)
def test_a_cache_gives_the_logits_of_the_whole_text_whatever_is_done_with_it(
    changes: list[tuple[str, Any]], levels: int, keep: int, gradients: bool
) -> None:
    model = network(levels, num_layers=1)
    found, cache, text = RegularGPTForCausalLM.of(model), TextCache(), tokens_of(3, 4)
    generator = torch.Generator().manual_seed(len(changes))
    with torch.set_grad_enabled(gradients):
        found(text, past_key_values=cache, logits_to_keep=keep)
        for kind, what in changes:
            if kind == "cut" and what < text.shape[1]:
                cache.crop(-what)
                text = text[:, : text.shape[1] - what]
            elif kind == "order":
                order = torch.tensor(what) % len(text)
                cache.reorder_cache(order)
                text = text[order]
            elif kind == "identity":
                cache.reorder_cache(torch.arange(len(text)))
            elif kind == "copies":
                cache.batch_repeat_interleave(what)
                text = text.repeat_interleave(what, dim=0)
            new = what if kind == "more" else 1
            tokens = torch.randint(11, (len(text), new), generator=generator)
            text = torch.cat([text, tokens], dim=1)
            output = found(tokens, past_key_values=cache, logits_to_keep=keep)
            assert output.past_key_values is cache
            assert cache.get_seq_length() == text.shape[1]
            expected = model(text)[:, -(keep or new) :]
            torch.testing.assert_close(output.logits, expected)


def test_gradients_reach_the_places_of_the_cache(model: RegularGPTLM) -> None:
    found, cache, tokens = RegularGPTForCausalLM.of(model), TextCache(), tokens_of()
    for end in (7, 8, 9):
        part = tokens[:, cache.get_seq_length() : end]
        found(part, past_key_values=cache).logits[:, -1].logsumexp(dim=1).sum().backward()
        model(tokens[:, :end])[:, -1].logsumexp(dim=1).sum().backward()
    for own, expected in zip(found.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(own.grad, expected.grad)


def test_an_empty_cache_has_no_text() -> None:
    cache = TextCache()
    assert (cache.get_seq_length(), cache.batch_size, len(cache)) == (0, -1, 1)
    cache.extend(tokens_of())
    assert (cache.get_seq_length(), cache.batch_size, cache.get_max_length()) == (9, 3, -1)
    cache.reset()
    assert cache.get_seq_length() == 0
