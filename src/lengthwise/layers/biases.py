"""Biases on the logits that depend on the distance of query and key alone.

With delta = i - j for a query at i and a key at j. All layers share one bias, as in the code of
the papers; biases that differ between layers are in `layer_biases`. Nothing is looked up by
position, so words may be of any length.

Axes:
    word   words of a batch
    head   attention heads
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query of a head
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.device_copies import send
from lengthwise.layers.position import (
    KeyPositions,
    Position,
    PositionShape,
    Queries,
    QueryPositions,
)

NUM_BUCKETS = 32
MAX_DISTANCE = 128
LEAST = 0.01
"""The least value of KERPLE's weights."""


class DistanceBias(Position):
    """Base of biases b_h(delta), the same for all queries."""

    acts_in_attention = True

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return the bias of each head, in float32 at least."""
        raise NotImplementedError

    def bias(
        self,
        layer: int,
        query: Queries,
        query_positions: QueryPositions,
        key_positions: KeyPositions,
    ) -> Float[Tensor, "1 head query key"]:
        """Return the bias on the logits, one value a diagonal."""
        count = len(query_positions) + len(key_positions) - 1
        falling = (
            query_positions[-1]
            - key_positions[0]
            - torch.arange(count, device=key_positions.device)
        )
        return _diagonals(
            self.of_delta(falling[None], layer)[:, 0], len(query_positions), len(key_positions)
        )


def _diagonals(
    values: Float[Tensor, "head diagonal"], num_queries: int, num_keys: int
) -> Float[Tensor, "1 head query key"]:
    """Return rows of the values, each a step to the left of the one above, from the right end.

    Rows are taken whole, in the order of memory: `flip` would leave them in another one, which is
    slow to add to logits.
    """
    upwards = torch.arange(num_queries - 1, -1, -1, device=values.device)
    return values.unfold(1, num_keys, 1).index_select(1, upwards)[None]


class T5Position(DistanceBias):
    r"""A learned number for each bucket of distances and each head (Raffel et al., 2020).

    $$b_h(\delta) = B_{\mathrm{bucket}(\delta),\,h}$$

    A decoder has 32 buckets for delta >= 0: the distances 0..15 have one each, the others share
    16 + floor(16 log(delta/16) / log(128/16)), at most 31. An encoder has 16 for delta >= 0 and 16
    for delta < 0 in the same manner, with 8 in place of 16. One table serves all layers. T5 does
    not divide q . k by sqrt(size); here it is divided, as with every other position.
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.causal = shape.causal
        self.table = nn.Parameter(torch.zeros(NUM_BUCKETS, shape.num_heads))

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return the numbers of the buckets."""
        bucket = t5_bucket(delta, causal=self.causal)
        return F.embedding(bucket, self.table).permute(2, 0, 1).to(self.precise)


def t5_bucket(delta: Int[Tensor, "*axes"], *, causal: bool) -> Int[Tensor, "*axes"]:
    """Return the bucket of each distance; keys that come later are in bucket 0 if `causal`."""
    num_buckets = NUM_BUCKETS if causal else NUM_BUCKETS // 2
    starts = send(torch.tensor(_bucket_starts(num_buckets)), delta.device)
    distance = delta.clamp(min=0) if causal else delta.abs()
    bucket = torch.bucketize(distance, starts, right=True)
    return bucket if causal else bucket + num_buckets * (delta < 0)


def _bucket_starts(num_buckets: int) -> list[int]:
    """Return the least distance of each bucket but the first, in integers.

    The logarithm of T5's code is rounded; here n is in bucket `exact` + k or later exactly if
    log(n/exact) / log(most/exact) >= k/rest, that is n^rest exact^k >= exact^rest most^k.
    """
    exact = num_buckets // 2
    rest = num_buckets - exact
    starts = list(range(1, exact + 1))
    for k in range(1, rest):
        n = starts[-1]
        while n**rest * exact**k < exact**rest * MAX_DISTANCE**k:
            n += 1
        starts.append(n)
    return starts


class AlibiPosition(DistanceBias):
    r"""Attention with linear biases (Press et al., 2022); nothing is learned.

    $$b_h(\delta) = -m_h |\delta|, \qquad m_h = 2^{-8h/H}, \quad h = 1..H$$

    The paper is causal, where |delta| = delta; in an encoder the bias is symmetric. For H that is
    not a power of two, the authors' code takes other slopes; we follow the formula.
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.num_heads = shape.num_heads

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return minus the slope times the distance."""
        head = torch.arange(1, self.num_heads + 1, dtype=torch.float64, device=delta.device)
        slope = 2.0 ** (-8.0 * head / self.num_heads)
        return -slope.to(self.precise)[:, None, None] * delta.abs()


class KerplePosition(DistanceBias):
    """Base of the kernels of KERPLE (Chi et al., 2022): two positive numbers for each head.

    Like the authors' code, `p` and `a` are drawn from U(0, 2) and U(0, 1), and kept in their range
    where they are used. They are left as they are where they are stored, and get the gradient of
    the number that was used, so that they can come back. All layers share them: the authors make
    one module and hand it to each layer.
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.p = nn.Parameter(torch.ones(shape.num_heads))
        self.a = nn.Parameter(torch.ones(shape.num_heads))

    def draw(self, generator: torch.Generator) -> None:
        """Draw p from U(0, 2) and a from U(0, 1)."""
        with torch.no_grad():
            self.p.uniform_(0.0, 2.0, generator=generator)
            self.a.uniform_(0.0, 1.0, generator=generator)

    def clamp(
        self, weight: Float[Tensor, " head"], most: float | None = None
    ) -> Float[Tensor, "head 1 1"]:
        """Return the number that is used for a weight: at least `LEAST`, and at most `most`."""
        value = weight.detach().clamp(min=LEAST, max=most) + (weight - weight.detach())
        return value.to(self.precise)[:, None, None]


class KerpleLogPosition(KerplePosition):
    r"""The logarithmic kernel of KERPLE (Chi et al., 2022).

    $$b_h(\delta) = -p_h \log(1 + a_h |\delta|), \qquad p_h, a_h \ge 0.01$$
    """

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return minus a logarithm of the distance."""
        return -self.clamp(self.p) * (self.clamp(self.a) * delta.abs()).log1p()


class KerplePowerPosition(KerplePosition):
    r"""The power kernel of KERPLE (Chi et al., 2022).

    $$b_h(\delta) = -a_h |\delta|^{p_h}, \qquad a_h \ge 0.01, \quad 0.01 \le p_h \le 2$$
    """

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return minus a power of the distance."""
        return -self.clamp(self.a) * delta.abs().to(self.precise) ** self.clamp(self.p, most=2.0)
