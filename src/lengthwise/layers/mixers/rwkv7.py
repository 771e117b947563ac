r"""RWKV-7's time mixing, a generalised delta rule: Peng et al. (2025), arXiv 2503.14456, section 4.

Six mixtures $x_t + \mu (x_{t-1} - x_t)$ of an input and the one before make the receptance r, key k
and value v, all linear, and, by maps through few numbers,

$$w = e^{-e^{-1/2} \sigma(w_0 + \tanh(x W_1) W_2)} \qquad
a = \sigma(a_0 + x A_1 A_2) \qquad g = \sigma(x G_1) G_2 .$$

$\hat\kappa$ is $k \odot \xi$ divided by its length in each head, and
$\tilde k = k \odot (1 + (a - 1) \odot \alpha)$. For each head,

$$S_t = S_{t-1} (\mathrm{diag}(w_t) - \hat\kappa_t (a_t \odot \hat\kappa_t)^\top)
+ v_t \tilde k_t^\top \qquad
o_t = W\big(g_t \odot (\mathrm{GroupNorm}(S_t r_t) + (r_t \odot \rho)^\top \tilde k_t\, v_t)\big)$$

w is in (0.54, 1). The value that layers after the first take from it is left out, so that a layer
stands alone.

Parallel form. With $\gamma_i$ the product of w up to position i of a chunk, the columns of S
divided by $\gamma_i$ obey

$$\tilde S_i = \tilde S_{i-1} + u_i \tilde b_i^\top + v_i \tilde k_i^\top, \qquad
u_i = \tilde S_{i-1} \tilde a_i$$

with $\tilde a_i = -\gamma_{i-1} \odot \hat\kappa_i$, and $a_i \odot \hat\kappa_i$ and
$\tilde k_i$ divided by $\gamma_i$. All u of a chunk solve one triangular system. As $w > 0.54$,
$1/\gamma$ is below $2^{30}$ in a chunk of 32.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
    value     rows of S
    key       columns of S
"""

from math import exp

import torch
from torch import Generator, Tensor, nn

from lengthwise.layers.mixers.chunked import CHUNK
from lengthwise.layers.mixers.heads import HeadNorm, positions_last, start_memory, unit
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors

FASTEST = exp(-0.5)
"""Greatest rate of decay."""

NORM_EPSILON = 64e-5
"""Number that the norm of a head adds to the variance."""

DECAYS = (-6.5, -1.5)
"""First biases $w_0$ of the first and last number."""

REMOVAL, REPLACEMENT = 0.85, 1.0
"""First xi and alpha, as in the authors' code."""


