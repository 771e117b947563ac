"""Left alignment of right-aligned batches, for networks that read from the left.

Axes:
    word   words of a batch
    time   positions of a row
    part   positions of a stretch of them
    width  numbers in a vector
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.layers.right_aligned import Lengths, Words, only_words


def align_left(
    tokens: Words, lengths: Lengths | None, num_symbols: int, *, checked: bool
) -> tuple[Words, Lengths]:
    """Return the words at the left of their rows, any symbol past their ends, and their lengths.

    `lengths` may be left out if all words fill their rows. Entries left of a word do not
    matter. `checked` is that of `only_words`.

    Raises:
        WordError: a word has a symbol outside 0..num_symbols-1, or does not fit into its row.
    """
    tokens = only_words(tokens, lengths, num_symbols, elsewhere=0, checked=checked)
    num_words, time = tokens.shape
    if lengths is None:
        lengths = tokens.new_full((num_words,), time)
    index = torch.arange(time, device=tokens.device) + (time - lengths)[:, None]
    return tokens.gather(1, index.clamp(max=max(time - 1, 0))), lengths


def gather_ends(
    stretches: Iterable[Float[Tensor, "word part width"]], ends: Lengths
) -> Float[Tensor, "word width"]:
    """Return the vector of each word at its position `ends`, of vectors a stretch at a time.

    Vectors that follow it do not matter.
    """
    found, start = None, 0
    for vectors in stretches:
        index = ends - start
        here = vectors[
            torch.arange(len(ends), device=ends.device), index.clamp(0, vectors.shape[1] - 1)
        ]
        is_here = ((index >= 0) & (index < vectors.shape[1]))[:, None]
        found = torch.where(is_here, here, here if found is None else found)
        start += vectors.shape[1]
    assert found is not None
    return found
