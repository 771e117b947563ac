"""Memories of a node: any vector (continuous), or m bits (binary).

Binary memory turns the vector of every node into m signs, so that a node holds one of finitely many
values: deep compositions cannot drift, and the model is a finite algebra that can be explored.
Discretised states with a pseudo-gradient go back to Zeng, Goodman and Smith (1993).
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from lengthwise.registry import Catalogue

Numbers = Float[Tensor, "*axes bit"]


def straight_through(numbers: Numbers) -> Numbers:
    """Return the signs; their gradient is taken to be that of tanh."""
    soft = numbers.tanh()
    return soft + (_signs(soft) - soft).detach()


def soft(numbers: Numbers) -> Numbers:
    r"""Return tanh, without rounding: only noise draws the numbers to where tanh is nearly a sign.

    As in DOLCE (Das and Mozer, 1993), codes are discrete only after training.
    """
    return numbers.tanh()


def quantise(numbers: Numbers) -> Numbers:
    r"""Return the nearest vector of the codebook $\{-1, 1\}^m$; its gradient passes unchanged.

    This is vector quantisation as in VQ-VAE (van den Oord et al., 2017) with a fixed codebook:
    lookup-free quantisation (Yu et al., 2024). It needs a commitment loss.
    """
    return numbers + (_signs(numbers) - numbers).detach()


def _signs(numbers: Numbers) -> Numbers:
    return torch.where(numbers >= 0, 1.0, -1.0).to(numbers.dtype)


BITS: Catalogue[Callable[[Numbers], Numbers]] = Catalogue(
    "way to learn bits",
    {"straight-through": straight_through, "soft": soft, "quantised": quantise},
)
"""Functions from numbers to bits in training. Afterwards a bit is a sign, whichever it was."""


class ContinuousMemory(nn.Module):
    """The paper's memory: the vector is kept unchanged."""

    def __init__(self, width: int, num_bits: int, noise: float) -> None:
        super().__init__()

    def forward(
        self, x: Float[Tensor, "*axes width"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "*axes width"]:
        """Return the vector itself."""
        return x


class BinaryMemory(nn.Module):
    r"""$\mathrm{LN}(U\,\mathrm{sign}(W x + b + \sigma\varepsilon))$, with m = `num_bits` signs.

    $\varepsilon$ is standard normal noise, drawn in training only. The gradient of a sign is taken
    to be that of tanh: noise inside the tanh pushes the numbers away from 0, where codes are safe,
    and once they are far the noise does no more harm. In training an objective may take another of
    `BITS` in place of the sign.

    U reads a positive sign as 1 and a negative one as `off`. With `off=0` a bit that is off moves
    no column of U, so that codes of thousands of bits, few of them on, can be learned. Without its
    norm LN, memory is a matrix with a bias.
    """

    def __init__(
        self, width: int, num_bits: int, noise: float, *, off: float = -1.0, norm: bool = True
    ) -> None:
        super().__init__()
        self.noise = noise
        self.bits: Callable[[Tensor], Tensor] = straight_through
        self.off = off
        self.write = nn.Linear(width, num_bits)
        self.read = nn.Linear(num_bits, width)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()

    def numbers(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes bit"]:
        """Return the numbers whose signs are the code; their distance from 0 is the margin."""
        return self.write(x)

    def code(self, x: Float[Tensor, "*axes width"]) -> Bool[Tensor, "*axes bit"]:
        """Return the m bits that are kept of each vector."""
        return self.numbers(x) >= 0

    def recall(self, codes: Bool[Tensor, "*axes bit"]) -> Float[Tensor, "*axes width"]:
        """Return the vectors that codes stand for."""
        bits = torch.where(codes, 1.0, self.off).to(self.read.weight.dtype)
        return self.norm(self.read(bits))

    def forward(
        self, x: Float[Tensor, "*axes width"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "*axes width"]:
        """Return the vectors that the codes stand for."""
        numbers = self.numbers(x)
        if not self.training:
            return self.recall(numbers >= 0)
        noise = torch.randn(
            numbers.shape, dtype=numbers.dtype, device=numbers.device, generator=generator
        )
        bits = self.bits(numbers + self.noise * noise)
        return self.norm(self.read(bits * ((1 - self.off) / 2) + (1 + self.off) / 2))


MEMORIES: Catalogue[type[ContinuousMemory] | type[BinaryMemory]] = Catalogue(
    "memory", {"continuous": ContinuousMemory, "binary": BinaryMemory}
)