class Rwkv7(Mixer):
    """A matrix for each head that forgets each key at its own rate, and replaces values."""

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        self.mixtures = nn.Parameter(torch.empty(6, width))
        self.receptance = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        few = max(1, width // 8)
        self.decay = _narrow(width, few, nn.Tanh(), bias=True)
        self.rate = _narrow(width, few, nn.Identity(), bias=True)
        self.gate = _narrow(width, 2 * few, nn.Sigmoid(), bias=False)
        self.removal = nn.Parameter(torch.empty(width))
        self.replacement = nn.Parameter(torch.empty(width))
        self.bonus = nn.Parameter(torch.empty(num_heads, width // num_heads))
        self.norm = HeadNorm(num_heads, width, eps=NORM_EPSILON)
        self.output = nn.Linear(width, width, bias=False)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do, and mixtures from 0 to 1; decays range over `DECAYS`."""
        super().draw(generator)
        with torch.no_grad():
            self.mixtures.uniform_(generator=generator)
            self.decay[-1].get_parameter("bias").copy_(torch.linspace(*DECAYS, self.width))
            self.removal.fill_(REMOVAL)
            self.replacement.fill_(REPLACEMENT)
            self.bonus.zero_()

    def start(self, batch_size: int) -> State:
        """Return zeros: the input before, and the memories."""
        part = self.width // self.num_heads
        before = start_memory(self.bonus, batch_size, self.width)
        return before, start_memory(self.bonus, batch_size, self.num_heads, part, part)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        before, memory = state
        gate, *heads = self._projected(inputs, before)
        receptance, log_decay, key, value, removed, added = heads
        found = memory @ removed[..., None]
        memory = (
            memory * log_decay.exp()[..., None, :]
            + found * added[..., None, :]
            + value[..., None] * key[..., None, :]
        )
        reads = (memory @ receptance[..., None])[..., 0]
        return self._read_out(reads, receptance, key, value, gate), (inputs, memory)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        before, memory = self.start(len(inputs)) if state is None else state
        shifted = torch.cat([before[:, None], inputs[:, :-1]], dim=1)
        gate, *heads = self._projected(inputs, shifted)
        receptance, _, key, value, _, _ = heads
        outputs = []
        by_head = positions_last(*heads)
        for parts in zip(*(torch.split(p, CHUNK, dim=2) for p in by_head), strict=True):
            reads, memory = _read_chunk(parts, memory)
            outputs.append(reads)
        reads = torch.cat(outputs, dim=2).transpose(1, 2)
        outputs_of_all = self._read_out(reads, receptance, key, value, gate)
        return outputs_of_all, (inputs[:, -1], memory)

    def _projected(self, inputs: Tensor, before: Tensor) -> tuple[Tensor, ...]:
        """Return g, and by heads r, log w, k, v, and the two vectors of the delta rule."""
        mixed = inputs[..., None, :] + self.mixtures * (before - inputs)[..., None, :]
        of_r, of_w, of_k, of_v, of_a, of_g = mixed.unbind(dim=-2)
        log_decay = -FASTEST * self.decay(of_w).sigmoid()
        key, rate = self.key(of_k), self.rate(of_a).sigmoid()
        removed = unit(self._by_head(key * self.removal))
        replaced = key * (1 + (rate - 1) * self.replacement)
        receptance, value = self.receptance(of_r), self.value(of_v)
        parts = map(self._by_head, (receptance, log_decay, replaced, value))
        return self.gate(of_g), *parts, -removed, removed * self._by_head(rate)

    def _by_head(self, vectors: Tensor) -> Tensor:
        return torch.unflatten(vectors, -1, (self.num_heads, -1))

    def _read_out(
        self, reads: Tensor, receptance: Tensor, key: Tensor, value: Tensor, gate: Tensor
    ) -> Tensor:
        bonus = (receptance * self.bonus * key).sum(dim=-1, keepdim=True) * value
        return self.output(gate * (self.norm(reads) + bonus.flatten(-2)))


def _read_chunk(parts: tuple[Tensor, ...], memory: Tensor) -> tuple[Tensor, Tensor]:
    """Return what a chunk reads, `[word, head, position, value]`, and the memory after it.

    The parts are r, log w, k, v and the two vectors of the delta rule, by heads.
    """
    receptance, log_decay, key, value, removed, added = parts
    total = log_decay.cumsum(dim=2)
    grown = (-total).exp()
    asked, removed = receptance * total.exp(), removed * (total - log_decay).exp()
    key, added = key * grown, added * grown
    from_start = removed @ memory.mT + (removed @ key.mT).tril(-1) @ value
    lower = (removed @ added.mT).tril(-1)
    found = torch.linalg.solve_triangular(
        torch.eye(lower.shape[-1]).to(lower) - lower, from_start, upper=False, unitriangular=True
    )
    reads = asked @ memory.mT + (asked @ added.mT).tril() @ found + (asked @ key.mT).tril() @ value
    memory = memory + found.mT @ added + value.mT @ key
    return reads, memory * total[..., -1:, :].exp()


def _narrow(width: int, few: int, activation: nn.Module, *, bias: bool) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, few, bias=False), activation, nn.Linear(few, width, bias=bias)
    )
