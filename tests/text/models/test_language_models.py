"""Are language models causal, and do all ways to read a text give the same?"""

from typing import Literal

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers import dilated
from lengthwise.layers.positions import POSITIONS
from lengthwise.text.models.gpt_lm import GPTLM, GPTLMConfig
from lengthwise.text.models.language_model import LanguageModel
from lengthwise.text.models.regular_gpt_lm import RegularGPTLMConfig
from text.models.drawn_texts import draw, regular, tokens

CAUSAL = [name for name in POSITIONS if name != "one-hot" and not name.startswith("randomised")]


def gpt(
    position: str = "alibi",
    seed: int = 0,
    scale: str = "standard",
    norm: Literal["pre", "post"] = "pre",
) -> GPTLM:
    shape = {"vocab_size": 5, "d_model": 8, "num_heads": 2, "num_layers": 2, "max_length": 64}
    config = GPTLMConfig.from_dict({**shape, "position": position, "scale": scale, "norm": norm})
    return draw(GPTLM(config).double().eval(), seed)


models = st.one_of(
    st.builds(
        regular,
        seed=st.integers(0, 5),
        chunk_size=st.integers(2, 7),
        num_layers=st.integers(1, 3),
        levels=st.sampled_from([0, 0, 0, 1, 2, 3]),
        norm=st.sampled_from(["pre", "post"]),
    ),
    st.builds(
        gpt,
        position=st.sampled_from(CAUSAL),
        seed=st.integers(0, 5),
        scale=st.sampled_from(["standard", "log-length", "learned-log"]),
        norm=st.sampled_from(["pre", "post"]),
    ),
)


@given(model=models, length=st.integers(1, 40))
@settings(max_examples=40)
@torch.no_grad()
def test_the_last_place_alone_gives_what_all_places_give(model: LanguageModel, length: int) -> None:
    words = tokens(2, length)
    assert torch.allclose(model.last(words), model(words)[:, -1], rtol=0, atol=1e-10)


@given(model=models, length=st.integers(1, 40), data=st.data())
@settings(max_examples=25)
@torch.no_grad()
def test_a_few_tokens_at_a_time_give_what_the_whole_text_gives(
    model: LanguageModel, length: int, data: st.DataObject
) -> None:
    words, state, start = tokens(2, length), model.new_state(2, length), 0
    while start < length:
        stop = data.draw(st.integers(start + 1, length))
        found = model.read(state(words[:, start:stop]))
        assert torch.allclose(found, model(words[:, :stop])[:, -1], rtol=0, atol=1e-10)
        start = stop


@given(model=models, length=st.integers(2, 30), data=st.data())
@settings(max_examples=40)
@torch.no_grad()
def test_what_comes_later_changes_nothing(
    model: LanguageModel, length: int, data: st.DataObject
) -> None:
    words = tokens(1, length)
    place = data.draw(st.integers(1, length - 1))
    other = words.clone()
    other[:, place:] = (other[:, place:] + 1) % 5
    assert torch.equal(model(words)[:, :place], model(other)[:, :place])


@torch.no_grad()
def test_rows_computed_a_few_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for position in CAUSAL:
        model, words = gpt(position), tokens(2, 29)
        expected = model(words)
        with monkeypatch.context() as patch:
            patch.setattr("lengthwise.text.layers.self_attention._MOST_WEIGHTS", 4 * 29 * 5)
            assert torch.allclose(model(words), expected, rtol=0, atol=1e-10), position


def test_greedy_completion_is_the_likeliest_token_again_and_again() -> None:
    for model in (regular(), gpt("t5")):
        words = tokens(3, 4)
        for _ in range(20):
            words = torch.cat([words, model(words)[:, -1:].argmax(dim=2)], dim=1)
        assert torch.equal(model.complete(tokens(3, 4), 20), words)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match="num_heads"):
        RegularGPTLMConfig(vocab_size=5, d_model=8, num_heads=3)
    with pytest.raises(ConfigError, match="chunk_size"):
        RegularGPTLMConfig(vocab_size=5, chunk_size=1)
    with pytest.raises(ConfigError, match="position"):
        GPTLMConfig(vocab_size=5, position="alib")
    with pytest.raises(ConfigError, match="is drawn at random in training"):
        GPTLMConfig(vocab_size=5, position="randomised-learned")


def test_learned_positions_refuse_longer_texts() -> None:
    with pytest.raises(WordError, match="64"):
        gpt("learned")(tokens(1, 65))


def test_nothing_goes_on_from_nothing() -> None:
    with pytest.raises(WordError, match="at least one token"):
        regular().complete(tokens(1, 0), 3)


def test_the_forms_that_a_model_may_choose_are_all_there() -> None:
    names = {
        dilated.select_kernel(length, stride, chunk, torch.device(device))
        for length in (10, 1000)
        for stride in (1, 8)
        for chunk in (2, 64)
        for device in ("cpu", "cuda")
    }
    assert names <= set(dilated.KERNELS)
