r"""RetNet's retention: Sun et al. (2023), arXiv 2307.08621.

With a decay $\gamma_h = 1 - 2^{-5-h}$ of head h = 0, 1, ... and a rotation R of pairs of numbers by
the angles $-\theta_r = -10000^{-2r/d}$ of RoPE:

$$S_t = \gamma_h R S_{t-1} + k_t v_t^\top \qquad o_t = S_t^\top q_t$$

The eigenvalues $\gamma_h e^{\pm i \theta_r}$ do not depend on the input. The paper rotates queries
and keys by their positions, which gives the same outputs; here the memory turns, so that a step
knows no position. The output is normalised, and multiplied by a gate.
"""

import torch
from torch import Tensor

from lengthwise.layers.mixers.chunked import read_decaying
from lengthwise.layers.mixers.heads import GatedReadOut, KeyedMixer, positions_last
from lengthwise.layers.mixers.mixer import Sequences, State, Vectors
from lengthwise.layers.rotary import rotate_pairs


class Retention(KeyedMixer):
    """Sums of values whose keys turn and decay at a fixed pace."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.read_out = GatedReadOut(width, num_heads)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Turn the memory, let it decay, add a key and a value, and read."""
        query, key, value = self._heads(inputs)
        decay = self._log_decay(value).exp()[:, None, None]
        memory = decay * _turn(state[0], 1) + key[..., :, None] * value[..., None, :]
        return self.read_out(inputs, torch.einsum("whkv,whk->whv", memory, query)), (memory,)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk; queries and keys turn, in place of memory."""
        (memory,) = self.start(len(inputs)) if state is None else state
        query, key, value = positions_last(*self._heads(inputs))
        positions = torch.arange(1, inputs.shape[1] + 1, device=inputs.device)
        query, key = (rotate_pairs(part, positions, part.dtype) for part in (query, key))
        log_decay = self._log_decay(value)[:, None].expand(value.shape[:-1])
        reads, memory = read_decaying(query, key, value, log_decay, memory)
        return self.read_out(inputs, reads.transpose(1, 2)), (_turn(memory, inputs.shape[1]),)

    def _heads(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scale = (self.width // self.num_heads) ** -0.5
        return self.query(inputs), scale * self.key(inputs), self.value(inputs)

    def _log_decay(self, like: Tensor) -> Tensor:
        head = torch.arange(self.num_heads, device=like.device, dtype=torch.double)
        return torch.log1p(-(2.0 ** (-5 - head))).to(like.dtype)


def _turn(memory: Tensor, count: int) -> Tensor:
    """Return the memory after `count` rotations of its keys."""
    counts = torch.full((1,), -count, device=memory.device)
    return rotate_pairs(memory.transpose(-1, -2), counts, memory.dtype).transpose(-1, -2)
