"""Left alignment of right-aligned batches, for networks that read from the left.

Axes:
    word  words of a batch
    time  positions of a row
"""

import torch

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
