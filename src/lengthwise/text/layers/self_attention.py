"""Self-attention of language models: one projection, a rule that mixes values, one output.

    causal    every position gathers from all positions up to itself, as its position says
    dilated   every position gathers from C positions, 0 to C - 1 strides back (`layers.dilated`)

Both are biased projections, as GPT-2's. Without gradients, rows of attention weights are computed a
few at a time, so that memory grows with the length, not with its square.

Axes:
    word      sequences of a batch
    head      attention heads
    position  positions of a sequence, from the left
    query     positions that attend
    key       positions that are attended to
    size      numbers in a query, key or value of a head
    width     numbers in a vector
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.layers.attention import SCALES
from lengthwise.layers.dilated import KERNELS, select_kernel
from lengthwise.layers.fused_attention import fused_attention
from lengthwise.layers.position import Keys, Queries, QueryKeyPositions

_MOST_WEIGHTS = 2**24
"""About how many attention weights are held at once, without gradients."""


class SelfAttention(nn.Module):
    """Base: queries, keys and values of one projection, and an output."""

    def __init__(self, width: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.project = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def heads(self, x: Float[Tensor, "word position width"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values: `[word, head, position, size]` each."""
        parts = self.project(x).chunk(3, dim=2)
        query, key, value = (part.unflatten(2, (self.num_heads, -1)) for part in parts)
        return query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)

    def finish(
        self, gathered: Float[Tensor, "word head position size"]
    ) -> Float[Tensor, "word position width"]:
        """Return the output, from what the heads gathered."""
        return self.output(gathered.transpose(1, 2).flatten(2))


class DilatedAttention(SelfAttention):
    """Attention to C positions with a learned bias r for each head and offset."""

    def __init__(self, width: int, num_heads: int, chunk_size: int) -> None:
        super().__init__(width, num_heads)
        self.bias = nn.Parameter(torch.zeros(num_heads, chunk_size))

    def gather(self, query: Tensor, key: Tensor, value: Tensor, stride: int) -> Tensor:
        """Return what each position gathers, by the fastest kernel."""
        form = select_kernel(query.shape[2], stride, self.bias.shape[1], query.device)
        return KERNELS[form](query, key, value, self.bias.to(query.dtype), stride)


class CausalAttention(SelfAttention):
    """Attention to all positions up to one's own, with a factor of the logits (`SCALES`)."""

    def __init__(self, width: int, num_heads: int, scale: str) -> None:
        super().__init__(width, num_heads)
        self.scale = SCALES[scale](num_heads)

    def gather(
        self, query: Queries, key: Keys, value: Keys, positions: QueryKeyPositions
    ) -> Queries:
        """Return what each query gathers from turned keys; the last query is the last key."""
        rows = query.shape[2]
        if not torch.is_grad_enabled():
            rows = max(1, _MOST_WEIGHTS // (query.shape[0] * query.shape[1] * key.shape[2]))
        parts = [
            self._rows(query[:, :, start : start + rows], key, value, positions, start)
            for start in range(0, query.shape[2], rows)
        ]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)

    def _rows(
        self, query: Tensor, key: Tensor, value: Tensor, positions: QueryKeyPositions, start: int
    ) -> Tensor:
        """Compute some queries, from number `start` on; keys past the last of them are cut."""
        count, size = query.shape[2], query.shape[3]
        asking = positions.query[start : start + count]
        last = len(positions.key) - (len(positions.query) - start - count)
        at_positions = QueryKeyPositions(
            position=positions.position,
            layer=positions.layer,
            query=asking,
            key=positions.key[:last],
        )
        seen = at_positions.key <= at_positions.query[:, None]
        factor = self.scale(seen.sum(dim=1)[None])[..., None]
        scaled = at_positions.turn_query(query) * (factor / math.sqrt(size)).to(query.dtype)
        bias = at_positions.bias(query)
        precise = torch.promote_types(query.dtype, torch.float32)
        mask = torch.zeros_like(seen, dtype=precise).masked_fill(~seen, -math.inf)
        if bias is not None:
            mask = (bias * factor.to(bias.dtype)).to(precise) + mask
        return fused_attention(scaled, key[:, :, :last], value[:, :, :last], mask)
