"""Log-length attention in models of transformers, against GPT-2 and Llama written out by hand."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import (
    AutoModelForCausalLM,
    BloomConfig,
    Gemma2Config,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    PreTrainedConfig,
    PreTrainedModel,
)

from lengthwise.errors import ConfigError
from lengthwise.text.layers.log_length_hf import (
    NAME,
    REFUSED,
    log_length_attention,
    register_log_length,
)

VOCABULARY, WIDTH, LAYERS, HEADS, GROUPS, WINDOW = 13, 16, 2, 4, 2, 3
PLACES = 7
NO_TOKENS: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
LLAMA: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": 24,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "max_position_embeddings": 32,
    **NO_TOKENS,
}
CONFIGS: dict[str, Callable[[], PreTrainedConfig]] = {
    "gpt2": lambda: GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=32,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        **NO_TOKENS,
    ),
    "llama": lambda: LlamaConfig(**LLAMA),
    "mistral": lambda: MistralConfig(sliding_window=WINDOW, **LLAMA),
}
TOLERANCE = {"gpt2": 1e-10, "llama": 1e-5, "mistral": 1e-5}
"""GPT-2 is compared in float64; Llama's norms are in float32 whatever the model is."""

MASKS = {
    "no padding": [[1] * PLACES, [1] * PLACES],
    "left": [[0, 0, 0, 1, 1, 1, 1], [1] * PLACES],
    "right": [[1, 1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0, 0]],
}


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model with large random weights that was saved without and loaded with the attention."""
    register_log_length()
    torch.manual_seed(0)
    made = AutoModelForCausalLM.from_config(CONFIGS[request.param]())
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.4 * torch.randn_like(weight))
    folder = tmp_path_factory.mktemp(request.param)
    made.save_pretrained(folder)
    dtype = torch.float64 if request.param == "gpt2" else torch.float32
    return AutoModelForCausalLM.from_pretrained(folder, attn_implementation=NAME, dtype=dtype)


def tokens_of(num_words: int = 2, num_positions: int = PLACES, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCABULARY, (num_words, num_positions), generator=generator)


# The models by hand. `seen[word][query]` lists the keys that a query sees.

Seen = list[list[list[int]]]


def list_seen(mask: list[list[int]], window: int | None, text: list[int] | None = None) -> Seen:
    return [
        [
            [
                key
                for key in range(query + 1)
                if row[key]
                and (window is None or query - key < window)
                and (text is None or text[key] == text[query])
            ]
            for query in range(len(row))
        ]
        for row in mask
    ]


def gather(query: Tensor, key: Tensor, value: Tensor, seen: Seen) -> Tensor:
    """Equation 2, one query of one head at a time; nothing where nothing is seen."""
    words, heads, places, size = query.shape
    found = query.new_zeros(words, heads, places, value.shape[3])
    per_group = heads // key.shape[1]
    for w in range(words):
        for h in range(heads):
            for i in range(places):
                if keys := seen[w][i]:
                    logits = key[w, h // per_group, keys] @ query[w, h, i] / math.sqrt(size)
                    weights = (math.log(len(keys)) * logits).softmax(dim=0)
                    found[w, h, i] = weights @ value[w, h // per_group, keys]
    return found


def heads_of(x: Tensor, count: int) -> Tensor:
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)


def gpt2_by_hand(state: dict[str, Tensor], tokens: Tensor, place: Tensor, seen: Seen) -> Tensor:
    def norm(x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, (WIDTH,), state[f"{name}.weight"], state[f"{name}.bias"])

    def linear(x: Tensor, name: str) -> Tensor:
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    x = state["transformer.wte.weight"][tokens] + state["transformer.wpe.weight"][place]
    for layer in range(LAYERS):
        at = f"transformer.h.{layer}"
        parts = linear(norm(x, f"{at}.ln_1"), f"{at}.attn.c_attn").chunk(3, dim=2)
        query, key, value = (heads_of(part, HEADS) for part in parts)
        found = gather(query, key, value, seen).transpose(1, 2).flatten(2)
        x = x + linear(found, f"{at}.attn.c_proj")
        hidden = linear(norm(x, f"{at}.ln_2"), f"{at}.mlp.c_fc")
        x = x + linear(F.gelu(hidden, approximate="tanh"), f"{at}.mlp.c_proj")
    return norm(x, "transformer.ln_f") @ state["transformer.wte.weight"].T


def llama_by_hand(state: dict[str, Tensor], tokens: Tensor, place: Tensor, seen: Seen) -> Tensor:
    def norm(x: Tensor, name: str) -> Tensor:
        return x / (x.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt() * state[f"{name}.weight"]

    def linear(x: Tensor, name: str) -> Tensor:
        return x @ state[f"{name}.weight"].T

    def turn(x: Tensor) -> Tensor:
        """Pairs (i, i + half) turn by place * 10000^(-i / half)."""
        half = x.shape[3] // 2
        speed = 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half)
        angle = (place[..., None] * speed)[:, None]
        a, b = x[..., :half], x[..., half:]
        return torch.cat(
            [a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=3
        )

    x = state["model.embed_tokens.weight"][tokens]
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        h = norm(x, f"{at}.input_layernorm")
        query, key, value = (
            heads_of(linear(h, f"{at}.self_attn.{name}_proj"), HEADS if name == "q" else GROUPS)
            for name in "qkv"
        )
        found = gather(turn(query), turn(key), value, seen).transpose(1, 2).flatten(2)
        x = x + linear(found, f"{at}.self_attn.o_proj")
        h = norm(x, f"{at}.post_attention_layernorm")
        gate = F.silu(linear(h, f"{at}.mlp.gate_proj"))
        x = x + linear(gate * linear(h, f"{at}.mlp.up_proj"), f"{at}.mlp.down_proj")
    return linear(norm(x, "model.norm"), "lm_head")


def by_hand(
    model: PreTrainedModel,
    tokens: Tensor,
    mask: list[list[int]],
    *,
    place: Tensor | None = None,
    text: list[int] | None = None,
) -> Tensor:
    state = {name: weight.double() for name, weight in model.state_dict().items()}
    kind = model.config.model_type
    place = torch.arange(tokens.shape[1]).expand(tokens.shape) if place is None else place
    seen = list_seen(mask, WINDOW if kind == "mistral" else None, text)
    return (gpt2_by_hand if kind == "gpt2" else llama_by_hand)(state, tokens, place, seen)


def assert_same(model: PreTrainedModel, found: Tensor, expected: Tensor) -> None:
    tolerance = TOLERANCE[model.config.model_type]
    size = expected.abs().max().item()
    torch.testing.assert_close(found.double() / size, expected / size, rtol=0, atol=tolerance)


@pytest.mark.parametrize("padding", MASKS)
@torch.no_grad()
def test_logits_are_those_of_the_formula_at_every_place_that_is_there(
    model: PreTrainedModel, padding: str
) -> None:
    tokens, mask = tokens_of(), torch.tensor(MASKS[padding])
    found = model(tokens, attention_mask=mask).logits
    expected = by_hand(model, tokens, MASKS[padding])
    assert found.isfinite().all()
    assert_same(model, found[mask.bool()], expected[mask.bool()])


@torch.no_grad()
def test_without_a_mask_every_place_before_is_seen(model: PreTrainedModel) -> None:
    tokens = tokens_of()
    assert_same(model, model(tokens).logits, by_hand(model, tokens, MASKS["no padding"]))


@torch.no_grad()
def test_the_logits_are_not_those_of_usual_attention(model: PreTrainedModel) -> None:
    tokens = tokens_of()
    scaled = model(tokens).logits
    model.set_attn_implementation("sdpa")
    usual = model(tokens).logits
    model.set_attn_implementation(NAME)
    assert (scaled - usual).abs().max() > 0.05 * scaled.abs().max()
    assert torch.equal(scaled, model(tokens).logits)


@torch.no_grad()
def test_texts_of_a_packed_row_count_their_own_keys(model: PreTrainedModel) -> None:
    tokens = tokens_of(1)
    place = torch.tensor([[0, 1, 2, 0, 1, 2, 3]])
    found = model(tokens, position_ids=place, use_cache=False).logits
    expected = by_hand(model, tokens, [[1] * PLACES], place=place, text=[0, 0, 0, 1, 1, 1, 1])
    assert_same(model, found, expected)


@pytest.mark.parametrize("padding", ["no padding", "left"])
@pytest.mark.parametrize("parts", [[1] * PLACES, [3, 3, 1], [1, 6]])
@torch.no_grad()
def test_with_a_cache_the_keys_of_the_cache_are_counted(
    model: PreTrainedModel, parts: list[int], padding: str
) -> None:
    tokens, mask = tokens_of(), torch.tensor(MASKS[padding])
    cache, logits, end = None, [], 0
    for part in torch.split(tokens, parts, dim=1):
        end += part.shape[1]
        found = model(part, attention_mask=mask[:, :end], past_key_values=cache, use_cache=True)
        cache = found.past_key_values
        logits.append(found.logits)
    expected = by_hand(model, tokens, MASKS[padding])
    assert_same(model, torch.cat(logits, dim=1)[mask.bool()], expected[mask.bool()])


@pytest.mark.parametrize("implementation", [None, "static"])
def test_generated_texts_are_those_of_the_formula(model: Any, implementation: str | None) -> None:
    tokens, mask = tokens_of(seed=2), MASKS["left"]
    found = model.generate(
        tokens,
        attention_mask=torch.tensor(mask),
        max_new_tokens=5,
        do_sample=False,
        cache_implementation=implementation,
    )
    place = (torch.tensor(mask).cumsum(1) - 1).clamp(min=0)
    for _ in range(5):
        new = by_hand(model, tokens, mask, place=place)[:, -1].argmax(dim=1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
        mask = [[*row, 1] for row in mask]
        place = torch.cat([place, place[:, -1:] + 1], dim=1)
    assert torch.equal(found, tokens)


def test_gradients_are_those_of_the_formula(model: Any) -> None:
    tokens = tokens_of()
    torch.autograd.backward(model(tokens).logits[:, -1].logsumexp(dim=1).sum())
    name = "transformer.wte" if model.config.model_type == "gpt2" else "model.embed_tokens"
    found = model.get_input_embeddings().weight.grad
    state = {k: w.detach().double().requires_grad_() for k, w in model.state_dict().items()}
    if model.config.model_type == "gpt2":
        state["lm_head.weight"] = state["transformer.wte.weight"]  # one weight
    seen = list_seen(MASKS["no padding"], WINDOW if model.config.model_type == "mistral" else None)
    by_name = gpt2_by_hand if model.config.model_type == "gpt2" else llama_by_hand
    logits = by_name(state, tokens, torch.arange(PLACES).expand(tokens.shape), seen)
    torch.autograd.backward(logits[:, -1].logsumexp(dim=1).sum())
    model.zero_grad()
    expected = state[f"{name}.weight"].grad
    assert found is not None
    assert expected is not None
    assert_same(model, found, expected)


# The function alone.


@st.composite
def questions(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    words, groups, per_group, queries, keys = (draw(st.integers(1, 3)) for _ in range(5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    seen = torch.rand(words, 1, queries, keys, generator=generator) < 0.6
    seen[..., 0] |= ~seen.any(dim=-1)
    query = normal(words, groups * per_group, queries, 4)
    return query, normal(words, groups, keys, 4), normal(words, groups, keys, 5), seen


class Grouped(nn.Module):
    """What a model passes of itself."""

    def __init__(self, num_key_value_groups: int) -> None:
        super().__init__()
        self.num_key_value_groups = num_key_value_groups


def ask(query: Tensor, key: Tensor, *rest: Any, **options: Any) -> Tensor:
    module = Grouped(query.shape[1] // key.shape[1])
    return log_length_attention(module, query, key, *rest, **options)[0].transpose(1, 2)


@given(question=questions())
def test_any_mask_is_counted(question: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    query, key, value, seen = question
    lists = [[row.nonzero()[:, 0].tolist() for row in word[0]] for word in seen]
    expected = gather(query, key, value, lists)
    torch.testing.assert_close(ask(*question), expected, rtol=0, atol=1e-12)
    additive = torch.zeros_like(seen, dtype=torch.float64).masked_fill(
        ~seen, torch.finfo(torch.float64).min
    )
    assert torch.equal(ask(query, key, value, additive), ask(*question))


@given(question=questions())
def test_a_bias_of_positions_is_multiplied_too(
    question: tuple[Tensor, Tensor, Tensor, Tensor],
) -> None:
    query, key, value, seen = question
    bias = torch.randn(1, query.shape[1], *seen.shape[2:], dtype=query.dtype)
    found = ask(*question, position_bias=bias)
    per_group = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(per_group, dim=1) for x in (key, value))
    logits = (query @ key.transpose(2, 3) / 2 + bias) * seen.sum(-1, keepdim=True).double().log()
    expected = logits.masked_fill(~seen, -math.inf).softmax(dim=-1) @ value
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_without_a_mask_all_keys_count_unless_attention_is_causal() -> None:
    query = torch.randn(1, 1, 3, 4, dtype=torch.float64)
    key, value = torch.randn(2, 1, 1, 3, 4, dtype=torch.float64)
    full = gather(query, key, value, [[[0, 1, 2]] * 3])
    causal = gather(query, key, value, [[[0], [0, 1], [0, 1, 2]]])
    torch.testing.assert_close(ask(query, key, value, None, is_causal=False), full)
    torch.testing.assert_close(ask(query, key, value, None, is_causal=True), causal)
    torch.testing.assert_close(ask(query, key, value, None), causal)
    torch.testing.assert_close(ask(query[:, :, 2:], key, value, None), full[:, :, 2:])


@pytest.mark.parametrize("name", REFUSED)
def test_what_changes_the_logits_or_the_keys_is_refused(name: str) -> None:
    query = torch.zeros(1, 1, 2, 4)
    with pytest.raises(ConfigError, match=f"has no {name}, which this Grouped needs"):
        ask(query, query, query, None, **{name: torch.ones(1)})
    assert ask(query, query, query, None, **{name: None}).shape == query.shape


def test_a_mask_with_other_numbers_is_refused() -> None:
    query = torch.zeros(1, 1, 2, 4)
    with pytest.raises(ConfigError, match="between 0 and the least"):
        ask(query, query, query, torch.tensor([[[[0.0, -1.0], [0.0, 0.0]]]]))


def test_a_model_that_caps_its_logits_is_refused() -> None:
    register_log_length()
    config = Gemma2Config(head_dim=4, **LLAMA)
    model = AutoModelForCausalLM.from_config(config, attn_implementation=NAME)
    with pytest.raises(ConfigError, match="has no softcap, which this Gemma2Attention needs"):
        model(tokens_of())


def test_a_model_with_an_attention_of_its_own_is_refused(tmp_path: Path) -> None:
    register_log_length()
    config = BloomConfig(vocab_size=VOCABULARY, hidden_size=WIDTH, n_layer=1, n_head=2, **NO_TOKENS)
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation=NAME)
    with pytest.raises(ConfigError, match="a bloom has an attention of its own"):
        model(tokens_of())
