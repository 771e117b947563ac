r"""DeltaProduct: Siems et al. (2025), arXiv 2502.10297.

DeltaNet with n corrections at each position, each with a key, value and rate of its own. For i = 1,
..., n, from $S_{t,0} = S_{t-1,n}$ on:

$$S_{t,i} = (I - \beta_{t,i} k_{t,i} k_{t,i}^\top) S_{t,i-1} + \beta_{t,i} k_{t,i} v_{t,i}^\top
\qquad o_t = S_{t,n}^\top q_t$$

The rates go to 2, so a step can be any product of n reflections: complex eigenvalues, and every
permutation of n + 1 things. As in `deltanet`, there is no short convolution.
"""

from lengthwise.layers.mixers.delta_rule import DeltaMixer
from lengthwise.layers.mixers.heads import NormedReadOut


class DeltaProduct(DeltaMixer):
    """`num_factors` corrections of the memory at each position, with rates from 0 to 2."""

    def __init__(self, width: int, *, num_heads: int, num_factors: int = 2) -> None:
        super().__init__(width, num_heads=num_heads, num_factors=num_factors, largest_rate=2.0)
        self.read_out = NormedReadOut(width, num_heads)
