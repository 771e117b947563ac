"""Models to certify: some that were trained until they were proved, and some made by hand."""

import fcntl
import os
from typing import Any

import pytest
import torch

import lengthwise as lw
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.problems.base import Run

SMALL: dict[str, Any] = {
    "d_model": 16,
    "num_heads": 2,
    "num_bits": 12,
    "learning_rate": 3e-3,
    "batch_size": 64,
    "validation_words": 64,
    "validate_every": 25,
    "steps": 1500,
}
"""Settings that end with a proof within seconds."""


def train_proved(factory: pytest.TempPathFactory, spec: str) -> Run:
    """A small model that is proved right; trained once for all test processes."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / f"proved-{spec}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait here, and load what was trained
        run = lw.train(spec, out=folder / f"proved-{spec}", device="cpu", **SMALL)
    assert run.metrics[-1]["proved"]
    return run


def last_symbol(chunk_size: int = 2, *, size: float = 1.0, dead_bits: int = 0) -> RegularGPT:
    """A model that tells whether a word ends with symbol 1, by its weights; one bit of memory.

    Vectors are (1, -1) or (-1, 1), those of symbols times `size`. Dead bits are always 0 or above,
    by nothing at all, and nobody reads them.
    """
    config = RegularGPTConfig(
        vocab_size=2,
        num_classes=2,
        chunk_size=chunk_size,
        d_model=2,
        num_heads=1,
        ff_factor=1,
        norm="none",
        memory="binary",
        num_bits=1 + dead_bits,
    )
    model = RegularGPT(config)
    direction = torch.tensor([1.0, -1.0])
    memory: Any = model.memory
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.embedding.weight.copy_(torch.stack([-direction, direction]) * size)
        model.pad.copy_(-direction * size)
        memory.write.weight[0].copy_(direction)
        memory.read.weight[:, 0].copy_(direction)
        memory.norm.weight.fill_(1.0)
        model.answer.weight.copy_(torch.stack([-direction, direction]))
    return model.eval()


ENDS_WITH_1 = parse("regex:(0|1)*1", alphabet="01")


def of_odd_length(alphabet: str = "01") -> Language:
    """A domain."""
    step = len(alphabet)
    return Language(
        alphabet=tuple(alphabet), transitions=((1,) * step, (0,) * step), classes=(0, 1)
    )


def random_model(language: Language, seed: int, **values: Any) -> RegularGPT:
    """A binary model that never learned anything."""
    settings = {"d_model": 8, "num_heads": 2, "num_bits": 4, "memory": "binary"}
    config = RegularGPTConfig(
        **{
            "vocab_size": language.num_symbols,
            "num_classes": language.num_classes,
            **settings,
            **values,
        }
    )
    model = RegularGPT(config)
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def random_rational(seed: int, dtype: torch.dtype = torch.float64, **values: Any) -> RationalGPT:
    """A model in rational arithmetic that never learned anything; roots of widths are whole."""
    shape = {"vocab_size": 2, "num_classes": 3, "d_model": 4, "num_heads": 4, "num_bits": 3}
    model = RationalGPT(RationalGPTConfig.from_dict({**shape, **values}))
    generator = torch.Generator().manual_seed(seed)
    model.initialise(generator)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=generator))
    return model.to(dtype).eval()
