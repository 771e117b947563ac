"""Small language models, and tokens for them."""

from typing import Any

import torch

from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig


def regular(seed: int = 0, **settings_: Any) -> RegularGPTLM:
    config = {"chunk_size": 3, "num_layers": 2, "d_model": 8, "num_heads": 2, **settings_}
    model = RegularGPTLM(RegularGPTLMConfig(vocab_size=5, **config)).double().eval()
    return draw(model, seed)


def draw(model: Any, seed: int) -> Any:
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():  # so far from 0 that everything matters
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def tokens(words: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(5, (words, length), generator=torch.Generator().manual_seed(seed))
