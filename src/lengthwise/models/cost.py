"""What does an answer cost? Floating-point operations of one word, counted as they are run."""

import math
import time

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lengthwise.models.decoder import Decoder
from lengthwise.models.encoder_decoder import EncoderDecoder
from lengthwise.models.gpt2 import Body
from lengthwise.models.language_model import LanguageModel
from lengthwise.models.recurrent import Recurrent
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.precision import require_precision

_TIMES = 5
_SIZE, _PRODUCTS = 1024, 1
_SIZE_THERE, _PRODUCTS_THERE = 8192, 10
"""On an accelerator, where a small product is over before the next has been asked for."""


@torch.no_grad()
def matmul_rate(device: torch.device, dtype: torch.dtype) -> float:
    """Floating-point operations a second of a large matrix product: the best of five.

    What a device reaches where nothing else is in the way, so that a share of it says how much is.

    Raises:
        ConfigError: the device cannot compute in that precision.
    """
    name = str(dtype).removeprefix("torch.")
    require_precision(name, device, what=f"the rate of products in {name}", instead="Use float32.")
    here = device.type == "cpu"
    size, products = (_SIZE, _PRODUCTS) if here else (_SIZE_THERE, _PRODUCTS_THERE)
    square, best = torch.ones(size, size, device=device, dtype=dtype), math.inf
    for _ in range(_TIMES):
        start = time.perf_counter()
        for _ in range(products):
            found = square @ square
        found[0, 0].item()  # waits until all are done
        best = min(best, time.perf_counter() - start)
    return 2 * products * size**3 / best


def trained_parameters(model: nn.Module) -> int:
    """How many numbers training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@torch.no_grad()
def forward_flops(model: nn.Module, vocab_size: int, length: int, *, seed: int = 0) -> int:
    """Multiplications and additions of the matrix products for one random word, read alone.

    Of a translator, for a source and a translation of that length. Of a RegularGPT every node of
    the tree is counted, though it computes equal sub-words once.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(vocab_size, (1, length), generator=generator)
    if isinstance(model, Recurrent):  # torch's own cells are one operation, which is not counted
        per_symbol = sum(p.numel() for p in model.cell.parameters() if p.ndim == 2)
        return 2 * (length * per_symbol + model.answer.weight.numel())
    counter = FlopCounterMode(display=False)
    with counter, sdpa_kernel(SDPBackend.MATH):  # fused attention on a processor is not counted
        if isinstance(model, RegularGPT):
            model(tokens, share=False)
        elif isinstance(model, Decoder | Body | LanguageModel):
            model(tokens)
        elif isinstance(model, EncoderDecoder):
            model(tokens, tokens)
        else:
            model(tokens, torch.tensor([length]))
    return int(counter.get_total_flops())
