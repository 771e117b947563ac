"""How does a transformer know where a symbol stands? One class per encoding, under one contract.

Each is made for vectors of a width and words of at most some number of places, and gives the
vectors that are added to the embeddings, from the places and the number of places of their word.

Axes:
    place   places of a word, from 0
    width   numbers in a vector
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.catalogue import Catalogue
from lengthwise.errors import WordError


class NoPosition(nn.Module):
    """Nothing is added: the word is a bag of symbols, but for masks."""

    def __init__(self, width: int, max_places: int) -> None:
        super().__init__()
        self.width = width
        self.register_buffer("nothing", torch.zeros(width), persistent=False)

    nothing: Tensor

    def forward(
        self, place: Int[Tensor, "*axes"], count: Int[Tensor, "*#axes"]
    ) -> Float[Tensor, "*axes width"]:
        """Zeros."""
        return self.nothing.expand(*place.shape, self.width)


class LearnedPosition(nn.Module):
    """A vector of its own for each place; places past the last one are refused."""

    def __init__(self, width: int, max_places: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.zeros(max_places, width))

    def forward(
        self, place: Int[Tensor, "*axes"], count: Int[Tensor, "*#axes"]
    ) -> Float[Tensor, "*axes width"]:
        """The vectors of the places.

        Raises:
            WordError: a word has more places than there are vectors.
        """
        if place.numel() and int(count.max()) > len(self.vectors):
            raise WordError(
                f"there are positions for at most {len(self.vectors)} places, but a word needs "
                f"{int(count.max())}. Give shorter words."
            )
        return self.vectors[place.clamp(max=len(self.vectors) - 1)]


class SinusoidalPosition(nn.Module):
    r"""Sines and cosines of many periods (Vaswani et al., 2017).

    $$PE(i)_{2r} = \sin(i / 10000^{2r/width}), \quad PE(i)_{2r+1} = \cos(i / 10000^{2r/width})$$
    """

    def __init__(self, width: int, max_places: int) -> None:
        super().__init__()
        self.register_buffer("like", torch.zeros(width), persistent=False)

    like: Tensor

    def forward(
        self, place: Int[Tensor, "*axes"], count: Int[Tensor, "*#axes"]
    ) -> Float[Tensor, "*axes width"]:
        """The vectors of the places."""
        width = len(self.like)
        # Computed here, since a buffer would lose its digits where the module is made less precise.
        power = torch.arange(0, width, 2, dtype=torch.float64, device=self.like.device) / width
        angle = place[..., None].double() * 10_000.0**-power
        both = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
        return both[..., :width].to(self.like.dtype)


class FeaturePosition(nn.Module):
    """Base of fixed encodings that are a few numbers, each written along a direction.

    `directions[feature, width]` is a stored buffer; feature f stands in coordinate f unless it is
    set otherwise.
    """

    num_features: int
    directions: Tensor

    def __init__(self, width: int, max_places: int) -> None:
        super().__init__()
        self.register_buffer("directions", torch.eye(self.num_features, width))

    def features(self, place: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """The numbers of each place, in float64."""
        raise NotImplementedError

    def forward(
        self, place: Int[Tensor, "*axes"], count: Int[Tensor, "*#axes"]
    ) -> Float[Tensor, "*axes width"]:
        """The features of the places, each times its direction."""
        features = torch.stack(self.features(place, count), dim=-1)
        return features.to(self.directions.dtype) @ self.directions


class FractionPosition(FeaturePosition):
    r"""$i / n$ and $\cos i\pi$, for a word of n places (Chiang & Cholak 2022, section 3.2)."""

    num_features = 2

    def features(self, place: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """How far the place is, and whether it is even (1) or odd (-1)."""
        return place.double() / count.double(), 1.0 - 2.0 * (place % 2).double()


class FirstPosition(FeaturePosition):
    """Whether i = 1, the first symbol after CLS (Chiang & Cholak 2022, section 3.3)."""

    num_features = 1

    def features(self, place: Tensor, count: Tensor) -> tuple[Tensor, ...]:
        """1 at the first symbol."""
        return ((place == 1).double(),)


PositionType = (
    type[NoPosition]
    | type[LearnedPosition]
    | type[SinusoidalPosition]
    | type[FractionPosition]
    | type[FirstPosition]
)

POSITIONS: Catalogue[PositionType] = Catalogue(
    "position",
    {
        "none": NoPosition,
        "learned": LearnedPosition,
        "sinusoidal": SinusoidalPosition,
        "fraction": FractionPosition,
        "first": FirstPosition,
    },
)
