r"""sLSTM, an LSTM with exponential gates: Beck et al. (2024), arXiv 2405.04517, section 2.2.

Of $W x_t + R h_{t-1} + b$, where R lets the numbers of a head see each other, four parts make
$i_t = e^{\tilde i_t}$, $f_t = \sigma(\tilde f_t)$, $z_t = \tanh(\tilde z_t)$ and
$o_t = \sigma(\tilde o_t)$:

$$c_t = f_t c_{t-1} + i_t z_t \qquad n_t = f_t n_{t-1} + i_t \qquad
h_t = o_t \odot c_t / n_t$$

The output is $W\,\mathrm{LayerNorm}(h_t)$, with a norm for each head. The state keeps $c e^{-m}$
and $n e^{-m}$ with $m_t = \max(\log f_t + m_{t-1}, \tilde i_t)$, and $m_1 = \tilde i_1$. What is
read does not depend on m, so no gradient goes through it.

The gates depend on $h_{t-1}$, so this layer has no parallel form, as its authors say: `forward` is
a loop over the positions. It maps the inputs of all positions at once, and has a gradient of its
own, which computes for all positions at once what does not depend on the later ones.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
    part      numbers of a head
"""

from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from lengthwise.layers.mixers.heads import NORM_EPSILON, HeadNorm, start_memory
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.mlstm import FORGET_BIASES


class SLstm(Mixer):
    """An LSTM whose gates see its own output, within each head."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        part = width // num_heads
        self.input = nn.Linear(width, 4 * width)
        self.recurrent = nn.Parameter(torch.empty(num_heads, part, 4 * part))
        self.norm = HeadNorm(num_heads, width, eps=NORM_EPSILON)
        self.output = nn.Linear(width, width, bias=False)

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
        return self.output(self.norm(after[0])), after

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, position by position."""
        before = self.start(len(inputs)) if state is None else state
        mapped = self._mapped(inputs).permute(1, 2, 0, 3).contiguous()
        states = (part.transpose(0, 1) for part in before)
        reads, *after = _Loop.apply(mapped, self.recurrent, *states)  # type: ignore[no-untyped-call]
        outputs = self.output(self.norm(reads.permute(2, 0, 1, 3)))
        return outputs, tuple(part.transpose(0, 1) for part in after)

    def _mapped(self, inputs: Tensor) -> Tensor:
        return torch.unflatten(self.input(inputs), -1, (self.num_heads, -1))


def _advance(gates: Tensor, c: Tensor, n: Tensor, m: Tensor) -> tuple[Tensor, ...]:
    """Return h, c, n and m after a position, from the four gates before their nonlinearities."""
    log_input, forget, new, output = gates.chunk(4, dim=-1)
    kept = F.logsigmoid(forget) + m.detach()
    m = torch.where(n == 0, log_input, torch.maximum(kept, log_input)).detach()
    write = (log_input - m).exp()
    keep = (kept - m).clamp(max=0).exp()
    c = keep * c + write * new.tanh()
    n = keep * n + write
    return output.sigmoid() * c / n, c, n, m


class _Loop(torch.autograd.Function):
    """h at all positions, and the state after the last, of `[position, head, word, 4 part]`.

    The gradient takes m as given.
    """

    @staticmethod
    def forward(ctx: Any, mapped: Tensor, recurrent: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        gates = torch.empty_like(mapped)
        shape = (len(mapped) + 1, *state[0].shape)
        hs, cs, ns, ms = (mapped.new_empty(shape) for _ in range(4))
        hs[0], cs[0], ns[0], ms[0] = state
        for index in range(len(mapped)):
            torch.baddbmm(mapped[index], hs[index], recurrent, out=gates[index])
            after = _advance(gates[index], cs[index], ns[index], ms[index])
            hs[index + 1], cs[index + 1], ns[index + 1], ms[index + 1] = after
        ctx.save_for_backward(recurrent, gates, hs, cs, ns, ms)
        return hs[1:], *(part[-1].clone() for part in (hs, cs, ns, ms))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        recurrent, gates, hs, cs, ns, ms = ctx.saved_tensors
        of_reads, of_h, of_c, of_n, _ = gradients
        log_input, forget, new, output = gates.chunk(4, dim=-1)
        write = (log_input - ms[1:]).exp()
        keep = (F.logsigmoid(forget) + ms[:-1] - ms[1:]).clamp(max=0).exp()
        new = new.tanh()
        forgets = keep * (-forget).sigmoid()
        # How h sees c, n; and how c, n see the gates of input, forgetting and the new value.
        of_pair = torch.stack([output.sigmoid() / ns[1:], -hs[1:] / ns[1:]], dim=1)
        of_c_gates = torch.stack([write * new, forgets * cs[:-1], write * (1 - new * new)], dim=1)
        of_n_gates = torch.stack([write, forgets * ns[:-1], torch.zeros_like(write)], dim=1)
        of_gates = torch.stack([of_c_gates, of_n_gates], dim=1)
        of_output = hs[1:] * (-output).sigmoid()
        total = torch.empty_like(gates)
        parts = torch.unflatten(total, -1, (4, -1)).movedim(-2, 1)
        pair, back = torch.stack([of_c, of_n]), recurrent.mT
        for index in reversed(range(len(gates))):
            of_h = of_h + of_reads[index]
            pair = torch.addcmul(pair, of_h, of_pair[index])
            torch.sum(pair[:, None] * of_gates[index], dim=0, out=parts[index, :3])
            torch.mul(of_h, of_output[index], out=parts[index, 3])
            pair = pair * keep[index]
            of_h = total[index] @ back
        of_recurrent = torch.einsum("thwp,thwg->hpg", hs[:-1], total)
        return total, of_recurrent, of_h, *pair, None
