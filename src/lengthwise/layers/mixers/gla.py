r"""Gated linear attention (GLA): Yang et al. (2023), arXiv 2312.06635.

Each number of a key has a decay of its own, which depends on the input:

$$S_t = \mathrm{Diag}(\alpha_t) S_{t-1} + k_t v_t^\top \qquad o_t = S_t^\top q_t \qquad
\alpha_t = \sigma(W_2 W_1 x_t + c)^{1/16}$$

with $W_1$ of rank 16. The eigenvalues $\alpha_t$ are between 0 and 1. The output is normalised, and
multiplied by a gate. $\log \alpha \geq -5$ here, so that products of decays stay numbers.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.chunked import Keys, Memory, Values
from lengthwise.layers.mixers.heads import GatedReadOut, KeyedMixer, positions_last
from lengthwise.layers.mixers.mixer import Sequences, State, Vectors

_CHUNK, _LEAST = 16, -5.0
"""Positions of a chunk, and least logarithm of a decay: exp(16 * 5) is a number."""

_RANK, _TEMPERATURE = 16, 16


class GatedLinearAttention(KeyedMixer):
    """Sums of values whose keys decay as the input says."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.decay = nn.Sequential(nn.Linear(width, _RANK, bias=False), nn.Linear(_RANK, width))
        self.read_out = GatedReadOut(width, num_heads)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Let the memory decay, add a key and a value, and read."""
        query, key, value, log_decay = self._heads(inputs)
        memory = log_decay.exp()[..., None] * state[0] + key[..., :, None] * value[..., None, :]
        return self.read_out(inputs, torch.einsum("whkv,whk->whv", memory, query)), (memory,)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        (memory,) = self.start(len(inputs)) if state is None else state
        queries, keys, values, log_decay = positions_last(*self._heads(inputs))
        reads, memory = _read_gated(queries, keys, values, log_decay, memory)
        return self.read_out(inputs, reads.transpose(1, 2)), (memory,)

    def _heads(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        scale = (self.width // self.num_heads) ** -0.5
        log_decay = F.logsigmoid(self.decay(inputs)) / _TEMPERATURE
        log_decay = torch.unflatten(log_decay.clamp(min=_LEAST), -1, (self.num_heads, -1))
        return scale * self.query(inputs), self.key(inputs), self.value(inputs), log_decay


def _read_gated(
    queries: Keys, keys: Keys, values: Values, log_decay: Keys, memory: Memory
) -> tuple[Values, Memory]:
    """Return the outputs at all positions, and the memory after the last one."""
    outputs = []
    parts = (torch.split(part, _CHUNK, dim=2) for part in (queries, keys, values, log_decay))
    for query, key, value, log in zip(*parts, strict=True):
        total = log.cumsum(dim=2)
        since_start, end = query * total.exp(), total[:, :, -1:]
        weights = (since_start @ (key * (-total).exp()).transpose(-1, -2)).tril()
        outputs.append(weights @ value + since_start @ memory)
        kept = (key * (end - total).exp()).transpose(-1, -2)
        memory = memory * end.exp().transpose(-1, -2) + kept @ value
    return torch.cat(outputs, dim=2), memory
