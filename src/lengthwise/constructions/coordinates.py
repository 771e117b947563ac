"""Directions of the residual stream by name, so that weights are written as what they do.

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
    """One coordinate for each name, in order."""

    def __init__(self, names: Sequence[str]) -> None:
        assert len(set(names)) == len(names), "a name stands for one coordinate"
        self.names = tuple(names)
        self._index = {name: index for index, name in enumerate(names)}

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return len(self.names)

    def index(self, name: str) -> int:
        """The coordinate of a name."""
        if name not in self._index:
            raise unknown_name("coordinate", name, self.names)
        return self._index[name]

    def row(self, weights: Mapping[str, float]) -> Float[Tensor, " width"]:
        """The linear form that adds up the named coordinates with these weights."""
        vector = torch.zeros(self.width, dtype=torch.float64)
        for name, weight in weights.items():
            vector[self.index(name)] = weight
        return vector

    def column(self, values: Mapping[str, float]) -> Float[Tensor, " width"]:
        """The vector that holds these values at the named coordinates."""
        return self.row(values)


class DoubledCoordinates(Coordinates):
    """Two coordinates for each name, x and -x, so that every vector has mean zero.

    Layer normalisation then centres nothing: it multiplies by a positive number (Chiang & Cholak
    2022, section 4.1). Rows read x only.
    """

    @property
    def width(self) -> int:
        """Numbers in a vector."""
        return 2 * len(self.names)

    def column(self, values: Mapping[str, float]) -> Float[Tensor, " width"]:
        """The vector that holds these values, and their negatives in the second half."""
        vector = self.row(values)
        return vector - vector.roll(len(self.names))
