"""Position encodings that are vectors added to the embeddings.

Axes:
    position  positions of a word, from 0
    width     numbers in a vector
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.errors import WordError
from lengthwise.layers.position import Counts, Position, Positions, PositionShape, Vectors


class NoPosition(Position):
    """Nothing is added: the word is a bag of symbols, except for masks."""


class LearnedPosition(Position):
    """A vector of its own for each position; positions past the last one are refused."""

    is_table = True

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.vectors = nn.Parameter(torch.zeros(shape.max_positions, shape.width))

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the vectors of the positions.

        Raises:
            WordError: a word has more positions than there are vectors.
        """
        places = positions.shape[-1]  # in training no word needs more: nothing waits for counts
        may_lack = not self.training or places > len(self.vectors)
        if positions.numel() and may_lack and int(count.max()) > len(self.vectors):
            raise WordError(
                f"there are positions for at most {len(self.vectors)} places, but a word needs "
                f"{int(count.max())}. Give shorter words, or train on longer ones."
            )
        return self.vectors[positions.clamp(max=len(self.vectors) - 1)]


class SinusoidalPosition(Position):
    r"""Sines and cosines of many periods (Vaswani et al., 2017).

    $$PE(i)_{2r} = \sin(i / 10000^{2r/width}), \quad PE(i)_{2r+1} = \cos(i / 10000^{2r/width})$$
    """

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the vectors of the positions."""
        return sinusoids(positions, len(self.like)).to(self.like.dtype)


def sinusoids(positions: Positions, width: int) -> Vectors:
    """Return the vectors of `SinusoidalPosition` in float64; a position may be negative.

    Computed each time, since a buffer would lose its digits where a module is made less precise.
    """
    angle = positions[..., None].double() * frequencies(width, positions.device)
    values = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
    return values[..., :width]


def frequencies(width: int, device: torch.device) -> Float[Tensor, " pair"]:
    """Return 10000^(-2r/width) in float64, for r = 0, 1, ... below width/2."""
    power = torch.arange(0, width, 2, dtype=torch.float64, device=device) / width
    return 10_000.0**-power


class OneHotPosition(Position):
    r"""A coordinate for each position, fixed, past those that the symbols use.

    $$PE(i)_k = 1 \text{ if } k = 3 + (i \bmod (width - 3)), \quad 0 \text{ otherwise}$$

    The hand-coded positions of "Guiding transformers to process in steps" (2022), equation 18, with
    positions and coordinates counted from 0. Where the width is less than the number of positions
    and 3, which the paper does not define, coordinates are shared; up to a width of 3 there are
    none.
    """

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the vectors of the positions."""
        num_own = min(OWN_COORDINATES, len(self.like))
        blank = self.like.new_zeros(*positions.shape, num_own)
        if (num_hot := len(self.like) - num_own) == 0:
            return blank
        hot = nn.functional.one_hot(positions % num_hot, num_hot).to(self.like.dtype)
        return torch.cat([blank, hot], dim=-1)


OWN_COORDINATES = 3
"""The first coordinates, which belong to the symbols alone."""


class FeaturePosition(Position):
    """Base of fixed encodings that are a few numbers, each written along a direction.

    `directions[feature, width]` is a stored buffer; feature f is coordinate f unless it is
    set otherwise.
    """

    num_features: int
    directions: Tensor

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.register_buffer("directions", torch.eye(self.num_features, shape.width))

    def features(self, positions: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """Return the numbers of each position, in float64."""
        raise NotImplementedError

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the features of the positions, each times its direction."""
        features = torch.stack(self.features(positions, count), dim=-1)
        return features.to(self.directions.dtype) @ self.directions


class FractionPosition(FeaturePosition):
    r"""$i / n$ and $\cos i\pi$, for a word of n positions (Chiang & Cholak 2022, section 3.2)."""

    num_features = 2

    def features(self, positions: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """Return the fraction of the word before the position, and 1 if it is even, -1 if odd."""
        return positions.double() / count.double(), 1.0 - 2.0 * (positions % 2).double()


class EarlyFractionPosition(FeaturePosition):
    r"""$i$ and $\cos i\pi$: the encoding of PARITY in the paper's early code, not divided by n.

    The numbers grow with the word, which section 3.2 of the paper corrects (`FractionPosition`).
    """

    num_features = 2

    def features(self, positions: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """Return the position itself, and 1 if it is even, -1 if odd."""
        return positions.double(), 1.0 - 2.0 * (positions % 2).double()


class FirstPosition(FeaturePosition):
    """Whether i = 1, the first symbol after CLS (Chiang & Cholak 2022, section 3.3)."""

    num_features = 1

    def features(self, positions: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """Return 1 at the first symbol, and 0 elsewhere."""
        return ((positions == 1).double(),)


class EarlyFirstPosition(Position):
    r"""A learned map of whether i = 0, i = 1 or i >= 2 (early code of Chiang & Cholak 2022).

    $$PE(i) = M e_{\min(i, 2)} + b$$

    with a matrix M and a bias b, both drawn as torch's `Linear` draws them: U(1 / sqrt(3)).
    """

    def __init__(self, shape: PositionShape) -> None:
        super().__init__(shape)
        self.vectors = nn.Parameter(torch.zeros(_MARKS, shape.width))
        self.shared = nn.Parameter(torch.zeros(shape.width))

    def forward(
        self, positions: Positions, count: Counts, generator: torch.Generator | None = None
    ) -> Vectors:
        """Return the vectors of the positions: all from the second symbol on have the same."""
        return self.vectors[positions.clamp(max=_MARKS - 1)] + self.shared

    def draw(self, generator: torch.Generator) -> None:
        """Draw all weights from U(1 / sqrt(3))."""
        bound = _MARKS**-0.5
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.uniform_(-bound, bound, generator=generator)


_MARKS = 3
"""CLS, the first symbol, all others."""
