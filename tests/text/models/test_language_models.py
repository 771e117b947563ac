"""Are language models causal, and do all ways to read a text give the same?"""

from typing import Any, Literal

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from lengthwise.errors import ConfigError, WordError
from lengthwise.layers import dilated
from lengthwise.layers.positions import POSITIONS
from lengthwise.text.models.gpt_lm import GPTLM, GPTLMConfig
from lengthwise.text.models.language_model import LanguageModel
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig

CAUSAL = [name for name in POSITIONS if name != "one-hot" and not name.startswith("randomised")]


def regular(seed: int = 0, **settings_: Any) -> RegularGPTLM:
    config = {"chunk": 3, "thickness": 2, "d_model": 8, "num_heads": 2, **settings_}
    model = RegularGPTLM(RegularGPTLMConfig(vocab_size=5, **config)).double().eval()
    return drawn(model, seed)


def gpt(
    position: str = "alibi",
    seed: int = 0,
    scale: str = "standard",
    norm: Literal["pre", "post"] = "pre",
) -> GPTLM:
    shape = {"vocab_size": 5, "d_model": 8, "num_heads": 2, "num_layers": 2, "max_length": 64}
    config = GPTLMConfig.from_dict({**shape, "position": position, "scale": scale, "norm": norm})
    return drawn(GPTLM(config).double().eval(), seed)


def drawn(model: Any, seed: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():  # so far from 0 that everything matters
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def tokens(words: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(5, (words, length), generator=torch.Generator().manual_seed(seed))


models = st.one_of(
    st.builds(
        regular,
        seed=st.integers(0, 5),
        chunk=st.integers(2, 7),
        thickness=st.integers(1, 3),
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


@pytest.mark.parametrize("form", ["masked", "shifted", "banded", "fused"])
@torch.no_grad()
def test_no_form_of_attention_changes_the_answer(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, words = regular(), tokens(2, 29)
    expected = model(words)
    monkeypatch.setattr("lengthwise.text.layers.self_attention.select_kernel", lambda *_: form)
    assert torch.allclose(model(words), expected, rtol=0, atol=1e-10)


@torch.no_grad()
def test_rows_computed_a_few_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for position in CAUSAL:
        model, words = gpt(position), tokens(2, 29)
        expected = model(words)
        with monkeypatch.context() as patch:
            patch.setattr("lengthwise.text.layers.self_attention._MOST_WEIGHTS", 4 * 29 * 5)
            assert torch.allclose(model(words), expected, rtol=0, atol=1e-10), position


@torch.no_grad()
def test_a_text_as_long_as_the_levels_reach_depends_on_its_first_token() -> None:
    model, words = regular(chunk=3, thickness=1), tokens(1, 27)
    other = words.clone()
    other[0, 0] = (other[0, 0] + 1) % 5
    assert not torch.equal(model.last(words), model.last(other))
    fixed = regular(chunk=3, thickness=1, levels=2)
    assert torch.equal(fixed.last(words), fixed.last(other))


def test_depth_grows_with_the_text_unless_it_is_fixed() -> None:
    assert [regular().levels(length) for length in (1, 3, 4, 9, 10, 28)] == [1, 1, 2, 2, 3, 4]
    assert regular(levels=2).levels(1000) == 2


def test_read_out_and_embedding_are_one_and_biases_start_at_zero() -> None:
    model = RegularGPTLM(RegularGPTLMConfig(vocab_size=5, d_model=8, num_heads=2))
    model.initialise(torch.Generator().manual_seed(0))
    assert not [name for name, _ in model.named_parameters() if "answer" in name]
    for name, parameter in model.named_parameters():
        assert (name.endswith(("bias", "norm.weight"))) == (parameter.std() == 0), name


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_norms_stand_before_the_branches_or_after_them(norm: str) -> None:
    model, words = regular(chunk=7, thickness=1, norm=norm), tokens(2, 7)
    [(layer, attention)] = model.block()

    def attend(x: Tensor) -> Tensor:
        return attention.finish(attention.gather(*attention.heads(x), 1))

    def feed(x: Tensor) -> Tensor:
        return layer.contract(F.gelu(layer.expand(x)))

    x = model.embedding(words)
    for placement, branch in ((layer.attention_norm, attend), (layer.feed_forward_norm, feed)):
        normalised = placement.get_submodule("norm")
        x = x + branch(normalised(x)) if norm == "pre" else normalised(x + branch(x))
    x = model.final_norm(x) if norm == "pre" else x
    assert torch.allclose(model(words), x @ model.embedding.weight.mT, rtol=0, atol=1e-10)


def test_greedy_completion_is_the_likeliest_token_again_and_again() -> None:
    for model in (regular(), gpt("t5")):
        words = tokens(3, 4)
        for _ in range(20):
            words = torch.cat([words, model(words)[:, -1:].argmax(dim=2)], dim=1)
        assert torch.equal(model.complete(tokens(3, 4), 20), words)


def test_drawn_tokens_follow_the_shares_of_the_model() -> None:
    model = regular()
    prefix = tokens(1, 6)
    drawn_ = model.complete(
        prefix.expand(20_000, -1), 1, temperature=1.5, generator=torch.Generator().manual_seed(0)
    )[:, -1]
    shares = (model.last(prefix)[0] / 1.5).softmax(dim=0)
    found = torch.bincount(drawn_, minlength=5) / len(drawn_)
    assert (found - shares).abs().max() < 0.02


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ConfigError, match="num_heads"):
        RegularGPTLMConfig(vocab_size=5, d_model=8, num_heads=3)
    with pytest.raises(ConfigError, match="chunk"):
        RegularGPTLMConfig(vocab_size=5, chunk=1)
    with pytest.raises(ConfigError, match="position"):
        GPTLMConfig(vocab_size=5, position="alib")
    with pytest.raises(ConfigError, match="is drawn in training"):
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


def test_at_fixed_depth_the_levels_of_one_length_read_any_text() -> None:
    model = regular()  # chunks of 3: 3 levels for 20 places
    fixed = model.at_fixed_depth(20)
    text = tokens(2, 40)
    same = regular(levels=3)  # drawn otherwise, as it is deeper
    same.load_state_dict(model.state_dict())
    assert torch.equal(fixed.last(text), same.last(text))
    assert torch.equal(fixed.last(text[:, :20]), model.last(text[:, :20]))
    assert not torch.equal(fixed.last(text), model.last(text))
    assert model.config.levels == 0
    assert fixed.embedding.weight is model.embedding.weight
