"""Cost of an answer: floating-point operations of one word, counted as they are run."""

import math
import time
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lengthwise.precision import require_precision

_TIMES = 5
_SIZE, _PRODUCTS = 1024, 1
_SIZE_THERE, _PRODUCTS_THERE = 8192, 10
"""On an accelerator, where a small product is over before the next has been asked for."""


@runtime_checkable
class KnowsItsCost(Protocol):
    """A network with operations that torch does not count, which counts them by itself."""

    def flops(self, length: int) -> int:
        """Return the operations of the matrix products for one word."""
        ...


@runtime_checkable
class ReadsForCost(Protocol):
    """A network that is not called with a word alone, as others are."""

    def read_for_cost(self, tokens: Tensor) -> Tensor:
        """Compute the answer for one word, in the way whose operations are counted."""
        ...


@torch.no_grad()
def matmul_rate(device: torch.device, dtype: torch.dtype) -> float:
    """Measure the floating-point operations a second of a large matrix product: the best of five.

    What a device reaches where nothing else is in the way, so that a share of it says how much is.

    Raises:
        ConfigError: the device cannot compute in that precision.
    """
    name = str(dtype).removeprefix("torch.")
    require_precision(name, device, what=f"the rate of products in {name}", instead="Use float32.")
    is_cpu = device.type == "cpu"
    size, products = (_SIZE, _PRODUCTS) if is_cpu else (_SIZE_THERE, _PRODUCTS_THERE)
    square, best = torch.ones(size, size, device=device, dtype=dtype), math.inf
    for _ in range(_TIMES):
        start = time.perf_counter()
        for _ in range(products):
            product = square @ square
        product[0, 0].item()  # waits until all are done
        best = min(best, time.perf_counter() - start)
    return 2 * products * size**3 / best


@torch.no_grad()
def forward_flops(model: nn.Module, vocab_size: int, length: int, *, seed: int = 0) -> int:
    """Count the multiplications and additions of the matrix products for one random word.

    Of a translator, for a source and a translation of that length. Of a RegularGPT every node of
    the tree is counted, though it computes equal sub-words once.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(vocab_size, (1, length), generator=generator)
    if isinstance(model, KnowsItsCost):
        return model.flops(length)
    counter = FlopCounterMode(display=False)
    with counter, sdpa_kernel(SDPBackend.MATH):  # fused attention on a processor is not counted
        if isinstance(model, ReadsForCost):
            model.read_for_cost(tokens)
        else:
            model(tokens)
    return int(counter.get_total_flops())
