r"""DeltaNet: Schlag et al. (2021), arXiv 2102.11174; Yang et al. (2024), arXiv 2406.06484.

With unit keys $k_t$ and a rate $\beta_t = b\,\sigma(w^\top x_t)$, for each head:

$$S_t = (I - \beta_t k_t k_t^\top) S_{t-1} + \beta_t k_t v_t^\top \qquad o_t = S_t^\top q_t$$

The eigenvalues of a step are 1 and $1 - \beta_t$: from 0 to 1 with b = 1, from -1 to 1 with b = 2
(Grazzi et al. 2025, arXiv 2411.12537). Keys, queries and values pass SiLU, and the output is
normalised. Published networks have a short convolution before SiLU, which is left out here: the
state is this matrix alone.
"""

from lengthwise.layers.mixers.delta_rule import DeltaMixer
from lengthwise.layers.mixers.heads import NormedReadOut


class DeltaNet(DeltaMixer):
    """One correction of the memory at each position; b is `largest_rate`."""

    def __init__(self, width: int, *, num_heads: int, largest_rate: float) -> None:
        super().__init__(width, num_heads=num_heads, num_factors=1, largest_rate=largest_rate)
        self.read_out = NormedReadOut(width, num_heads)


class DeltaProduct(DeltaMixer):
    r"""DeltaProduct: Siems et al. (2025), arXiv 2502.10297.

    It is DeltaNet with n = `num_factors` corrections at each position, each with a key, value and
    rate of its own. For i = 1, ..., n, from $S_{t,0} = S_{t-1,n}$ on:

    $$S_{t,i} = (I - \beta_{t,i} k_{t,i} k_{t,i}^\top) S_{t,i-1} + \beta_{t,i} k_{t,i} v_{t,i}^\top
    \qquad o_t = S_{t,n}^\top q_t$$

    The rates go to 2, so a step can be any product of n reflections: complex eigenvalues, and every
    permutation of n + 1 things.
    """

    def __init__(self, width: int, *, num_heads: int, num_factors: int = 2) -> None:
        super().__init__(width, num_heads=num_heads, num_factors=num_factors, largest_rate=2.0)
        self.read_out = NormedReadOut(width, num_heads)
