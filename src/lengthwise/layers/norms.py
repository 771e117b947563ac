"""Placements of the norm of a residual branch: one class each, under one contract.

A branch f becomes `after(x + f(before(x)))`. `make_embedding_norm` is applied once, to the
embeddings, and `final` once, before the read-out.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.registry import Catalogue

EPSILON = 1e-5
"""Number that torch adds to the variance by default."""


Vectors = Float[Tensor, "*axes width"]


class LayerNorm(nn.LayerNorm):
    r"""Layer normalisation, for any epsilon >= 0.

    $$(x - \mathrm{mean}(x)) / \sqrt{\mathrm{var}(x) + \epsilon} \cdot \gamma + \beta$$

    With epsilon = 0 the result does not depend on the size of x: x is divided by its greatest entry
    first, so that no square underflows, and a constant x, which has no direction, becomes 0.
    """

    def forward(self, x: Vectors) -> Vectors:
        """Return the normalised vectors."""
        if self.eps > 0:
            return super().forward(x)
        # Not where size == 0: three numbers of 0.1 have a mean that is not 0.1.
        constant = (x == x[..., :1]).all(dim=-1, keepdim=True)
        centred = x - x.mean(dim=-1, keepdim=True)
        size = centred.abs().amax(dim=-1, keepdim=True)
        # A constant row is replaced, so that its gradient is 0 and not NaN.
        slope = torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
        row = torch.where(constant, slope, centred / torch.where(constant, 1.0, size))
        unit = F.layer_norm(row, self.normalized_shape, eps=0.0)
        return torch.where(constant, 0.0, unit) * self.weight + self.bias


class _Placement(nn.Module):
    """Base of placements: x + f(x), with no norm anywhere."""

    def before(self, x: Vectors) -> Vectors:
        """Return the input of the branch."""
        return x

    def after(self, x: Vectors) -> Vectors:
        """Return the sum of input and branch, after its norm if it has one."""
        return x

    @staticmethod
    def make_embedding_norm(width: int, epsilon: float = EPSILON) -> nn.Module:
        """Build what is applied to the embeddings."""
        return nn.Identity()

    @staticmethod
    def final(width: int, epsilon: float = EPSILON) -> nn.Module:
        """Build the norm before the read-out."""
        return nn.Identity()


class NoNorm(_Placement):
    """x + f(x): for exact constructions."""

    def __init__(self, width: int, epsilon: float = EPSILON) -> None:
        super().__init__()


class _OneNorm(_Placement):
    """Base of placements with one norm in each branch."""

    def __init__(self, width: int, epsilon: float = EPSILON) -> None:
        super().__init__()
        self.norm = LayerNorm(width, eps=epsilon)


class PostNorm(_OneNorm):
    """LN(x + f(x)), as in the original transformer and RegularGPT's own code."""

    def after(self, x: Vectors) -> Vectors:
        """Normalise the sum of input and branch."""
        return self.norm(x)


class EmbeddedPostNorm(PostNorm):
    """LN(x + f(x)), where the first x is LN(embedding), as in BERT.

    It is what equations 9 and 13 of "Guiding transformers to process in steps" (2022) say as they
    are printed; its own proof and minGPT have `PreNorm` (docs/errata.md).
    """

    @staticmethod
    def make_embedding_norm(width: int, epsilon: float = EPSILON) -> nn.Module:
        """Build the norm of the embeddings."""
        return LayerNorm(width, eps=epsilon)


class PreNorm(_OneNorm):
    """x + f(LN(x)), as in GPT-2, with one more norm before the read-out."""

    def before(self, x: Vectors) -> Vectors:
        """Normalise the input of the branch."""
        return self.norm(x)

    @staticmethod
    def final(width: int, epsilon: float = EPSILON) -> nn.Module:
        """Build the norm before the read-out."""
        return LayerNorm(width, eps=epsilon)


NORMS: Catalogue[type[PostNorm] | type[EmbeddedPostNorm] | type[PreNorm] | type[NoNorm]] = (
    Catalogue(
        "norm",
        {"post": PostNorm, "post-embedded": EmbeddedPostNorm, "pre": PreNorm, "none": NoNorm},
    )
)
"""`post-embedded` is for models that apply `make_embedding_norm`: causal transformers."""
