"""Heads of a layer: vectors split over them, and what they read put together again.

Axes:
    axes   any axes
    width  numbers in a vector
    head   heads
    part   numbers of a head
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.mixer import Mixer, State

NORM_EPSILON = 1e-5
"""Number that the norm of a head's reads adds to their mean square."""

UNIT_EPSILON = 1e-6
"""Number that is added to what something is divided by: a sum of squares, or of weights."""

Wide = Float[Tensor, "*axes width"]
Headed = Float[Tensor, "*axes head part"]


class HeadMap(nn.Linear):
    """A linear map without a bias, to a vector for each head."""

    def __init__(self, width: int, num_heads: int, head_width: int) -> None:
        super().__init__(width, num_heads * head_width, bias=False)
        self.num_heads = num_heads

    def forward(self, vectors: Wide) -> Headed:
        """Return the vectors of the heads."""
        return torch.unflatten(super().forward(vectors), -1, (self.num_heads, -1))


class KeyedMixer(Mixer):
    """Base of layers whose heads have a query, a key and a value of one size, and a memory."""

    value_extra = 0
    """Numbers that memory holds of each value beside its own."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        part = width // num_heads
        self.query = HeadMap(width, num_heads, part)
        self.key = HeadMap(width, num_heads, part)
        self.value = HeadMap(width, num_heads, part)

    def start(self, batch_size: int) -> State:
        """Return a memory of nothing."""
        part = self.width // self.num_heads
        columns = part + self.value_extra
        return (start_memory(self.key.weight, batch_size, self.num_heads, part, columns),)


class HeadNorm(nn.GroupNorm):
    """Layer normalisation within each head, with a factor and a bias for every number."""

    def forward(self, reads: Headed) -> Wide:
        """Return the normed vectors, one after the other."""
        flat = reads.flatten(-2)
        return super().forward(flat.reshape(-1, self.num_channels)).view_as(flat)


class NormedReadOut(nn.Module):
    r"""The output of a layer, $W\,\mathrm{RMSNorm}(o)$, with one norm for all heads."""

    def __init__(self, width: int, num_heads: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width // num_heads, eps=NORM_EPSILON)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, inputs: Wide, reads: Headed) -> Wide:
        """Return the outputs, from what the heads read."""
        return self.output(self.norm(reads).flatten(-2))


class GatedReadOut(nn.Module):
    r"""The output of a layer, $W(\mathrm{RMSNorm}(o) \odot \mathrm{silu}(G x))$."""

    def __init__(self, width: int, num_heads: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width // num_heads, eps=NORM_EPSILON)
        self.gate = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, inputs: Wide, reads: Headed) -> Wide:
        """Return the outputs, from what the heads read and the inputs of the layer."""
        return self.output(self.norm(reads).flatten(-2) * F.silu(self.gate(inputs)))


def unit(vectors: Headed) -> Headed:
    """Return the vectors divided by their lengths."""
    return vectors * (vectors.square().sum(dim=-1, keepdim=True) + UNIT_EPSILON).rsqrt()


def positions_last(*parts: Tensor) -> tuple[Tensor, ...]:
    """Exchange the axes of positions and heads of `[word, position, head, part]`, or back."""
    return tuple(part.transpose(1, 2) for part in parts)


def start_memory(weight: Tensor, batch_size: int, *shape: int) -> Tensor:
    """Return zeros for each word, in precision and on the device of a weight."""
    return torch.zeros(batch_size, *shape, dtype=weight.dtype, device=weight.device)
