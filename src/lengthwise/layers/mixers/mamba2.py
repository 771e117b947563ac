r"""Mamba-2, a state space with one factor for each head: Dao and Gu (2024), arXiv 2405.21060.

One linear map makes x, B and C, which go through a short convolution, the gate z, and a step
$\Delta_t = \mathrm{softplus}(\delta_t + b_\Delta)$ for each head. With $a_t = e^{-\Delta_t A}$,
$A > 0$ a number of the head, and B and C shared by the heads,

$$S_t = a_t S_{t-1} + \Delta_t B_t x_t^\top \qquad y_t = S_t^\top C_t + D x_t \qquad
o_t = W\,\mathrm{RMSNorm}(y_t \odot \mathrm{silu}(z_t))$$

`negative` takes $a_t = 2 e^{-\Delta_t A} - 1$, in (-1, 1), as Grazzi et al. (2025), arXiv
2411.12537, do for Mamba. A negative factor turns the sign of all that was written before. So the
parallel form multiplies B and C by the product of the signs up to their position, and reads with
$|a_t|$: that of two positions is the product of the signs between them.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.chunked import read_decaying
from lengthwise.layers.mixers.heads import NORM_EPSILON, positions_last, start_memory
from lengthwise.layers.mixers.mamba import EXPANSION, STATE_SIZE, draw_steps
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.short_convolution import ShortConvolution

RATES = (1.0, 16.0)
"""Range that A is drawn from, uniformly."""


class Mamba2(Mixer):
    """A matrix for each head, multiplied by one number that depends on the input.

    Args:
        width: numbers in the vectors that are read and written.
        num_heads: parts of x with a factor of their own.
        negative: factors of a step from -1 to 1.
        state_size: numbers in B and C; the paper has 64 or more.
    """

    def __init__(
        self, width: int, *, num_heads: int, negative: bool = False, state_size: int = STATE_SIZE
    ) -> None:
        super().__init__(width, num_heads=num_heads)
        self.negative, self.state_size = negative, state_size
        channels = EXPANSION * width
        self.sizes = [channels, channels + 2 * state_size, num_heads]
        self.input = nn.Linear(width, sum(self.sizes), bias=False)
        self.convolution = ShortConvolution(self.sizes[1])
        self.step_bias = nn.Parameter(torch.empty(num_heads))
        self.log_rates = nn.Parameter(torch.empty(num_heads))
        self.skip = nn.Parameter(torch.empty(num_heads))
        self.norm = nn.RMSNorm(channels, eps=NORM_EPSILON)
        self.output = nn.Linear(channels, width, bias=False)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do, A in `RATES`, $D = 1$, and Delta as `Mamba` does."""
        super().draw(generator)
        self.convolution.draw(generator)
        with torch.no_grad():
            self.log_rates.uniform_(*RATES, generator=generator).log_()
            self.skip.fill_(1.0)
            draw_steps(self.step_bias, generator)

    def start(self, batch_size: int) -> State:
        """Return zeros: the inputs of the convolution, and the memories."""
        shape = (self.num_heads, self.state_size, self.sizes[0] // self.num_heads)
        return self.convolution.start(batch_size), start_memory(self.skip, batch_size, *shape)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        past, memory = state
        gate, mixed, delta = self._projected(inputs)
        convolved, past = self.convolution(mixed[:, None], past)
        x, write, read = self._parts(convolved[:, 0])
        written = write[:, None, :, None] * (delta[..., None] * x)[..., None, :]
        memory = self._factors(delta)[..., None, None] * memory + written
        y = (memory * read[:, None, :, None]).sum(dim=-2)
        return self._read_out(y, x, gate), (past, memory)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, chunk by chunk."""
        past, memory = self.start(len(inputs)) if state is None else state
        gate, mixed, delta = self._projected(inputs)
        convolved, past = self.convolution(mixed, past)
        x, write, read = self._parts(convolved)
        signs, log_decay = self._signs(delta)
        query, key, value = positions_last(
            read[:, :, None] * signs[..., None],
            write[:, :, None] * signs[..., None],
            delta[..., None] * x,
        )
        y, memory = read_decaying(query, key, value, log_decay.transpose(1, 2), memory)
        memory = memory * signs[:, -1, :, None, None]
        return self._read_out(y.transpose(1, 2), x, gate), (past, memory)

    def _projected(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gate, what goes through the convolution, and Delta."""
        gate, mixed, step = torch.split(self.input(inputs), self.sizes, dim=-1)
        return gate, mixed, F.softplus(step + self.step_bias)

    def _parts(self, convolved: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return x by heads, B and C."""
        sizes = [self.sizes[0], self.state_size, self.state_size]
        x, write, read = torch.split(convolved, sizes, dim=-1)
        return torch.unflatten(x, -1, (self.num_heads, -1)), write, read

    def _factors(self, delta: Float[Tensor, "*axes head"]) -> Float[Tensor, "*axes head"]:
        factors = (-delta * self.log_rates.exp()).exp()
        return 2 * factors - 1 if self.negative else factors

    def _signs(self, delta: Tensor) -> tuple[Tensor, Tensor]:
        """Return the product of the signs of all factors so far, and the logarithm of each."""
        if not self.negative:
            return torch.ones_like(delta), -delta * self.log_rates.exp()
        factors = self._factors(delta)
        signs = torch.where(factors < 0, -1.0, 1.0).to(factors).cumprod(dim=1)
        return signs, factors.abs().clamp_min(torch.finfo(factors.dtype).tiny).log()

    def _read_out(self, y: Tensor, x: Tensor, gate: Tensor) -> Tensor:
        y = (y + self.skip[:, None] * x).flatten(-2)
        return self.output(self.norm(y * F.silu(gate)))
