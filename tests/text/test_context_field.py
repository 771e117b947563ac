"""Receptive fields of language models: gradients of single positions, from differences."""

import math

import pytest
import torch
from torch import Tensor

from lengthwise.text.context_field import context_field, context_norms
from lengthwise.text.models.gpt_lm import GPTLM, GPTLMConfig
from lengthwise.text.models.language_model import LanguageModel
from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig


def language_models() -> list[LanguageModel]:
    regular = RegularGPTLM(
        RegularGPTLMConfig(vocab_size=5, d_model=8, num_heads=2, chunk_size=3, num_layers=1)
    )
    gpt = GPTLM(GPTLMConfig(vocab_size=5, d_model=8, num_heads=2, num_layers=1, position="alibi"))
    for model in (regular, gpt):
        model.double().eval().initialise(torch.Generator().manual_seed(0))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(6.0)
    return [regular, gpt]


def test_norms_of_a_language_model_are_those_of_differences() -> None:
    words = torch.randint(5, (1, 11), generator=torch.Generator().manual_seed(1))
    for model in language_models():
        norms = context_norms(model, words)
        for word in range(1):
            for place in range(11):
                slopes = []
                for number in range(8):
                    moved: list[float] = []
                    for step in (1e-6, -1e-6):

                        def nudge(
                            _: torch.nn.Module,
                            __: tuple[Tensor, ...],
                            x: Tensor,
                            at: tuple[int, int] = (place, number),
                            by: float = step,
                        ) -> Tensor:
                            x = x.clone()
                            x[0, at[0], at[1]] += by
                            return x

                        hook = model.embedding.register_forward_hook(nudge)
                        with torch.no_grad():
                            moved.append(model(words[word : word + 1])[0, -1].max().item())
                        hook.remove()
                    slopes.append((moved[0] - moved[1]) / 2e-6)
                assert norms[word, place].item() == pytest.approx(math.hypot(*slopes), rel=1e-5)


def test_the_field_of_a_language_model_ends_where_its_levels_do() -> None:
    config = RegularGPTLMConfig(
        vocab_size=5, d_model=8, num_heads=2, chunk_size=3, num_layers=1, levels=2
    )
    model = RegularGPTLM(config)
    model.initialise(torch.Generator().manual_seed(0))
    found = context_field(model, torch.randint(5, (3, 20), generator=torch.Generator()))
    assert (found["length"], found["words"]) == (20, 3)
    assert found["cumulated"][8] == pytest.approx(1.0, abs=1e-6)
    assert found["cumulated"][7] < 1 - 1e-4
    assert next(model.parameters()).dtype == torch.float32
