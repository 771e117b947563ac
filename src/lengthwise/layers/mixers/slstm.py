r"""sLSTM, an LSTM with exponential gates: Beck et al. (2024), arXiv 2405.04517, section 2.2.

Of $W x_t + R h_{t-1} + b$, where R lets the numbers of a head see each other, four parts make
$i_t = e^{\tilde i_t}$, $f_t = \sigma(\tilde f_t)$, $z_t = \tanh(\tilde z_t)$ and
$o_t = \sigma(\tilde o_t)$:

$$c_t = f_t c_{t-1} + i_t z_t \qquad n_t = f_t n_{t-1} + i_t \qquad
h_t = o_t \odot c_t / n_t$$

The output is $W\,\mathrm{RMSNorm}(h_t)$. The state keeps $c e^{-m}$ and $n e^{-m}$ with
$m_t = \max(\log f_t + m_{t-1}, \tilde i_t)$, and $m_1 = \tilde i_1$. What is read does not depend on
m, so no gradient goes through it.

The gates depend on $h_{t-1}$, so this layer has no parallel form, as its authors say: `forward` is
a loop over the positions. It maps the inputs of all positions at once.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
    part      numbers of a head
"""

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.heads import NormedReadOut, start_memory
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.mlstm import FORGET_BIASES


class SLstm(Mixer):
    """An LSTM whose gates see its own output, within each head."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        part = width // num_heads
        self.input = nn.Linear(width, 4 * width)
        self.recurrent = nn.Parameter(torch.empty(num_heads, part, 4 * part))
        self.read_out = NormedReadOut(width, num_heads)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do; forget gates have positive biases."""
        super().draw(generator)
        part = self.width // self.num_heads
        with torch.no_grad():
            self.recurrent.normal_(0.0, part**-0.5, generator=generator)
            biases = self.input.bias.view(self.num_heads, 4, part)
            biases[:, 1] = torch.linspace(*FORGET_BIASES, part)

    def start(self, batch_size: int) -> State:
        """Return zeros for h, c, n and m."""
        shape = (self.num_heads, self.width // self.num_heads)
        zeros = start_memory(self.recurrent, batch_size, *shape)
        return zeros, zeros, zeros, zeros

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        h, *others = state
        of_state = torch.einsum("whp,hpg->whg", h, self.recurrent)
        after = _advance(self._mapped(inputs) + of_state, *others)
        return self.read_out(inputs, after[0]), after

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, position by position."""
        before = self.start(len(inputs)) if state is None else state
        h, c, n, m = (part.transpose(0, 1) for part in before)
        outputs = []
        for of_input in self._mapped(inputs).permute(1, 2, 0, 3).contiguous():
            h, c, n, m = _advance(torch.baddbmm(of_input, h, self.recurrent), c, n, m)
            outputs.append(h)
        reads = torch.stack(outputs).permute(2, 0, 1, 3)
        after = tuple(part.transpose(0, 1) for part in (h, c, n, m))
        return self.read_out(inputs, reads), after

    def _mapped(self, inputs: Tensor) -> Tensor:
        return self.input(inputs).unflatten(-1, (self.num_heads, -1))


def _advance(gates: Tensor, c: Tensor, n: Tensor, m: Tensor) -> tuple[Tensor, ...]:
    """Return h, c, n and m after a position, from the four gates before their nonlinearities."""
    log_input, forget, new, output = gates.chunk(4, dim=-1)
    kept = F.logsigmoid(forget) + m
    m = torch.where(n == 0, log_input, torch.maximum(kept, log_input)).detach()
    write = (log_input - m).exp()
    keep = (kept - m).clamp(max=0).exp()
    c = keep * c + write * new.tanh()
    n = keep * n + write
    return output.sigmoid() * c / n, c, n, m
