r"""Sliding-dilated attention for every position, which attends to C positions.

With stride s = C^l and positions that do not exist left out (Chi et al. 2023, equation 1):

    out_t = sum_j a_tj v_(t - j s)
    a_t   = softmax over j < C of (q_t . k_(t - j s) / sqrt(D) + r_j)

One computation in four forms that agree. Live offsets are those that reach any position: j s < T.

    masked   a dense T x T matrix: O(T^2) work and memory; the definition, for comparison
    shifted  one shifted copy for each live offset: O(T C) work and memory, no matrix products
    banded   positions with the same rest modulo s side by side, where the window is a band; in
    blocks
             of C positions, each with itself and the block before: O(T C), by matrix products
    fused    the same blocks through torch's fused attention, which keeps no weights; it takes no
             learned bias, so r becomes C more numbers in each query and key of a head

Why `attend_fused` is exact: number the positions of one rest 0, 1, 2, ... A key at n has a one in
the
(n mod C)-th of its further numbers, a query at m has r_((m - c) mod C) in its c-th. Where m - n is
in 0..C-1 their product is r_(m - n), and all other pairs are masked. QED

Axes:
    word      sequences of a batch
    head      attention heads
    position  positions of a sequence, from the left
    size      numbers in a query, key or value of a head
    offset    how many strides back: 0 is the position itself
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from lengthwise.layers.fused_attention import fused_attention
from lengthwise.layers.sliding_dilated import make_dilated_mask
from lengthwise.registry import Catalogue

Heads = Float[Tensor, "word head position size"]
Bias = Float[Tensor, "head offset"]
Kernel = Callable[[Tensor, Tensor, Tensor, Tensor, int], Tensor]


def attend_with_mask(query: Heads, key: Heads, value: Heads, bias: Bias, stride: int) -> Heads:
    """Compute the definition: the softmax of a dense matrix."""
    logits = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    mask = make_dilated_mask(bias, query.shape[2], stride)
    return (logits + mask).softmax(dim=-1) @ value


def attend_by_shifts(query: Heads, key: Heads, value: Heads, bias: Bias, stride: int) -> Heads:
    """Compute a product and a sum for each live offset."""
    length = query.shape[2]
    query = query / math.sqrt(query.shape[3])
    logits = []
    for offset in range(live_offsets(length, stride, bias.shape[1])):
        back = offset * stride
        product = (query[:, :, back:] * key[:, :, : length - back]).sum(dim=3)
        logits.append(F.pad(product + bias[:, offset, None], (back, 0), value=-math.inf))
    weight = torch.stack(logits).softmax(dim=0)[..., None]
    total = weight[0] * value
    for offset in range(1, len(logits)):
        back = offset * stride
        total[:, :, back:] += weight[offset, :, :, back:] * value[:, :, : length - back]
    return total


def attend_in_bands(query: Heads, key: Heads, value: Heads, bias: Bias, stride: int) -> Heads:
    """Compute matrix products of blocks with themselves and the blocks before them."""
    blocks = _Blocks(query.shape[2], stride, bias.shape[1])
    queries = blocks.cut(query / math.sqrt(query.shape[3]))
    keys, values = blocks.with_before(blocks.cut(key)), blocks.with_before(blocks.cut(value))
    offset, seen = blocks.offsets(query.device)
    in_band = bias[:, offset.clamp(0, bias.shape[1] - 1)][:, None, None]
    logits = (queries @ keys.transpose(-1, -2) + in_band).masked_fill(~seen, -math.inf)
    return blocks.join(logits.softmax(dim=-1) @ values)


def attend_fused(query: Heads, key: Heads, value: Heads, bias: Bias, stride: int) -> Heads:
    """Compute torch's fused attention on the blocks, with the bias as further numbers."""
    blocks = _Blocks(query.shape[2], stride, bias.shape[1])
    number = torch.arange(blocks.size, device=query.device)
    rolled = bias[:, (number[:, None] - number) % blocks.size].to(query.dtype)[:, None, None]
    one_hot = torch.eye(blocks.size, dtype=key.dtype, device=key.device)
    queries = _widen(blocks.cut(query / math.sqrt(query.shape[3])), rolled)
    keys = blocks.with_before(_widen(blocks.cut(key), one_hot))
    values = blocks.with_before(blocks.cut(value))
    _, seen = blocks.offsets(query.device)
    parts = [
        _fused_attention(
            queries[:, :, :, at], keys[:, :, :, at], values[:, :, :, at], seen[at.start]
        )
        for at in (slice(0, 1), slice(1, blocks.count))  # the first has nothing before it
        if at.start < blocks.count
    ]
    return blocks.join(torch.cat(parts, dim=3))


