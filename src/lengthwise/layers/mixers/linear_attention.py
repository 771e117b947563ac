r"""Linear attention: Katharopoulos et al. (2020), arXiv 2006.16236.

With $\phi(x) = \mathrm{elu}(x) + 1$, for each head:

$$S_t = S_{t-1} + \phi(k_t) v_t^\top \qquad z_t = z_{t-1} + \phi(k_t) \qquad
o_t = S_t^\top \phi(q_t) / z_t^\top \phi(q_t)$$

Nothing is forgotten: all eigenvalues of a step are 1, and the state grows without a bound.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.chunked import read_decaying
from lengthwise.layers.mixers.heads import UNIT_EPSILON, KeyedMixer, positions_last
from lengthwise.layers.mixers.mixer import Sequences, State, Vectors


class LinearAttention(KeyedMixer):
    """Sums of values, weighted by keys that are compared with a query.

    The sum z of the keys is the last column of the memory: each value ends in a 1.
    """

    value_extra = 1

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.output = nn.Linear(width, width, bias=False)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Add a key and a value, and read."""
        query, key, value = self._heads(inputs)
        memory = state[0] + key[..., :, None] * value[..., None, :]
        return self._read_out(torch.einsum("whkv,whk->whv", memory, query)), (memory,)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        (memory,) = self.start(len(inputs)) if state is None else state
        query, key, value = positions_last(*self._heads(inputs))
        reads, memory = read_decaying(query, key, value, None, memory)
        return self._read_out(reads.transpose(1, 2)), (memory,)

    def _heads(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        value = F.pad(self.value(inputs), (0, 1), value=1.0)
        return F.elu(self.query(inputs)) + 1, F.elu(self.key(inputs)) + 1, value

    def _read_out(self, reads: Tensor) -> Tensor:
        return self.output((reads[..., :-1] / (reads[..., -1:] + UNIT_EPSILON)).flatten(-2))
