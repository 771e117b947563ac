"""Randomised positions: in training they are drawn from a range larger than any word.

Randomised positional encodings (Ruoss et al., 2023): in training the n positions of a word take n
different positions out of 0..L-1, drawn uniformly and sorted, so that every position is seen though
every word is short. L is `max_positions`. Each word of a batch has a draw of its own (the authors'
code makes one draw for a batch); a decoder, whose words are of one length, makes one.

In evaluation nothing is drawn (the authors draw there too): position i of n takes position
floor(i L / n), so that positions are evenly spread and gaps are about those of training. A decoder
does not know n; it assumes n = L, and takes the first positions, 0, 1, 2, ...

Words of more than L positions take their own positions where the encoding is unbounded, and are
refused where it does not.

Axes:
    word      words of a batch
    position  positions of a word, from 0
    width     numbers in a vector
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.layers.encodings import LearnedPosition, SinusoidalPosition
from lengthwise.layers.position import Position, PositionShape


class RandomisedPosition(Position):
    """Base of randomised positions; `encoding` gives the vector of each position."""

    drawn_in_training = True

    encoding: Position

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.max_positions, self.causal = shape.max_positions, shape.causal

    def forward(
        self,
        positions: Int[Tensor, "word position"],
        count: Int[Tensor, "word _"],
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "word position width"]:
        """Return the vectors of the positions, which are drawn in training.

        Raises:
            WordError: a word has more positions than there are vectors.
        """
        if not self.training:
            room = count.clamp(min=self.max_positions)
            position = positions * room // count
        else:
            if self.causal:
                count = positions.amax(dim=1, keepdim=True) + 1
            position = _draw(positions, count, self.max_positions, generator)
        return self.encoding(position, count.clamp(min=self.max_positions))


class RandomisedSinusoidalPosition(RandomisedPosition):
    """Randomised positions with the vectors of `SinusoidalPosition`."""

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.encoding = SinusoidalPosition(shape)


class RandomisedLearnedPosition(RandomisedPosition):
    """Randomised positions with the vectors of `LearnedPosition`."""

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.encoding = LearnedPosition(shape)


def _draw(
    positions: Int[Tensor, "word position"],
    count: Int[Tensor, "word 1"],
    max_positions: int,
    generator: torch.Generator | None,
) -> Int[Tensor, "word position"]:
    """Draw sorted positions, all different among the first `count` positions of a word.

    The first n entries of a random order are a uniform draw of n positions without replacement.
    """
    room = max(max_positions, positions.shape[1], int(count.max()))
    lots = torch.rand(len(positions), room, device=positions.device, generator=generator)
    index = torch.arange(room, device=positions.device)
    within = torch.where(
        count > max_positions, count, max_positions
    )  # a long word takes its own positions
    order = lots.masked_fill(index >= within, 2.0).argsort(dim=1)
    drawn_positions = torch.where(index < count, order, room).sort(dim=1).values
    return drawn_positions.gather(1, positions).clamp(max=room - 1)
