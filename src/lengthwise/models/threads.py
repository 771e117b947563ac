"""The number of threads of torch, on which the rounding of sums depends."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def processor_threads(number: int) -> Iterator[None]:
    """Let torch use that many threads of the processor, and as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
