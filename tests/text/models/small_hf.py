"""A small network, and the same for transformers."""

from typing import Any

import pytest
import torch
from torch import Tensor

from lengthwise.text.models.regular_gpt_lm import RegularGPTLM, RegularGPTLMConfig

SHAPE = {
    "vocab_size": 11,
    "d_model": 8,
    "num_heads": 2,
    "d_hidden": 12,
    "chunk_size": 2,
    "num_layers": 2,
}


def network(levels: int = 0, seed: int = 0, **shape: Any) -> RegularGPTLM:
    """A network in which every weight matters."""
    config = RegularGPTLMConfig.from_dict({**SHAPE, "levels": levels, **shape})
    model = RegularGPTLM(config).double().eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0.0, 0.5, generator=generator)
    return model


@pytest.fixture(params=[(0, "pre"), (2, "pre"), (0, "post")], ids=str)
def model(request: pytest.FixtureRequest) -> RegularGPTLM:
    levels, norm = request.param
    return network(levels, norm=norm)


def tokens_of(num_words: int = 3, num_positions: int = 9) -> Tensor:
    return torch.randint(11, (num_words, num_positions), generator=torch.Generator().manual_seed(1))
