"""Small networks that strain bounds: tiny, huge and cancelling weights, far means, subnormals."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import torch

from lengthwise.models.rational_gpt import RationalGPT
from lengthwise.models.rational_gpt_config import RationalGPTConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.models.threads import processor_threads
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Floats

SYMBOLS = 3
SCALES = (1e-41, 1e-38, 1e-20, 1e-8, 1e-3, 1e3, 1e8, 1e15)


RATIONAL = {"attention": "relu", "norm": "none", "activation": "relu", "memory": "binary"}
"""Settings of networks without norms and softmax."""


def settings_drawn(random: np.random.Generator) -> dict[str, Any]:
    """Settings of one of the smallest networks."""
    width = int(random.integers(2, 5))
    return {
        "vocab_size": SYMBOLS,
        "num_classes": 2,
        "chunk_size": int(random.integers(2, 4)),
        "num_layers": int(random.integers(1, 3)),
        "d_model": width,
        "num_heads": 2 if width % 2 == 0 and random.random() < 0.5 else 1,
        "ff_factor": int(random.integers(1, 3)),
        "norm": str(random.choice(["post", "pre", "none"])),
        "activation": str(random.choice(["relu", "gelu"])),
        "pad": str(random.choice(["learned", "absent"])),
        "memory": str(random.choice(["binary", "continuous"])),
        "num_bits": 3,
        "embedding_scale": [None, 1.0, 0.1, 1e-39][int(random.choice(4, p=[0.7, 0.1, 0.1, 0.1]))],
    }


def hostile(
    random: np.random.Generator, settings: dict[str, Any], hostility: float, dtype: torch.dtype
) -> RegularGPT:
    """A network of which a share of the weights, about `hostility`, is of unusual size."""
    if "attention" in settings:
        model: RegularGPT = RationalGPT(RationalGPTConfig(**settings)).to(dtype)
    else:
        model = RegularGPT(RegularGPTConfig(**settings)).to(dtype)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = random.normal(size=tuple(parameter.shape))
            if name.endswith("norm.weight"):
                values = 1 + 0.3 * values
            if random.random() < hostility:
                values = values * random.choice(SCALES)
            if random.random() < hostility:  # single numbers
                odd = random.random(values.shape) < 0.3
                values = np.where(odd, values * random.choice(SCALES), values)
            if random.random() < hostility:  # a mean far from 0
                values = values + random.choice([10.0, 1e3, 1e6, -1e8])
            if random.random() < hostility and values.ndim == 2 and values.shape[1] > 1:
                values[:, 0] = -values[:, 1]
            if random.random() < hostility / 2:
                values = np.where(random.random(values.shape) < 0.5, 0.0, values)
            parameter.copy_(torch.from_numpy(values))
    return model.eval()


def chunks(random: np.random.Generator, chunk_size: int, below: int, count: int) -> Integers:
    """Chunks with pads, if any, first."""
    children = random.integers(below, size=(count, chunk_size))
    used = random.integers(chunk_size + 1, size=count)
    return np.where(np.arange(chunk_size) < chunk_size - used[:, None], -1, children)


@contextmanager
def flushing(on: bool) -> Iterator[bool]:
    """Let torch take subnormal numbers as 0, or not; False if this processor has no such mode."""
    can = torch.set_flush_denormal(on)
    try:
        yield can
    finally:
        torch.set_flush_denormal(False)


@torch.no_grad()
def ran(
    model: RegularGPT,
    below: torch.Tensor | None,
    children: Integers,
    ways: tuple[tuple[int, int], ...] = ((1, 99), (1, 1), (2, 3)),
) -> list[Floats]:
    """What the network gathers from chunks of vectors; a way is so many threads, and a batch size.

    In each way once with subnormal numbers, and once without.
    """
    rows = torch.from_numpy(children)
    found = []
    for flush, (threads, size) in product((False, True), ways):
        with flushing(flush), processor_threads(threads):
            under = model.leaf(torch.arange(SYMBOLS)) if below is None else below
            parts = [model.gather(under, part) for part in torch.split(rows, size)]
            found.append(torch.cat(parts).double().numpy())
    return found
