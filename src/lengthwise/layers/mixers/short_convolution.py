r"""A short causal convolution of each channel, which Mamba has before its recurrence.

$$y_t = \mathrm{silu}\Big(\sum_{i=0}^{3} w_i \odot x_{t-3+i} + b\Big)$$

The last three inputs are a part of the layer's state.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    past      inputs before the first position
    channel   channels
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

SPAN = 4
"""Positions that an output sees."""

Channels = Float[Tensor, "word position channel"]
Past = Float[Tensor, "word past channel"]


class ShortConvolution(nn.Module):
    """A filter for each channel, then SiLU."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(SPAN, channels))
        self.bias = nn.Parameter(torch.empty(channels))

    def draw(self, generator: Generator) -> None:
        """Draw the filters from N(0, 1/4); the biases are 0."""
        with torch.no_grad():
            self.weight.normal_(0.0, SPAN**-0.5, generator=generator)
            self.bias.zero_()

    def start(self, batch_size: int) -> Past:
        """Return zeros, the inputs before a sequence."""
        return self.weight.new_zeros(batch_size, SPAN - 1, self.weight.shape[1])

    def forward(self, inputs: Channels, past: Past) -> tuple[Channels, Past]:
        """Return the outputs at all positions, and the last inputs."""
        seen = torch.cat([past, inputs], dim=1)
        length = inputs.shape[1]
        total = self.bias
        for index, weight in enumerate(self.weight):
            total = total + weight * seen[:, index : index + length]
        return F.silu(total), seen[:, length:]
