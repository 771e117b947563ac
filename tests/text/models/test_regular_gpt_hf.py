"""RegularGPT in transformers: the same logits, texts and weights as without."""

import copy
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache

from lengthwise.errors import ConfigError, WordError
from lengthwise.text.models.regular_gpt_hf import (
    RegularGPTForCausalLM,
    RegularGPTHfConfig,
    register_regular_gpt,
)
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM
from text.models.small_hf import model as model  # noqa: PLC0414  a fixture
from text.models.small_hf import network, tokens_of


def generate(model: Any, tokens: Tensor, **options: Any) -> Any:
    """transformers types this for a checker that is not ours."""
    return model.generate(tokens, **options)


def test_logits_are_those_of_the_network(model: RegularGPTLM) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    assert torch.equal(found(tokens).logits, model(tokens))
    assert torch.equal(found(tokens, attention_mask=torch.ones(3, 9)).logits, model(tokens))
    torch.testing.assert_close(found(tokens, logits_to_keep=1).logits, model(tokens)[:, -1:])
    assert torch.equal(found(tokens, logits_to_keep=3).logits, model(tokens)[:, -3:])
    places = torch.tensor([4, 0])
    assert torch.equal(found(tokens, logits_to_keep=places).logits, model(tokens)[:, places])


def test_a_copy_does_not_follow_the_network(model: RegularGPTLM) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    before = found(tokens).logits
    model.embedding.weight.data.zero_()
    assert torch.equal(found(tokens).logits, before)


