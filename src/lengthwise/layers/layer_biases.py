"""Biases on the logits that depend on the distance of query and key, and differ by layer.

With delta = i - j for a query at i and a key at j. Compiled networks choose positions by them
(`constructions`); nothing is looked up by position, so words may be of any length.

Axes:
    layer  layers, in order
    head   attention heads
    query  positions that attend
    key    positions that are attended to
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.layers.biases import DistanceBias
from lengthwise.layers.position import PositionShape


class RecencyPosition(DistanceBias):
    r"""A slope for each head of each layer, and a bias on the query's own position.

    $$b_{l,h}(\delta) = -m_{l,h} |\delta| - s_{l,h} [\delta = 0]$$

    It is ALiBi with learned slopes m. A large s hides a position from itself, so that the mask of a
    decoder becomes the strict one, and a large m leaves the nearest of equally good positions.
    Slopes are drawn from U(0, 1), and s from N(0, 0.02^2).
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        heads = (shape.num_layers, shape.num_heads)
        self.slope = nn.Parameter(torch.zeros(heads))
        self.own = nn.Parameter(torch.zeros(heads))

    def draw(self, generator: torch.Generator) -> None:
        """Draw the slopes from U(0, 1), and the biases on the own position from N(0, 0.02^2)."""
        with torch.no_grad():
            self.slope.uniform_(0.0, 1.0, generator=generator)
            self.own.normal_(0.0, 0.02, generator=generator)

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return minus the slope times the distance, less the bias on the own position."""
        slope, own_bias = (
            table[layer].to(self.precise)[:, None, None] for table in (self.slope, self.own)
        )
        # Not a product with own, which may be infinite in a short format.
        return -slope * delta.abs() - torch.where(delta == 0, own_bias, 0.0)


class HopPosition(DistanceBias):
    r"""Layer l sees the position 2^l before the query, and hardly any other.

    $$b_l(\delta) = 0 \text{ if } \delta = 2^l, \quad -2^{14} \text{ otherwise}$$

    The hops of a parallel scan (Hillis and Steele 1986; Liu et al. 2023, theorem 1). A key may
    still win by its content where no position is 2^l back. Nothing is learned, and layers that
    share their weights differ by it.
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.num_heads = shape.num_heads

    def of_delta(
        self, delta: Int[Tensor, "query key"], layer: int
    ) -> Float[Tensor, "head query key"]:
        """Return 0 at the hop of the layer, and `ELSEWHERE` at other distances."""
        bias = torch.where(delta == 2**layer, 0.0, ELSEWHERE).to(self.precise)
        return bias.expand(self.num_heads, -1, -1)


ELSEWHERE = -(2.0**14)
"""Bias at other distances than the hop: exp of it is 0 in every format."""
