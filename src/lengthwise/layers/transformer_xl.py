"""The relative positions of Transformer-XL: a key for each distance.

Axes:
    word   words of a batch
    head   attention heads
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query or key of a head
    delta  differences of positions
    width  numbers in a vector
"""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.layers.encodings import sinusoids
from lengthwise.layers.position import (
    KeyPositions,
    Position,
    PositionShape,
    Queries,
    QueryPositions,
)


class TransformerXlPosition(Position):
    r"""Logits with a key for each distance (Dai et al., 2019, section 3.3).

    $$((q_i + u) \cdot k_j + (q_i + v) \cdot W R_{i-j}) / \sqrt{size}$$

    R are the vectors of `SinusoidalPosition`, of the width of the model; differences are negative
    where an encoder looks ahead. All layers share u and v, and each has a W of its own, as in the
    authors' code. u and v are drawn from N(0, 0.02^2), as there; W like other matrices.
    """

    acts_in_attention = True
    bias_is_product = True

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        heads = (shape.num_heads, 1, shape.head_width)
        self.u = nn.Parameter(torch.zeros(heads))
        self.v = nn.Parameter(torch.zeros(heads))
        inner = shape.num_heads * shape.head_width
        self.w = nn.ParameterList(torch.zeros(inner, shape.width) for _ in range(shape.num_layers))

    def draw(self, generator: torch.Generator) -> None:
        """Draw u and v from N(0, 0.02^2), and W by Xavier's uniform rule."""
        with torch.no_grad():
            self.u.normal_(0.0, 0.02, generator=generator)
            self.v.normal_(0.0, 0.02, generator=generator)
            for matrix in self.w:
                nn.init.xavier_uniform_(matrix, generator=generator)

    def turn_query(self, layer: int, query: Queries, positions: QueryPositions) -> Queries:
        """Return q + u."""
        return query + self.u

    def bias(
        self,
        layer: int,
        query: Queries,
        query_positions: QueryPositions,
        key_positions: KeyPositions,
    ) -> Float[Tensor, "word head query key"]:
        """Return (q + v) . W R / sqrt(size), computed once for each difference that occurs."""
        count = len(query_positions) + len(key_positions) - 1
        greatest = query_positions[-1] - key_positions[0]
        steps = greatest - torch.arange(count, device=greatest.device)
        waves = sinusoids(steps, len(self.like)).to(self.like.dtype)
        heads, size = query.shape[1], query.shape[3]
        keys = (waves @ self.w[layer].T).view(count, heads, size)
        products = ((query + self.v) / math.sqrt(size) @ keys.permute(1, 2, 0)).contiguous()
        if not products.requires_grad:
            return _shift(products)
        return _Shifted.apply(products)  # type: ignore[no-untyped-call]


def _shift(products: Tensor) -> Tensor:
    """Return a view, word by head by query by key, of numbers of all differences.

    Query i has its own from rows - 1 - i on, so rows of the view are one number closer than those
    of `products`, which is a tensor of its own: its storage begins with it.
    """
    words, heads, rows, count = products.shape
    shape, strides = (words, heads, rows, count - rows + 1), (*products.stride()[:2], count - 1, 1)
    return products.as_strided(shape, strides, storage_offset=rows - 1)


class _Shifted(torch.autograd.Function):
    """`_shift`, whose gradient goes back in one pass: that of `as_strided` takes three."""

    @staticmethod
    def forward(ctx: Any, found: Tensor) -> Tensor:
        """Return the view."""
        ctx.shape = found.shape
        return _shift(found)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """Return the gradient of each number: that of the place where it is seen, if it is."""
        gradient = grad.new_zeros(ctx.shape)
        _shift(gradient).copy_(grad)
        return gradient
