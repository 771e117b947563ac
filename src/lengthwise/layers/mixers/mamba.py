r"""Mamba's selective state space (S6): Gu and Dao (2023), arXiv 2312.00752, section 3 and figure 3.

The inputs are mapped to x and to a gate z, both twice as wide, and x goes through a short
convolution. With $\Delta_t = \mathrm{softplus}(W_\Delta W_r x_t + b_\Delta)$, $B_t = W_B x_t$ and
$C_t = W_C x_t$, for channel c and number n of its state,

$$h_t^{cn} = e^{-\Delta_t^c A^{cn}} h_{t-1}^{cn} + \Delta_t^c B_t^n x_t^c \qquad
y_t^c = \sum_n C_t^n h_t^{cn} + D^c x_t^c \qquad o_t = W (y_t \odot \mathrm{silu}(z_t))$$

with $A > 0$. The factors of a step are in (0, 1). `negative` takes $2 e^{-\Delta A} - 1$ for them,
in (-1, 1): Grazzi et al. (2025), arXiv 2411.12537. A channel has a state of its own, so the layer
has no heads.

Axes:
    position  positions of a sequence
    word      sequences of a batch
    channel   numbers of x, twice the width
    number    numbers of the state of a channel
"""

from math import log

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.heads import start_memory
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.scan import scan_diagonal
from lengthwise.layers.mixers.short_convolution import ShortConvolution

EXPANSION = 2
"""Channels for each number of the width."""

STATE_SIZE = 16
"""Numbers of a channel's state, as in the paper."""

STEPS = (1e-3, 1e-1)
"""Range that the first Delta is drawn from, uniformly in its logarithm."""

NUMBERS_AT_ONCE = 2**20
"""About how many numbers of states are computed in one go, so that they stay in a cache."""


class Mamba(Mixer):
    """A recurrence of each channel, whose step and factors depend on the input.

    Args:
        width: numbers in the vectors that are read and written.
        num_heads: of no effect: a channel has a state of its own.
        negative: factors of a step from -1 to 1.
        state_size: numbers of a channel's state.
    """

    def __init__(
        self, width: int, *, num_heads: int, negative: bool = False, state_size: int = STATE_SIZE
    ) -> None:
        super().__init__(width, num_heads=num_heads)
        self.negative, self.state_size = negative, state_size
        channels, rank = EXPANSION * width, -(-width // 16)
        self.input = nn.Linear(width, 2 * channels, bias=False)
        self.convolution = ShortConvolution(channels)
        self.selection = nn.Linear(channels, rank + 2 * state_size, bias=False)
        self.step_size = nn.Linear(rank, channels)
        self.log_rates = nn.Parameter(torch.empty(channels, state_size))
        self.skip = nn.Parameter(torch.empty(channels))
        self.output = nn.Linear(channels, width, bias=False)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do, and $A^{cn} = n$, $D = 1$, and Delta in `STEPS`."""
        super().draw(generator)
        self.convolution.draw(generator)
        with torch.no_grad():
            numbers = torch.arange(1, self.state_size + 1, device=self.skip.device)
            self.log_rates.copy_(numbers.log().expand_as(self.log_rates))
            self.skip.fill_(1.0)
            draw_steps(self.step_size.bias, generator)

    def start(self, batch_size: int) -> State:
        """Return zeros: the inputs of the convolution, and the states of the channels."""
        states = start_memory(self.skip, batch_size, len(self.skip), self.state_size)
        return self.convolution.start(batch_size), states

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        past, states = state
        x, gate = self.input(inputs).chunk(2, dim=-1)
        convolved, past = self.convolution(x[:, None], past)
        x = convolved[:, 0]
        delta, write, read = self._selected(x)
        states = self._factors(delta) * states + (delta * x)[..., None] * write[..., None, :]
        y = (states * read[..., None, :]).sum(dim=-1)
        return self._read_out(y, x, gate), (past, states)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, by a scan of all positions."""
        past, states = self.start(len(inputs)) if state is None else state
        x, gate = self.input(inputs).chunk(2, dim=-1)
        x, past = self.convolution(x, past)
        by_position = x.transpose(0, 1)
        selected = (by_position, *self._selected(by_position))
        size = max(1, NUMBERS_AT_ONCE // max(1, states.numel()))
        outputs = []
        for part, delta, write, read in zip(*(torch.split(s, size) for s in selected), strict=True):
            written = (delta * part)[..., None] * write[..., None, :]
            found, states = scan_diagonal(self._factors(delta), written, states)
            outputs.append((found @ read[..., None])[..., 0])
        y = torch.cat(outputs).transpose(0, 1)
        return self._read_out(y, x, gate), (past, states)

    def _selected(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return Delta, B and C."""
        rank, size = self.step_size.in_features, self.state_size
        step, write, read = torch.split(self.selection(x), [rank, size, size], dim=-1)
        return F.softplus(self.step_size(step)), write, read

    def _factors(self, delta: Float[Tensor, "*axes channel"]) -> Float[Tensor, "*axes channel n"]:
        factors = (-delta[..., None] * self.log_rates.exp()).exp()
        return 2 * factors - 1 if self.negative else factors

    def _read_out(self, y: Tensor, x: Tensor, gate: Tensor) -> Tensor:
        return self.output((y + self.skip * x) * F.silu(gate))


def draw_steps(bias: Tensor, generator: Generator) -> None:
    """Draw biases b so that softplus(b) is in `STEPS`, uniformly in its logarithm."""
    low, high = map(log, STEPS)
    steps = bias.uniform_(low, high, generator=generator).exp()
    bias.copy_(steps + (-torch.expm1(-steps)).log())
