"""Hidden units of one layer, collected and written as weights.

The feed-forward network adds contract(relu(expand(h))) to a vector h. A unit is relu(w·h + bias),
added to one component of h with a factor. Linear terms go through a unit for each component,
relu(h_i + shift), which is h_i + shift as long as h_i >= -shift.

Axes:
    unit  hidden units
    term  components that a unit reads
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lengthwise.models.regular_gpt import Layer
from lengthwise.models.transformer_layer import TransformerLayer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Units:
    """Units of one layer on vectors of `width` components, each of them at least -`shift`."""

    def __init__(self, width: int, shift: float = 1.0) -> None:
        self.width, self.shift = width, shift
        self.count = 0
        """Number of units apart from those of linear terms."""
        self._constant = np.zeros(width)
        self._linear: list[tuple[Integers, Integers, Floats]] = []
        self._reads: list[tuple[Integers, Integers, Floats]] = []
        self._writes: list[tuple[Integers, Integers, Floats]] = []
        self._biases: list[Floats] = []

    def add_constant(self, to: int, value: float) -> None:
        """Add a number to component `to`."""
        self._constant[to] += value

    def add_linear(
        self, to: Integers | int, source: Integers | int, factor: Floats | float
    ) -> None:
        """Add `factor` times component `source` to component `to`, for each of them."""
        self._linear.append(_flat(to, source, factor))

    def add(
        self,
        of: Integers,
        weights: Floats | float,
        bias: Floats | float,
        to: Integers,
        sign: Floats | float,
    ) -> None:
        """Add units that read the components `of[unit, term]` and add to the components `to[unit]`.

        Weights of terms of the same component are added.
        """
        units = self.count + np.arange(len(of))
        self._reads.append(_flat(units[:, None], of, weights))
        self._writes.append(_flat(to, units, sign))
        self._biases.append(np.broadcast_to(np.asarray(bias, dtype=np.float64), len(of)))
        self.count += len(of)

    @torch.no_grad()
    def write(self, layer: Layer | TransformerLayer) -> None:
        """Write the weights of the feed-forward network of a layer whose weights are zero.

        Its vectors may have further components, which are left alone.
        """
        expand, contract, width = layer.expand, layer.contract, self.width
        expand.weight[:width].fill_diagonal_(1.0)
        expand.bias[:width] = self.shift
        constant = self._constant.copy()
        for to, source, factor in self._linear:
            _add(contract.weight, to, source, factor)
            np.subtract.at(constant, to, factor * self.shift)
        contract.bias[:width] += torch.from_numpy(constant)
        for units, source, weights in self._reads:
            _add(expand.weight, width + units, source, weights)
        for to, units, sign in self._writes:
            _add(contract.weight, to, width + units, sign)
        if self.count:
            expand.bias[width : width + self.count] = torch.from_numpy(np.concatenate(self._biases))


def _flat(
    rows: Integers | int, columns: Integers | int, values: Floats | float
) -> tuple[Integers, Integers, Floats]:
    """Return rows, columns and values of one shape, flattened."""
    first, two, three = np.broadcast_arrays(rows, columns, np.asarray(values, dtype=np.float64))
    return first.flatten(), two.flatten(), three.flatten()


def _add(matrix: Tensor, rows: Integers, columns: Integers, values: Floats) -> None:
    """Add values to entries of a matrix; values of the same entry are added up."""
    index = (torch.from_numpy(rows), torch.from_numpy(columns))
    matrix.index_put_(index, torch.from_numpy(values), accumulate=True)
