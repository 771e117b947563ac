"""Muon: an optimiser whose steps turn every direction of a matrix alike."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lengthwise.training.adamw import AdamW

MOMENTUM = 0.95
"""Share of the running mean of gradients that is kept at a step."""

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Coefficients of the odd polynomial of degree 5 that brings singular values near 1 soon."""

_ITERATIONS = 5

_RMS = 0.2
"""Root of the mean square of a step of AdamW's, in units of the rate."""


class Muon(AdamW):
    """Muon for the groups that ask for it with `orthogonal`, and AdamW for the others.

    A matrix W of m rows and n columns with gradient G, running mean M, rate r and decay d takes
    the step

        M <- 0.95 M + 0.05 G
        W <- (1 - r d) W - 0.2 r sqrt(max(m, n)) orthogonal(0.95 M + 0.05 G)

    Each singular value of a step is about the same, where those of a gradient differ by orders of
    magnitude, so that rare directions are learned as fast as frequent ones. With the factor
    0.2 sqrt(max(m, n)) the entries of a step are about as large as AdamW's, and one rate serves
    both.

    `torch.optim.Muon(adjust_lr_fn="match_rms_adamw")` computes the same in bfloat16, which some
    processors lack; this one computes in the precision of the weights, and takes matrices of one
    shape together.

    Source: Jordan et al. (2024), Muon: an optimizer for hidden layers in neural networks, who leave
    the matrix of the answer to AdamW; the factor is that of Liu et al. (2025), Muon is scalable for
    LLM training (arXiv 2502.16982).
    """

    @torch.no_grad()
    def step(self) -> None:
        """Take one step; parameters without a gradient are left as they are."""
        for group in self.param_groups:
            if group.get("orthogonal"):
                moved = [parameter for parameter in group["params"] if parameter.grad is not None]
                for alike in _by_shape(moved):
                    self._move(alike, group["lr"], group["weight_decay"])
        super().step()

    def _move(self, matrices: Sequence[Tensor], rate: float, decay: float) -> None:
        """Take the step of matrices of one shape, and take their gradients from AdamW."""
        directions = []
        for matrix in matrices:
            state = self.state.setdefault(matrix, {})
            if not state:
                state["momentum"] = torch.zeros_like(matrix)
            assert matrix.grad is not None
            state["momentum"].lerp_(matrix.grad, 1 - MOMENTUM)
            directions.append(matrix.grad.lerp(state["momentum"], MOMENTUM))
            matrix.grad = None
        size = rate * _RMS * math.sqrt(max(matrices[0].shape))
        for matrix, direction in zip(matrices, orthogonal(torch.stack(directions)), strict=True):
            matrix.mul_(1 - rate * decay).sub_(direction, alpha=size)


def orthogonal(
    matrices: Float[Tensor, "matrix row column"],
) -> Float[Tensor, "matrix row column"]:
    """Return about U V^T for matrices U S V^T: all singular values come near 1.

    Newton-Schulz iterations X <- Q X, where G = X X^T and Q = a I + b G + c G^2, apply an odd
    polynomial to the singular values, from the matrix over its Frobenius norm. These end between
    0.68 and 1.21 if they are at least 0.002 of that norm; 0 stays 0. G goes to Q G Q, so all but
    the first product and the last are of square matrices on the shorter side. Of a matrix with
    eight times as many columns as rows that is less than half the work of products with X in each
    iteration; of a square one it is a quarter more.
    """
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if is_tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-30)
    gram = x @ x.mT
    product = factor = _factor(gram)
    for _ in range(_ITERATIONS - 1):
        gram = factor @ gram @ factor
        factor = _factor(gram)
        product = factor @ product
    x = product @ x
    return x.mT if is_tall else x


def _factor(gram: Float[Tensor, "matrix row row"]) -> Float[Tensor, "matrix row row"]:
    """Return a I + b G + c G^2."""
    a, b, c = _COEFFICIENTS
    factor = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
    factor.diagonal(dim1=1, dim2=2).add_(a)
    return factor


def _by_shape(matrices: Sequence[Tensor]) -> list[list[Tensor]]:
    """Return the matrices in lists of one shape each."""
    groups: dict[tuple[int, ...], list[Tensor]] = {}
    for matrix in matrices:
        groups.setdefault(tuple(matrix.shape), []).append(matrix)
    return list(groups.values())