KERNELS: Catalogue[Kernel] = Catalogue(
    "form of attention",
    {
        "masked": attend_with_mask,
        "shifted": attend_by_shifts,
        "banded": attend_in_bands,
        "fused": attend_fused,
    },
)

FEWEST_BANDED = 6
"""Live offsets from which matrix products of blocks are faster than shifted copies
(`benchmarks/bench.py` measures both)."""


def select_kernel(length: int, stride: int, chunk_size: int, device: torch.device) -> str:
    """Return the kernel that was measured to be the fastest: a name in `KERNELS`."""
    if live_offsets(length, stride, chunk_size) < FEWEST_BANDED:
        return "shifted"
    return "banded" if device.type == "cpu" else "fused"


def live_offsets(length: int, stride: int, chunk_size: int) -> int:
    """Return the number of offsets that reach a position: offset * stride < length."""
    return max(1, min(chunk_size, -(-length // stride)))


class _Blocks:
    """Positions cut by their rest modulo the stride, then into blocks of the window's size.

    Cut tensors have the axes word, head, rest, block, position in the block, size.
    """

    def __init__(self, length: int, stride: int, chunk_size: int) -> None:
        self.length = length
        self.rests = max(1, min(stride, length))
        of_rest = -(-length // self.rests)
        self.size = max(1, min(chunk_size, of_rest))
        self.count = max(1, -(-of_rest // self.size))
        self._chunk_size = chunk_size

    def cut(self, x: Heads) -> Tensor:
        """Arrange positions in blocks; those past the end are 0, and no earlier one sees them."""
        padded = F.pad(x, (0, 0, 0, self.rests * self.size * self.count - self.length))
        return padded.view(*x.shape[:2], self.count, self.size, self.rests, -1).permute(
            0, 1, 4, 2, 3, 5
        )

    def join(self, x: Tensor) -> Heads:
        """Undo `cut`."""
        return x.permute(0, 1, 3, 4, 2, 5).flatten(2, 4)[:, :, : self.length]

    def with_before(self, x: Tensor) -> Tensor:
        """Put each block behind the one before it, 0 for the first; a single block stays alone."""
        if self.count == 1:
            return x
        before = F.pad(x[:, :, :, :-1], (0, 0, 0, 0, 1, 0))
        return torch.cat([before, x], dim=4)

    def offsets(
        self, device: torch.device
    ) -> tuple[Int[Tensor, "query key"], Bool[Tensor, "block query key"]]:
        """Return how far back each key of a block is, and which are seen, block by block."""
        number = torch.arange(self.size, device=device)
        first = 0 if self.count == 1 else -self.size
        key = torch.arange(first, self.size, device=device)
        offset = number[:, None] - key
        seen = (offset >= 0) & (offset < self._chunk_size)
        exists = (torch.arange(self.count, device=device) > 0)[:, None, None] | (key >= 0)
        return offset, seen & exists


def _widen(x: Tensor, more: Tensor) -> Tensor:
    """Append further numbers to each position of a block, the same in all blocks."""
    return torch.cat([x, more.expand(*x.shape[:-1], more.shape[-1])], dim=-1)


def _fused_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor) -> Tensor:
    """Compute torch's attention, with plain products as logits."""
    words, _, rests, count = query.shape[:4]
    query, key, value = (x.permute(0, 2, 3, 1, 4, 5).flatten(0, 2) for x in (query, key, value))
    attended = fused_attention(query, key, value, seen)
    return attended.view(words, rests, count, *attended.shape[1:]).permute(0, 3, 1, 2, 4, 5)
