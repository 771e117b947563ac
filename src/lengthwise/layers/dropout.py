"""Dropout by a given generator: each number is left out with the same probability.

torch's own dropout draws from a generator that all share; here a run's own one decides, so that a
run that was interrupted continues as if it had not been. On a processor, where torch draws numbers
one by one, it draws 16 bits for each, four of them at once; so masks of a hundred thousand numbers
and more take a third of the time.
"""

from collections.abc import Callable

import torch
from torch import Tensor

Drop = Callable[[Tensor], Tensor]
"""A function that is applied to the output of a branch."""

_LOTS, _AT_ONCE = 2**16, 4
"""The number of values of 16 bits, and of such values that one number of 64 bits holds."""


def keep_all(x: Tensor) -> Tensor:
    """Leave nothing out: outside training, and where no dropout is wanted."""
    return x


def dropout(share: float, generator: torch.Generator | None) -> Drop:
    """Return the dropout: numbers become 0 with probability p, or grow by 1/(1 - p).

    p is `share`, rounded to a multiple of 2^-16, so the mean stays what it was.
    """
    if share == 0:
        return keep_all
    left_out = min(round(share * _LOTS), _LOTS - 1)

    def drop(x: Tensor) -> Tensor:
        return x * mask(x, left_out, generator)  # one product each way: the mask is scaled

    return drop


def mask(x: Tensor, left_out: int, generator: torch.Generator | None) -> Tensor:
    """Return 0 or 1/(1 - p) for each number of `x`, where p is `left_out` of 2^16 lots."""
    if x.device.type != "cpu":  # not all accelerators draw 64 bits, and they gain nothing
        scaled = torch.empty_like(x).bernoulli_(1 - left_out / _LOTS, generator=generator)
        return scaled.div_(1 - left_out / _LOTS)
    words_of_bits = torch.empty(-(-x.numel() // _AT_ONCE), dtype=torch.int64, device=x.device)
    words_of_bits.random_(torch.iinfo(torch.int64).min, None, generator=generator)
    lots = words_of_bits.view(torch.int16)[: x.numel()].view(x.shape)
    scaled = torch.ge(lots, left_out - _LOTS // 2, out=torch.empty_like(lots, dtype=x.dtype))
    return scaled.mul_(1 / (1 - left_out / _LOTS))
