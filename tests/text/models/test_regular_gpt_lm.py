"""RegularGPT as a language model."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig
from text.models.drawn_texts import regular, tokens


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
def test_a_text_as_long_as_the_levels_reach_depends_on_its_first_token() -> None:
    model, words = regular(chunk_size=3, num_layers=1), tokens(1, 27)
    other = words.clone()
    other[0, 0] = (other[0, 0] + 1) % 5
    assert not torch.equal(model.last(words), model.last(other))
    fixed = regular(chunk_size=3, num_layers=1, levels=2)
    assert torch.equal(fixed.last(words), fixed.last(other))


@torch.no_grad()
@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_inner_layers_see_beyond_the_chunk_as_equation_1_says(num_layers: int) -> None:
    model, words = regular(chunk_size=3, num_layers=num_layers, levels=1), tokens(1, 12)
    for back in range(12):
        other = words.clone()
        other[0, -1 - back] = (other[0, -1 - back] + 1) % 5
        is_seen = not torch.equal(model.last(words), model.last(other))
        assert is_seen == (back < num_layers * (3 - 1) + 1), back


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
    model, words = regular(chunk_size=7, num_layers=1, norm=norm), tokens(2, 7)
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


def test_drawn_tokens_follow_the_shares_of_the_model() -> None:
    model = regular()
    prefix = tokens(1, 6)
    drawn_ = model.complete(
        prefix.expand(20_000, -1), 1, temperature=1.5, generator=torch.Generator().manual_seed(0)
    )[:, -1]
    shares = (model.last(prefix)[0] / 1.5).softmax(dim=0)
    found = torch.bincount(drawn_, minlength=5) / len(drawn_)
    assert (found - shares).abs().max() < 0.02


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
