"""Batches of right-aligned words.

Words are at the right of their rows, and entries left of them do not matter (`PAD`, -1, by
custom). `lengths` may be left out if all words fill their rows.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  positions of words that fill their rows
    class     classes of words
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.errors import WordError

Words = Int[Tensor, "word time"]
"""Right-aligned words."""
FullWords = Int[Tensor, "word position"]
"""Words of one length, which fill their rows."""
Lengths = Int[Tensor, " word"]
ClassLogits = Float[Tensor, "word class"]


def only_words(
    tokens: Words,
    lengths: Lengths | None,
    num_symbols: int,
    *,
    elsewhere: int,
    checked: bool = True,
) -> Words:
    """Return the tokens with `elsewhere` at all positions before a word.

    All words fill their rows if there are no `lengths`. With `checked=False` no value is looked at,
    so that nothing waits for an accelerator and `vmap` can pass.

    Raises:
        WordError: a word has a symbol outside 0..num_symbols-1, or more symbols than its row has
            positions.
    """
    tokens = tokens.long()
    time = tokens.shape[1]
    if lengths is None:
        if checked and tokens.numel():
            _require_symbols(torch.stack(tokens.aminmax()).tolist(), num_symbols)
        return tokens
    before = torch.arange(time, device=tokens.device) < time - lengths[:, None]
    if checked and len(lengths):
        limits = list(lengths.aminmax())
        if tokens.numel():
            limits += tokens.masked_fill(before, 0).aminmax()
        shortest, longest, *symbols = torch.stack(limits).tolist()  # one wait for an accelerator
        if shortest < 0 or longest > time:
            raise WordError(
                f"a word of {shortest if shortest < 0 else longest} symbols does not fit into a "
                f"row of {time} positions. Give lengths of 0..{time}."
            )
        if symbols:
            _require_symbols(symbols, num_symbols)
    return tokens.masked_fill(before, elsewhere)


def longest_of(tokens: Words, lengths: Lengths | None) -> int:
    """Return the greatest length; nothing waits for an accelerator if all words fill their rows."""
    if not len(tokens):
        return 0
    return tokens.shape[1] if lengths is None else int(lengths.max())


def _require_symbols(limits: list[int], num_symbols: int) -> None:
    wrong = [symbol for symbol in limits if not 0 <= symbol < num_symbols]
    if wrong:
        raise WordError(
            f"a word has the symbol {wrong[0]}, which is not in 0..{num_symbols - 1}. Encode "
            f"words with their language, and give the lengths of words that do not fill their rows."
        )


def unusual(logits: Tensor, tokens: Tensor) -> str:
    """Return what hinders the use of a floating-point tensor as logits of words; nothing if it is
    dense, of 16 to 64 bits, and has numbers."""
    known = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    kind = str(logits.dtype).removeprefix("torch.")
    if logits.is_meta and not tokens.is_meta:
        return "on the meta device"
    if logits.layout is not torch.strided:
        return str(logits.layout).removeprefix("torch.")
    return kind if logits.is_floating_point() and logits.dtype not in known else ""