def test_the_loss_is_the_mean_over_labelled_tokens(model: RegularGPTLM) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    labels = tokens.clone()
    labels[0, 3:6] = -100
    shares = model(tokens)[:, :-1].float().log_softmax(dim=2)
    chosen = shares.gather(2, tokens[:, 1:, None])[..., 0][labels[:, 1:] != -100]
    torch.testing.assert_close(found(tokens, labels=labels).loss, -chosen.mean())
    torch.testing.assert_close(
        found(tokens, labels=labels, num_items_in_batch=torch.tensor(7)).loss, -chosen.sum() / 7
    )
    found(tokens, labels=labels).loss.backward()
    (-chosen.mean()).backward()
    for own, expected in zip(found.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(own.grad, expected.grad)


def test_a_tuple_is_given_to_those_who_want_one(model: RegularGPTLM) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    loss, logits = found(tokens, labels=tokens, use_cache=False, return_dict=False)
    assert torch.equal(logits, model(tokens))
    assert torch.equal(loss, found(tokens, labels=tokens).loss)


@pytest.mark.slow_except("(0, 'pre')-True", "(2, 'pre')-False", "(2, 'pre')-True")
@pytest.mark.parametrize("use_cache", [True, False])
def test_generated_texts_are_those_of_complete(model: RegularGPTLM, use_cache: bool) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    texts = generate(found, tokens, max_new_tokens=20, do_sample=False, use_cache=use_cache)
    assert torch.equal(texts, model.complete(tokens, 20))


def test_a_cache_reads_each_token_once(
    model: RegularGPTLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    read = []
    whole = model.embedding.__class__.forward

    def count(self: torch.nn.Embedding, x: Tensor) -> Tensor:
        read.append(x.shape[1])
        return whole(self, x)

    monkeypatch.setattr(torch.nn.Embedding, "forward", count)
    generate(found, tokens, max_new_tokens=6, do_sample=False)
    assert read == [9, 1, 1, 1, 1, 1]


@pytest.mark.slow_except(
    "(0, 'post')-options1",
    "(0, 'post')-options2",
    "(0, 'post')-options3",
    "(2, 'pre')-options1",
    "(2, 'pre')-options2",
    "(2, 'pre')-options3",
)
@pytest.mark.parametrize(
    "options",
    [
        {"num_beams": 3},
        {"num_beams": 2, "num_return_sequences": 2},
        {"do_sample": True, "top_k": 4},
        {"prefill_chunk_size": 4},
    ],
)
def test_other_ways_to_generate_give_the_same_with_a_cache_and_without(
    model: RegularGPTLM, options: dict[str, Any]
) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    texts = []
    for use_cache in (True, False):
        torch.manual_seed(3)
        if not use_cache:
            options.pop("prefill_chunk_size", None)
        chosen = {"do_sample": False, "max_new_tokens": 9, "use_cache": use_cache, **options}
        texts.append(generate(found, tokens, **chosen))
    assert torch.equal(*texts)


def test_a_text_goes_on_from_the_cache_of_its_beginning(model: RegularGPTLM) -> None:
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    options: dict[str, Any] = {"do_sample": False, "return_dict_in_generate": True}
    begun = generate(found, tokens, max_new_tokens=4, **options)
    kept = copy.deepcopy(begun.past_key_values)
    assert kept.get_seq_length() == begun.past_key_values.get_seq_length() == 12
    for cache in (begun.past_key_values, kept):
        ended = generate(
            found, begun.sequences, max_new_tokens=5, past_key_values=cache, do_sample=False
        )
        assert torch.equal(ended, model.complete(tokens, 9))


def test_assisted_texts_are_those_of_complete_with_fixed_levels() -> None:
    model, tokens = network(levels=2), tokens_of(1)
    found, draft = RegularGPTForCausalLM.of(model), RegularGPTForCausalLM.of(network(2, seed=5))
    texts = generate(found, tokens, max_new_tokens=12, do_sample=False, assistant_model=draft)
    assert torch.equal(texts, model.complete(tokens, 12))


def test_a_folder_holds_all_there_is(model: RegularGPTLM, tmp_path: Path) -> None:
    register_regular_gpt()
    register_regular_gpt()
    found, tokens = RegularGPTForCausalLM.of(model), tokens_of()
    found.save_pretrained(tmp_path)
    stored = load_file(tmp_path / "model.safetensors")
    assert {name.removeprefix("network.") for name in stored} == {*model.state_dict()}
    settings = json.loads((tmp_path / "config.json").read_text())
    assert settings["model_type"] == "regular-gpt"
    assert {name: settings[name] for name in model.config.to_dict()} == model.config.to_dict()

    config = AutoConfig.from_pretrained(tmp_path)
    assert isinstance(config, RegularGPTHfConfig)
    assert config.shape() == model.config
    assert (config.hidden_size, config.num_attention_heads) == (8, 2)
    loaders: tuple[Any, ...] = (RegularGPTForCausalLM, AutoModelForCausalLM)
    for loader in loaders:
        again, report = loader.from_pretrained(tmp_path, output_loading_info=True)
        assert isinstance(again, RegularGPTForCausalLM)
        assert not any(report.values())
        assert again.dtype == torch.float64
        assert torch.equal(again(tokens).logits, model(tokens))
        assert again.network.config == model.config


def test_weights_that_are_missing_are_drawn_and_others_are_kept(tmp_path: Path) -> None:
    model = network()
    found = RegularGPTForCausalLM.of(model)
    state = {name: w for name, w in found.state_dict().items() if "layers.1.expand" not in name}
    found.save_pretrained(tmp_path, state_dict=dict(state))  # it is emptied there
    loader: Any = RegularGPTForCausalLM
    again, report = loader.from_pretrained(tmp_path, output_loading_info=True)
    expand = "network.layers.1.expand"
    assert {*report["missing_keys"]} == {f"{expand}.weight", f"{expand}.bias"}
    drawn = again.state_dict()
    assert len(state) == len(drawn) - 2
    assert all(torch.equal(drawn[name], state[name]) for name in state)
    assert (drawn[f"{expand}.bias"] == 0).all()
    assert drawn[f"{expand}.weight"].std().item() == pytest.approx(0.02, rel=0.3)


def test_new_weights_are_drawn_as_those_of_the_network() -> None:
    config = RegularGPTHfConfig(vocab_size=50, d_model=64, num_layers=2, levels=2)
    torch.manual_seed(4)
    state = RegularGPTForCausalLM(config).network.state_dict()
    torch.manual_seed(4)
    again = RegularGPTForCausalLM(config).network.state_dict()
    assert all(torch.equal(state[name], again[name]) for name in state)
    other = RegularGPTForCausalLM(config).network.state_dict()
    assert not torch.equal(state["embedding.weight"], other["embedding.weight"])
    assert state["embedding.weight"].std().item() == pytest.approx(0.02, rel=0.05)
    end = state["layers.1.contract.weight"].std().item()
    assert end == pytest.approx(0.02 / (2 * 4) ** 0.5, rel=0.05)
    assert all((w == 0).all() for name, w in state.items() if name.endswith("bias"))


def test_tokens_can_be_added(tmp_path: Path) -> None:
    model, tokens = network(), tokens_of()
    found = RegularGPTForCausalLM.of(model)
    found.resize_token_embeddings(14, mean_resizing=False)
    # Products of another width, or of weights elsewhere in memory, may add up in another order.
    close = partial(torch.testing.assert_close, rtol=0, atol=1e-13)
    close(found(tokens).logits[..., :11], model(tokens))
    assert found(tokens, labels=tokens).loss.isfinite()
    found.save_pretrained(tmp_path)
    again = RegularGPTForCausalLM.from_pretrained(tmp_path)
    assert again.network.config.vocab_size == found.network.config.vocab_size == 14
    state = again.state_dict()
    assert all(torch.equal(state[name], weight) for name, weight in found.state_dict().items())
    close(again(tokens).logits, found(tokens).logits)


def test_a_step_of_training_lowers_the_loss() -> None:
    found, tokens = RegularGPTForCausalLM.of(network()).train(), tokens_of()
    optimiser = torch.optim.SGD(found.parameters(), lr=0.01)
    before = found(tokens, labels=tokens).loss
    before.backward()
    optimiser.step()
    after = F.cross_entropy(found(tokens).logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    assert after < before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_model": 9}, "d_model=9 cannot be split over num_heads=4"),
        ({"chunk_size": 1}, "chunk_size=1 is too small"),
        ({"num_layers": "2"}, "num_layers='2' must be an integer"),
        ({"levels": -1}, "levels=-1 is too small"),
        ({"hidden_size": 10}, "d_model=10 cannot be split"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        RegularGPTHfConfig(vocab_size=11, **settings)
    stored: dict[str, Any] = {"model_type": "regular-gpt", "vocab_size": 11, **settings}
    (tmp_path / "config.json").write_text(json.dumps(stored))
    with pytest.raises(ConfigError, match=message):
        RegularGPTHfConfig.from_pretrained(tmp_path)


@pytest.mark.parametrize("hidden", [0, 8])
def test_padding_is_refused(hidden: int) -> None:
    found, tokens = RegularGPTForCausalLM.of(network()), tokens_of()
    mask = torch.ones(3, 9, dtype=torch.long)
    mask[1, hidden] = 0
    with pytest.raises(WordError, match="of one length, but attention_mask hides 1 places"):
        found(tokens, attention_mask=mask)
    with pytest.raises(WordError, match="hides 1 places"):
        generate(found, tokens, attention_mask=mask, max_new_tokens=2)
    with pytest.raises(WordError, match=r"a mask of shape \(3, 1, 9, 9\)"):
        found(tokens, attention_mask=torch.zeros(3, 1, 9, 9))


def test_what_is_not_read_is_refused() -> None:
    found, tokens = RegularGPTForCausalLM.of(network()), tokens_of()
    with pytest.raises(ConfigError, match="keeps a TextCache, but got a DynamicCache"):
        found(tokens, past_key_values=DynamicCache())
    for name in ("position_ids", "inputs_embeds", "output_attentions"):
        with pytest.raises(ConfigError, match=f"does not read {name}"):
            found(tokens, **{name: torch.ones(1)})
        assert found(tokens, **{name: None}).logits.shape == (3, 9, 11)


@pytest.mark.slow
def test_the_package_does_not_need_transformers() -> None:
    """In a process of its own, in which transformers is not there."""
    code = """
import importlib, sys
import lengthwise
assert "transformers" not in sys.modules
sys.modules["transformers"] = None
for name in (
    "text.layers.fused_attention_hf",
    "text.layers.log_length_hf",
    "text.models.text_cache_hf",
    "text.models.regular_gpt_hf",
):
    try:
        importlib.import_module("lengthwise." + name)
    except lengthwise.errors.ConfigError as error:
        assert "pip install 'lengthwise[text]'" in str(error), error
    else:
        raise AssertionError(name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
