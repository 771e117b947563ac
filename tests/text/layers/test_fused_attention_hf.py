"""Does a GPT-2 of transformers with our attention answer and learn as with its own?"""

import pytest
import torch
from torch import Tensor
from transformers import GPT2Model
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from layers.half_precision import assert_rounded_once, watch_dtypes
from lengthwise.text.layers.fused_attention_hf import fused_attention_hf
from lengthwise.text.models.gpt2 import gpt2_config

WORDS, HEADS, LENGTH, SIZE, LAYERS = 2, 3, 7, 4, 2
CAUSAL = torch.full((LENGTH, LENGTH), -torch.inf).triu(1)


def network(kind: str | None = None) -> GPT2Model:
    config = gpt2_config(
        vocab_size=5, n_positions=LENGTH, n_embd=HEADS * SIZE, n_layer=LAYERS, n_head=HEADS
    )
    model = GPT2Model(config)
    if kind is not None:
        model.set_attn_implementation(kind)
    with torch.no_grad():
        for number, weights in enumerate(model.parameters()):
            weights.normal_(0.0, 0.3, generator=torch.Generator().manual_seed(number))
    return model


def heads(dtype: torch.dtype) -> list[Tensor]:
    generator, shape = torch.Generator().manual_seed(0), (WORDS, HEADS, LENGTH, SIZE)
    return [
        torch.randn(shape, generator=generator).to(dtype).requires_grad_()
        for _ in ("query", "key", "value")
    ]


@pytest.mark.parametrize("padded", [False, True])
def test_a_network_has_the_answers_of_eager_attention(padded: bool) -> None:
    tokens = torch.randint(5, (WORDS, LENGTH), generator=torch.Generator().manual_seed(1))
    seen = torch.ones_like(tokens)
    seen[0, :3] = 0 if padded else 1
    ours, eager = (
        network(kind)(tokens, attention_mask=seen).last_hidden_state[seen.bool()]
        for kind in (None, "eager")
    )
    torch.testing.assert_close(ours, eager)


@pytest.mark.needs_precision("bfloat16")
def test_a_network_learns_in_single_precision_and_answers_in_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, dtypes = network(), watch_dtypes(monkeypatch)
    assert "fast-precision" not in str(model.config.to_dict())
    tokens = torch.zeros(WORDS, LENGTH, dtype=torch.long)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        model(tokens)
        with torch.no_grad():
            model(tokens)
    assert dtypes == LAYERS * [torch.float32] + LAYERS * [torch.bfloat16]


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.parametrize("mask", [None, CAUSAL, CAUSAL == 0], ids=["none", "numbers", "yes or no"])
def test_gradients_of_half_precision_are_those_of_single_precision(mask: Tensor | None) -> None:
    module, halves = network().get_submodule("h.0.attn"), heads(torch.bfloat16)
    query, key, value = singles = [each.detach().float().requires_grad_() for each in halves]
    exact, _ = sdpa_attention_forward(module, query, key, value, mask)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        coarse, _ = fused_attention_hf(module, halves[0], halves[1], halves[2], mask)
    assert_rounded_once(coarse, halves, exact, singles)


@pytest.mark.needs_precision("bfloat16")
@pytest.mark.parametrize("mask", [None, CAUSAL], ids=["none", "numbers"])
def test_without_gradients_it_is_sdpa_in_half_precision(mask: Tensor | None) -> None:
    module, (query, key, value) = network().get_submodule("h.0.attn"), heads(torch.bfloat16)
    rounded = None if mask is None else mask.bfloat16()
    with torch.no_grad():
        found, weights = fused_attention_hf(module, query, key, value, mask)
        expected, _ = sdpa_attention_forward(module, query, key, value, rounded)
    assert weights is None
    assert torch.equal(found, expected)
