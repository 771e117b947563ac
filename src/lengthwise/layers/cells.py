r"""Cells of recurrent networks: the vector after a symbol, from that before it and the symbol.

Symbols enter one-hot, so the matrix that reads them is a table of rows `x`, which hold the biases.
With h the vector before the symbol and $\odot$ the product of entries:

    elman   $\tanh(x + U h + b)$
    relu    $\max(x + U h + b, 0)$, which is exact on rational numbers
    gru     $n + z \odot (h - n)$ with $r = \sigma(x_r + U_r h + b_r)$, $z = \sigma(x_z + U_z h +
            b_z)$ and $n = \tanh(x_n + r \odot (U_n h + b_n))$: Cho et al. (2014), in torch's form

Axes:
    axes   any axes
    width  numbers in a vector
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.registry import Catalogue


class _SimpleCell(nn.Module, ABC):
    """Base of cells without gates: a linear map of the vector before, plus a row for the symbol."""

    def __init__(self, num_symbols: int, width: int) -> None:
        super().__init__()
        self.symbols = nn.Embedding(num_symbols, width)
        self.recurrent = nn.Linear(width, width)

    def initialise(self, generator: Generator) -> None:
        """Draw rows of symbols from N(0, 1) and the matrix from N(0, 1/width); biases are 0."""
        _initialise(self.symbols, self.recurrent, generator)

    def forward(
        self, vectors: Float[Tensor, "*axes width"], symbols: Int[Tensor, "*axes"]
    ) -> Float[Tensor, "*axes width"]:
        """Return the vectors after the symbols."""
        return self.activation(self.symbols(symbols) + self.recurrent(vectors))

    @staticmethod
    @abstractmethod
    def activation(numbers: Tensor) -> Tensor:
        """Return the nonlinearity of the sum."""


class ElmanCell(_SimpleCell):
    """Elman's cell, with tanh."""

    @staticmethod
    def activation(numbers: Tensor) -> Tensor:
        """Return tanh."""
        return numbers.tanh()


class RectifiedCell(_SimpleCell):
    """Elman's cell, with ReLU."""

    @staticmethod
    def activation(numbers: Tensor) -> Tensor:
        """Return max(x, 0)."""
        return numbers.relu()


class GatedCell(nn.Module):
    """The cell of a GRU: gates decide how much of the vector before is kept."""

    def __init__(self, num_symbols: int, width: int) -> None:
        super().__init__()
        self.symbols = nn.Embedding(num_symbols, 3 * width)
        self.recurrent = nn.Linear(width, 3 * width)

    def initialise(self, generator: Generator) -> None:
        """Draw rows of symbols from N(0, 1) and the matrix from N(0, 1/width); biases are 0."""
        _initialise(self.symbols, self.recurrent, generator)

    def forward(
        self, vectors: Float[Tensor, "*axes width"], symbols: Int[Tensor, "*axes"]
    ) -> Float[Tensor, "*axes width"]:
        """Return the vectors after the symbols."""
        reset_x, keep_x, new_x = self.symbols(symbols).chunk(3, dim=-1)
        reset_h, keep_h, new_h = self.recurrent(vectors).chunk(3, dim=-1)
        reset, keep = (reset_x + reset_h).sigmoid(), (keep_x + keep_h).sigmoid()
        new = (new_x + reset * new_h).tanh()
        return new + keep * (vectors - new)


def _initialise(symbols: nn.Embedding, recurrent: nn.Linear, generator: Generator) -> None:
    with torch.no_grad():
        symbols.weight.normal_(0.0, 1.0, generator=generator)
        recurrent.weight.normal_(0.0, recurrent.in_features**-0.5, generator=generator)
        recurrent.bias.zero_()


CELLS: Catalogue[type[ElmanCell] | type[RectifiedCell] | type[GatedCell]] = Catalogue(
    "cell", {"elman": ElmanCell, "relu": RectifiedCell, "gru": GatedCell}
)
"""From the number of symbols and the width of vectors."""
