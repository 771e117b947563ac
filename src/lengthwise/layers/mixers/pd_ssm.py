r"""PD-SSM, a permutation-like matrix times a diagonal one: Terzic et al. (2025), arXiv 2509.22284.

With complex states of N numbers and matrices $M_1 \ldots M_K$ of a dictionary, for each head,

$$h_t = P_t (d_t \odot h_{t-1}) + B x_t \qquad
P_t = \text{a 1 in each column, where } \textstyle\sum_k s_k M_k \text{ is greatest},
\quad s = \mathrm{softmax}(S x_t)$$

$d_t = |d_t| e^{i \theta_t}$ with $|d_t|$ in (0, 1) and $\theta_t$ in $(0, 2 \pi)$, both from x by a
network of one hidden layer with GELU. The state begins as the first unit vector. The output is
$W[\mathrm{Re}\, h_t; \mathrm{Im}\, h_t] + D \odot x_t$. One head, as in the paper, follows every
automaton of up to N states. The gradient of P is taken as that of the softmax of its columns
(straight-through). All maps of this kind have one nonzero number in a column, and so do their
products, which makes a scan cheap.

Axes:
    word      sequences of a batch
    position  positions of a sequence
    head      heads of a layer
    to        numbers of a state after a step
    from      numbers of a state before it
    matrix    matrices of the dictionary
"""

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lengthwise.layers.mixers.heads import HeadMap
from lengthwise.layers.mixers.mixer import Mixer, Sequences, State, Vectors
from lengthwise.layers.mixers.scan import scan_routed

DICTIONARY = 8
"""Matrices of the dictionary, as in the authors' code."""

NUMBERS_AT_ONCE = 2**20
"""About how many numbers of matrices are computed in one go."""


class PdSsm(Mixer):
    """Complex numbers that a step multiplies and moves to other places.

    Args:
        width: numbers in the vectors that are read and written, and complex numbers in the state.
        num_heads: parts of the state; numbers move within a part.
    """

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__(width, num_heads=num_heads)
        part = width // num_heads
        self.selector = HeadMap(width, num_heads, DICTIONARY)
        self.dictionary = nn.Parameter(torch.empty(num_heads, DICTIONARY, part, part))
        self.magnitude, self.phase = _gelu_network(width), _gelu_network(width)
        self.input = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Linear(2 * width, width)
        self.skip = nn.Parameter(torch.empty(width))

    def draw(self, generator: Generator) -> None:
        """Draw matrices as all layers do, and all others from N(0, 1/numbers) likewise."""
        super().draw(generator)
        with torch.no_grad():
            part = self.dictionary.shape[-1]
            self.dictionary.normal_(0.0, part**-0.5, generator=generator)
            self.skip.normal_(0.0, self.width**-0.5, generator=generator)

    def start(self, batch_size: int) -> State:
        """Return the first unit vector, as real and imaginary numbers."""
        part = self.width // self.num_heads
        real = self.skip.new_zeros(batch_size, self.num_heads, part)
        imaginary = torch.zeros_like(real)
        real[..., 0] = 1.0
        return real, imaginary

    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it."""
        routes, magnitude, phase, *written = self._selected(inputs)
        greatest = F.one_hot(routes.argmax(dim=-1), routes.shape[-1]).to(routes)
        moved = routes + (greatest - routes).detach()
        (real, imaginary), cosine, sine = state, magnitude * phase.cos(), magnitude * phase.sin()
        turned = (cosine * real - sine * imaginary, sine * real + cosine * imaginary)
        after = [
            (part[..., None, :] @ moved)[..., 0, :] + added
            for part, added in zip(turned, written, strict=True)
        ]
        return self._read_out(inputs, *after), tuple(after)

    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return outputs and state, by a scan of all positions."""
        h = torch.complex(*(self.start(len(inputs)) if state is None else state))
        size = max(1, NUMBERS_AT_ONCE // max(1, h.numel() * h.shape[-1]))
        states = []
        for part in torch.split(inputs.transpose(0, 1), size):
            routes, magnitude, phase, *written = self._selected(part)
            factors = torch.polar(magnitude, phase)
            found, h = scan_routed(routes, factors, torch.complex(*written), h)
            states.append(found)
        reached = torch.cat(states).transpose(0, 1)
        return self._read_out(inputs, reached.real, reached.imag), (h.real, h.imag)

    def _selected(self, inputs: Tensor) -> tuple[Tensor, ...]:
        """Return the softmax of each column `[..., head, from, to]`, magnitudes and phases of d,
        and the real and imaginary numbers that are added to the state, `[..., head, to]`.
        """
        weights = self.selector(inputs).softmax(dim=-1)
        mixed = torch.einsum("...hk,hkft->...hft", weights, self.dictionary)
        magnitude = self.magnitude(inputs).sigmoid()
        phase = 2 * torch.pi * self.phase(inputs).sigmoid()
        parts = (magnitude, phase, *self.input(inputs).chunk(2, dim=-1))
        return mixed.softmax(dim=-1), *(part.unflatten(-1, (self.num_heads, -1)) for part in parts)

    def _read_out(self, inputs: Tensor, real: Tensor, imaginary: Tensor) -> Tensor:
        numbers = torch.cat([real.flatten(-2), imaginary.flatten(-2)], dim=-1)
        return self.output(numbers) + self.skip * inputs


def _gelu_network(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
