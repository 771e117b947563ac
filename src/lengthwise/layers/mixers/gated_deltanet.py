r"""Gated DeltaNet: Yang et al. (2025), arXiv 2412.06464.

DeltaNet whose memory decays first, by a factor that depends on the input:

$$S_t = \alpha_t (I - \beta_t k_t k_t^\top) S_{t-1} + \beta_t k_t v_t^\top \qquad o_t = S_t^\top q_t
\qquad \alpha_t = \exp(-a\,\mathrm{softplus}(u^\top x_t + c))$$

with a > 0 and c of each head. The eigenvalues are $\alpha_t$ and $\alpha_t (1 - \beta_t)$. The
output is normalised, and multiplied by a gate. As in `deltanet`, there is no short convolution.
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.delta_rule import DeltaMixer
from lengthwise.layers.mixers.heads import GatedReadOut, HeadMap

_STEPS = (1e-3, 1e-1)
"""Least and greatest softplus(c) at first, as in the authors' code, which has it from Mamba."""


class GatedDeltaNet(DeltaMixer):
    """One correction of a decaying memory at each position."""

    def __init__(self, width: int, *, num_heads: int, largest_rate: float) -> None:
        super().__init__(width, num_heads=num_heads, num_factors=1, largest_rate=largest_rate)
        self.decay = HeadMap(width, num_heads, 1)
        self.log_a = nn.Parameter(torch.empty(num_heads))
        self.bias = nn.Parameter(torch.empty(num_heads))
        self.read_out = GatedReadOut(width, num_heads)

    def draw(self, generator: Generator) -> None:
        """Draw a from U(0.01, 16), and softplus(c) between 0.001 and 0.1 with a uniform
        logarithm."""
        super().draw(generator)
        with torch.no_grad():
            self.log_a.uniform_(0.01, 16.0, generator=generator).log_()
            self.bias.uniform_(*map(math.log, _STEPS), generator=generator).exp_()
            self.bias.add_(torch.log(-torch.expm1(-self.bias)))

    def log_decay(self, inputs: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes head"]:
        r"""Return $\log \alpha$."""
        return -self.log_a.exp() * F.softplus(self.decay(inputs)[..., 0] + self.bias)
