"""Dropout by a given generator: each number is left out with the same probability.

torch's own dropout draws from a generator that all share; here a run's own one decides, so that a
run that was interrupted goes on as if it had not been.
"""

from collections.abc import Callable

import torch
from torch import Tensor

Drop = Callable[[Tensor], Tensor]
"""A function that is applied to the output of a branch."""


def keep_all(x: Tensor) -> Tensor:
    """Leave nothing out: outside training, and where no dropout is wanted."""
    return x


def dropout(share: float, generator: torch.Generator | None) -> Drop:
    """Return the dropout: numbers become 0 with probability `share`, or grow by 1/(1 - share)."""
    if share == 0:
        return keep_all

    def drop(x: Tensor) -> Tensor:
        kept = torch.empty_like(x).bernoulli_(1 - share, generator=generator)
        return x * kept.div_(1 - share)  # one product each way, so not x * kept / (1 - share)

    return drop
