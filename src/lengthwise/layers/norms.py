"""Where does a residual branch normalise? One class per placement, under one contract.

A branch f becomes `after(x + f(before(x)))`. `final` is applied once, before the read-out.
"""

from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.catalogue import Catalogue


class PostNorm(nn.Module):
    """LN(x + f(x)), as in the original transformer and RegularGPT's own code."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def before(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The input of the branch."""
        return x

    def after(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The sum of input and branch."""
        return self.norm(x)

    @staticmethod
    def final(width: int) -> nn.Module:
        """What stands before the read-out."""
        return nn.Identity()


class PreNorm(nn.Module):
    """x + f(LN(x)), as in GPT-2, with one more norm before the read-out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def before(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The input of the branch."""
        return self.norm(x)

    def after(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The sum of input and branch."""
        return x

    @staticmethod
    def final(width: int) -> nn.Module:
        """What stands before the read-out."""
        return nn.LayerNorm(width)


class NoNorm(nn.Module):
    """x + f(x): for exact constructions."""

    def __init__(self, width: int) -> None:
        super().__init__()

    def before(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The input of the branch."""
        return x

    def after(self, x: Float[Tensor, "*axes width"]) -> Float[Tensor, "*axes width"]:
        """The sum of input and branch."""
        return x

    @staticmethod
    def final(width: int) -> nn.Module:
        """What stands before the read-out."""
        return nn.Identity()


NORMS: Catalogue[type[PostNorm] | type[PreNorm] | type[NoNorm]] = Catalogue(
    "norm", {"post": PostNorm, "pre": PreNorm, "none": NoNorm}
)
