"""Where do words begin? Batches come right-aligned; those who read from the left align them left.

Axes:
    word    words of a batch
    time    places of a row
"""

import torch
from jaxtyping import Int
from torch import Tensor


def left_aligned(
    tokens: Int[Tensor, "word time"], lengths: Int[Tensor, " word"] | None
) -> tuple[Int[Tensor, "word time"], Int[Tensor, " word"]]:
    """The words at the left of their rows, any symbol past their ends, and their lengths.

    `lengths` may be left out if all words fill their rows.
    """
    num_words, time = tokens.shape
    if lengths is None:
        lengths = tokens.new_full((num_words,), time)
    index = torch.arange(time, device=tokens.device) + (time - lengths)[:, None]
    return tokens.gather(1, index.clamp(max=max(time - 1, 0))).clamp(min=0), lengths
