"""Named directions of the residual stream, by which weights are written.

A row reads: `row({"count": 1, "place": -1})` is the linear form count - place. A column writes:
`column({"mark": 1})` puts its number at `mark`. A matrix is a sum of a column times a row.

Axes:
    width   numbers in a vector of the residual stream
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.errors import unknown_name


class Coordinates:
    """One coordinate of the residual stream for each name, in order."""

    def __init__(self, names: Sequence[str]) -> None:
        assert len(set(names)) == len(names), "a name stands for one coordinate"
        self.names = tuple(names)
        self._index = {name: index for index, name in enumerate(names)}

    @property
    def width(self) -> int:
        """Number of components of a vector."""
        return len(self.names)

    def index(self, name: str) -> int:
        """Return the index of a name."""
        if name not in self._index:
            raise unknown_name("coordinate", name, self.names)
        return self._index[name]

    def row(self, weights: Mapping[str, float]) -> Float[Tensor, " width"]:
        """Return the linear form that sums the named coordinates with these weights."""
        vector = torch.zeros(self.width, dtype=torch.float64)
        for name, weight in weights.items():
            vector[self.index(name)] = weight
        return vector

    def column(self, values: Mapping[str, float]) -> Float[Tensor, " width"]:
        """Return the vector with these values at the named coordinates."""
        return self.row(values)


class DoubledCoordinates(Coordinates):
    """Two coordinates for each name, x and -x, so that every vector has mean zero.

    Layer normalisation then centres nothing: it multiplies by a positive number (Chiang & Cholak
    2022, section 4.1). Rows read x only.
    """

    @property
    def width(self) -> int:
        """Number of components of a vector."""
        return 2 * len(self.names)

    def column(self, values: Mapping[str, float]) -> Float[Tensor, " width"]:
        """Return the vector with these values, and their negatives in the second half."""
        vector = self.row(values)
        return vector - vector.roll(len(self.names))
