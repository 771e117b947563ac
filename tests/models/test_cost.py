"""Are operations counted as they are computed by hand?"""

import time

import pytest
import torch

from lengthwise.models.cost import forward_flops, matmul_rate
from lengthwise.text.models.gpt_lm import GPTLM, GPTLMConfig
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig

VOCAB, WIDTH = 11, 8
DENSE = 12 * WIDTH**2
"""Weights of a layer: four of attention, and twice four of what is behind it."""


@pytest.mark.parametrize("length", [6, 30])
@pytest.mark.parametrize("position", ["alibi", "t5", "kerple-log"])
def test_attention_is_counted_though_it_is_one_operation(length: int, position: str) -> None:
    config = GPTLMConfig(
        vocab_size=VOCAB,
        d_model=WIDTH,
        num_heads=2,
        num_layers=3,
        position=position,
        max_length=length,
    )
    attention = 2 * length * WIDTH  # of a place, to all places: weights, and sums of values
    expected = 2 * length * (3 * (DENSE + attention) + WIDTH * VOCAB)
    assert forward_flops(GPTLM(config), VOCAB, length) == expected


def test_regular_gpt_pays_for_its_levels_and_little_for_attention() -> None:
    config = RegularGPTLMConfig(
        vocab_size=VOCAB, d_model=WIDTH, num_heads=2, chunk_size=4, num_layers=2
    )
    model, length = RegularGPTLM(config), 60
    dense = 2 * length * (2 * model.levels(length) * DENSE + WIDTH * VOCAB)
    found = forward_flops(model, VOCAB, length)
    assert dense <= found <= dense + 2 * length * 2 * model.levels(length) * 2 * 4 * WIDTH


def test_the_rate_of_a_product_is_of_its_fastest_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of two n by n matrices is n^3 multiplications and as many additions."""
    taken = [0.5, 0.25, 1.0, 0.75, 0.5]
    moments = [moment for i, seconds in enumerate(taken) for moment in (10.0 * i, 10 * i + seconds)]
    monkeypatch.setattr(time, "perf_counter", iter(moments).__next__)
    assert matmul_rate(torch.device("cpu"), torch.float32) == 2 * 1024**3 / 0.25
