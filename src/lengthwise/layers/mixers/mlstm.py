r"""mLSTM, an LSTM with a matrix as its cell: Beck et al. (2024), arXiv 2405.04517, section 2.3.

With keys divided by the root of their width, and gates $i_t = e^{\tilde i_t}$ and
$f_t = \sigma(\tilde f_t)$, linear in the input, for each head,

$$C_t = f_t C_{t-1} + i_t k_t v_t^\top \qquad n_t = f_t n_{t-1} + i_t k_t \qquad
h_t = C_t^\top q_t / \max(|n_t^\top q_t|, 1)$$

The output is $W(\mathrm{LayerNorm}(h_t) \odot \sigma(O x_t))$, with a norm for each head, as in
xLSTM 7B (arXiv 2503.13427). The convolution and the wider maps of the first paper's block are left
out.

$i_t$ has no bound, so the state keeps $C e^{-m}$ and $n e^{-m}$ with the greatest exponent so far,

$$m_t = \max(\log f_t + m_{t-1}, \tilde i_t) ,$$

and the 1 becomes $e^{-m_t}$. What is read does not depend on m, so no gradient goes through it.
All factors of a step are in (0, 1).

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
"""

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.chunked import CHUNK
from lengthwise.layers.mixers.heads import (
    NORM_EPSILON,
    HeadNorm,
    KeyedMixer,
    positions_last,
    start_memory,
)
from lengthwise.layers.mixers.mixer import Sequences, State, Vectors

FORGET_BIASES = (3.0, 6.0)
"""Biases of the forget gates of the first and the last head, at the start of training."""


class MLstm(KeyedMixer):
    """Sums of key-value pairs with exponential input gates.

    The sum n of the keys is the last column of the memory: each value ends in a 1.
    """

    value_extra = 1

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.gates = nn.Linear(width, 2 * num_heads)
        self.norm = HeadNorm(num_heads, width, eps=NORM_EPSILON)
        self.output_gate = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do; forget gates have positive biases."""
        super().draw(generator)
        with torch.no_grad():
            self.gates.bias[self.num_heads :] = torch.linspace(*FORGET_BIASES, self.num_heads)

    def start(self, batch_size: int) -> State:
        """Return sums of nothing, with the exponents 0."""
        (memory,) = super().start(batch_size)
        return memory, start_memory(self.key.weight, batch_size, self.num_heads)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Add a key and a value, and read."""
        memory, exponent = state
        query, key, value, log_input, log_forget = self._projected(inputs)
        kept = log_forget + exponent
        after = torch.maximum(kept, log_input).detach()
        written = (log_input - after).exp()[..., None, None] * key[..., :, None]
        memory = (kept - after).exp()[..., None, None] * memory + written * value[..., None, :]
        reads = (query[..., None, :] @ memory)[..., 0, :]
        return self._read_out(inputs, _divided(reads, after)), (memory, after)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        memory, exponent = self.start(len(inputs)) if state is None else state
        projected = positions_last(*self._projected(inputs))
        outputs = []
        for query, key, value, log_input, log_forget in zip(
            *(torch.split(part, CHUNK, dim=2) for part in projected), strict=True
        ):
            total = log_forget.cumsum(dim=2)
            carried = total + exponent[..., None]
            between = total[..., :, None] + (log_input - total)[..., None, :]
            future = between.new_ones(between.shape[-2:], dtype=torch.bool).triu(1)
            between = between.masked_fill(future, -torch.inf)
            after = torch.maximum(between.amax(dim=-1), carried).detach()
            weights = query @ key.transpose(-1, -2) * (between - after[..., None]).exp()
            before = (query * (carried - after).exp()[..., None]) @ memory
            outputs.append(_divided(weights @ value + before, after))
            exponent = after[..., -1]
            written = key * (between[..., -1, :] - exponent[..., None]).exp()[..., None]
            kept = (carried[..., -1] - exponent).exp()[..., None, None]
            memory = memory * kept + written.transpose(-1, -2) @ value
        reads = torch.cat(outputs, dim=2).transpose(1, 2)
        return self._read_out(inputs, reads), (memory, exponent)

    def _projected(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """Return queries, keys, values that end in 1, and the logarithms of the gates."""
        value = F.pad(self.value(inputs), (0, 1), value=1.0)
        key = self.key(inputs)
        log_input, forget = self.gates(inputs).chunk(2, dim=-1)
        return (
            self.query(inputs),
            key * key.shape[-1] ** -0.5,
            value,
            log_input,
            F.logsigmoid(forget),
        )

    def _read_out(self, inputs: Tensor, reads: Tensor) -> Tensor:
        gate = self.output_gate(inputs).sigmoid()
        return self.output(self.norm(reads) * gate)


def _divided(reads: Tensor, exponent: Tensor) -> Tensor:
    """Return what is read, divided by the sum of the weights, or by 1 where that is smaller."""
    return reads[..., :-1] / torch.maximum(reads[..., -1].abs(), (-exponent).exp())[..., None]
