"""Completions: with a cache and without, in batches, and what a place sees."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.errors import WordError
from lengthwise.layers.attention import SCALES
from lengthwise.layers.positions import POSITIONS
from lengthwise.models import causal
from lengthwise.models.decoder import Decoder
from models.drawn_decoders import LONGEST, VOCABULARY, draw, make, shapes


def complete_without_cache(model: Decoder, words: Tensor, steps: int) -> Tensor:
    for _ in range(steps):
        likeliest = model(words)[:, -1].argmax(dim=-1, keepdim=True)
        words = torch.cat([words, likeliest], dim=1)
    return words


@given(shape=shapes, length=st.integers(2, LONGEST), data=st.data())
def test_a_symbol_changes_nothing_before_it(
    shape: dict[str, Any], length: int, data: st.DataObject
) -> None:
    model = make(**shape)
    place = data.draw(st.integers(0, length - 1))
    words = draw(2, length)
    others = words.clone()
    others[:, place] = (words[:, place] + 1) % VOCABULARY

    before, after = model(words), model(others)

    torch.testing.assert_close(before[:, :place], after[:, :place], rtol=0, atol=0)
    assert not torch.allclose(before[:, place], after[:, place], rtol=1e-6, atol=1e-9)


@given(shape=shapes, given_symbols=st.integers(1, 6), steps=st.integers(0, 6))
def test_completing_with_a_cache_is_completing_without(
    shape: dict[str, Any], given_symbols: int, steps: int
) -> None:
    model = make(**shape)
    prefix = draw(5, given_symbols)

    words = model.complete(prefix, steps)

    assert torch.equal(words, complete_without_cache(model, prefix, steps))


@pytest.mark.slow_except(
    "first-early",
    "fraction",
    "learned",
    "none",
    "one-hot",
    "randomised-learned",
    "randomised-sinusoidal",
    "sinusoidal",
)
@pytest.mark.parametrize("position", sorted(POSITIONS))
def test_a_cache_changes_no_logit(position: str) -> None:
    """Whether a place is computed with all before it, or from what is kept of them."""
    for scale in SCALES:
        model = make(position=position, scale=scale, num_layers=3)
        found: list[Tensor] = []
        hook = model.answer.register_forward_hook(lambda *call, to=found: to.append(call[2]))
        words = model.complete(draw(3, 4), 8)
        hook.remove()
        assert torch.allclose(torch.stack(found, dim=1), model(words[:, :-1])[:, 3:]), scale


def test_a_step_computes_one_place() -> None:
    model = make(num_layers=2)
    computed: list[int] = []
    model.block[1].expand.register_forward_hook(lambda *call: computed.append(call[1][0].shape[1]))
    model.complete(draw(5, 4), 6)
    assert computed == [4, 1, 1, 1, 1, 1]


def test_completions_are_not_all_alike() -> None:
    """What the test above compares does depend on the prefix and on the place."""
    words = make(num_layers=2).complete(draw(40, 4), 8)[:, 4:]
    assert len(torch.unique(words, dim=0)) > 3
    assert any(len(set(word)) > 1 for word in words.tolist())


def test_completions_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(num_layers=2)
    prefix = draw(23, 3)
    whole = model.complete(prefix, 7)
    monkeypatch.setattr(causal, "CACHE_BYTES", 1)
    monkeypatch.setattr(causal, "FEWEST_WORDS", 5)
    assert torch.equal(model.complete(prefix, 7), whole)


@settings(max_examples=10)
@given(shape=shapes)
def test_words_of_a_batch_do_not_see_each_other(shape: dict[str, Any]) -> None:
    model = make(**shape)
    words = draw(4, 7)
    alone = torch.cat([model(word[None]) for word in words])
    torch.testing.assert_close(model(words), alone, rtol=1e-9, atol=1e-12)


def test_a_completion_needs_a_start_and_grows() -> None:
    with pytest.raises(WordError, match="at least one symbol"):
        make().complete(draw(2, 0), 3)
    with pytest.raises(WordError, match="steps=-1"):
        make().complete(draw(2, 3), -1)
