"""Rotary position embedding, which rotates queries and keys.

Axes:
    word      words of a batch
    head      attention heads
    position  positions of a word
    size      numbers in a query or key of a head
"""

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.layers.encodings import frequencies
from lengthwise.layers.position import KeyPositions, Keys, Position, Queries, QueryPositions


class RotaryPosition(Position):
    r"""RoPE (Su et al., 2021): rotates pairs of numbers by an angle that grows with the position.

    $$(x_{2r}, x_{2r+1}) \mapsto R(t \theta_r) (x_{2r}, x_{2r+1}), \qquad
    \theta_r = 10000^{-2r/size}$$

    for a query or key at position t, with R a rotation of the plane; then q . k depends on
    positions by their difference. Neighbours are pairs, as in the paper; Llama's code pairs r with
    r + size/2, which is another order of the same numbers. If the size is odd, the last number
    stays. All layers do the same, and nothing is learned.
    """

    acts_in_attention = True

    def turn_query(self, layer: int, query: Queries, positions: QueryPositions) -> Queries:
        """Return the rotated queries."""
        return rotate_pairs(query, positions, self.precise)

    def turn_key(self, layer: int, key: Keys, positions: KeyPositions) -> Keys:
        """Return the rotated keys."""
        return rotate_pairs(key, positions, self.precise)


def rotate_pairs(
    x: Float[Tensor, "*axes position size"], positions: Tensor, precise: torch.dtype
) -> Float[Tensor, "*axes position size"]:
    """Return the vectors at some positions, rotated as `RotaryPosition` says, in a precision."""
    size = x.shape[-1]
    even = size - size % 2
    angle = positions[:, None].double() * frequencies(size, x.device)[: even // 2]
    cosine, sine = angle.cos().to(precise), angle.sin().to(precise)
    left, right = x[..., 0:even:2], x[..., 1:even:2]
    pairs = [left * cosine - right * sine, left * sine + right * cosine]
    turned = torch.stack(pairs, dim=-1).flatten(-2)
    return torch.cat([turned.to(x.dtype), x[..., even:]], dim=-1)
