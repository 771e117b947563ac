r"""A recurrence with a matrix for each block of its state: Fan et al. (2024), arXiv 2309.07412.

For each block of b numbers, with matrices and vectors from the input by networks of one hidden
layer with ReLU,

$$h_t = A(x_t) h_{t-1} + v(x_t) \qquad
A = \bar A / \max_j \lVert \bar A_{:j} \rVert_{1.2}$$

where $\bar A$ has columns of mean 0, as in the authors' code. The state before the first position
is learned. The output is $W h_t$.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    block     blocks of the state, the heads of the layer
    to        numbers of a block after a step
    from      numbers of a block before it
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.scan import scan_dense

NORM = 1.2
"""Exponent of the norm of a column."""

SMALLEST = 1e-6
"""Least power of a norm to divide by: where a matrix is 0, its norm is, too."""

NUMBERS_AT_ONCE = 2**20
"""About how many numbers of matrices are computed in one go."""


class BlockDiagonal(Mixer):
    """Blocks of numbers that are multiplied by matrices from the input.

    Args:
        width: numbers in the vectors that are read and written, and in the state.
        num_heads: blocks of the state.
    """

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        part = width // num_heads
        self.matrices = _relu_network(width, width * part)
        self.vectors = _relu_network(width, width)
        self.first = nn.Parameter(torch.empty(num_heads, part))
        self.output = nn.Linear(width, width, bias=False)

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do, and the first state from N(0, 1)."""
        super().draw(generator)
        with torch.no_grad():
            self.first.normal_(generator=generator)

    def start(self, batch_size: int) -> State:
        """Return the first state, which is learned."""
        return (self.first.expand(batch_size, -1, -1),)

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        matrices, vectors = self._selected(inputs)
        h = (matrices @ state[0][..., None])[..., 0] + vectors
        return self.output(h.flatten(-2)), (h,)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, by a scan of all positions."""
        (h,) = self.start(len(inputs)) if state is None else state
        size = max(1, NUMBERS_AT_ONCE // max(1, h.numel() * h.shape[-1]))
        states = []
        for part in torch.split(inputs.transpose(0, 1), size):
            found, h = scan_dense(*self._selected(part), h)
            states.append(found)
        return self.output(torch.cat(states).transpose(0, 1).flatten(-2)), (h,)

    def _selected(
        self, inputs: Tensor
    ) -> tuple[Float[Tensor, "*axes block to from"], Float[Tensor, "*axes block to"]]:
        """Return the matrices and what is added."""
        blocks, part = self.first.shape
        matrices = torch.unflatten(self.matrices(inputs), -1, (blocks, part, part))
        matrices = matrices - matrices.mean(dim=-2, keepdim=True)
        # torch's own norm takes more than twice as long for such an exponent.
        powers = matrices.abs().pow(NORM).sum(dim=-2, keepdim=True).amax(dim=-1, keepdim=True)
        vectors = torch.unflatten(self.vectors(inputs), -1, (blocks, part))
        return matrices / powers.clamp_min(SMALLEST).pow(1 / NORM), vectors


def _relu_network(width: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs))
