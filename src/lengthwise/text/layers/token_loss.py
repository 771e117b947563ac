r"""Cross-entropy of target tokens, without holding all logits at a time.

The logits of a batch, tokens times vocabulary, are the largest tensor of a language model, and go
through memory many times. Here they are computed for a few tokens at a time, and their gradient
with them, while they are in caches. With vectors x, read-out W, target tokens y and smoothing s,

    l = W x
    loss = log sum exp(l) - (1 - s) l_y - s mean(l)
    dloss / dl = softmax(l) - (1 - s) onehot(y) - s / V

Axes:
    axes    any, such as texts and their positions
    token   target tokens
    width   numbers in a vector
    symbol  the vocabulary, of V
"""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

_LOGITS_IN_CACHE, _LOGITS_AT_ONCE = 2**19, 2**26
"""On a processor, and on accelerators."""
_FEWEST_TOKENS = 64
"""At once: fewer make slow matrix products."""
_LEAST = -70.0
"""Below the greatest logit. e^-70 is nothing beside 1, and numbers near the least that there are
would make matrix products ten times slower."""


class ReadOut(NamedTuple):
    """Vectors, and the matrix that makes logits of them."""

    vectors: Float[Tensor, "*axes width"]
    matrix: Float[Tensor, "symbol width"]


class LossAndHits(NamedTuple):
    """The loss of target tokens, and how many are predicted."""

    loss: Float[Tensor, ""]
    """The mean cross-entropy, in nats."""
    right: Int[Tensor, ""]
    """Number of targets that are likelier than all other tokens."""


def token_loss(
    vectors: Float[Tensor, "token width"],
    matrix: Float[Tensor, "symbol width"],
    targets: Int[Tensor, " token"],
    *,
    smoothing: float = 0.0,
) -> LossAndHits:
    """Return the cross-entropy of target tokens with label smoothing; differentiable once.

    `F.cross_entropy(vectors @ matrix.T, targets, label_smoothing=smoothing)`. Under autocast matrix
    products are in its precision, except those of double precision; all else is in the precision of
    the vectors, or single.
    """
    device = vectors.device.type
    has_autocast = torch.amp.is_autocast_available(device)
    is_on = has_autocast and torch.is_autocast_enabled(device)
    lower = is_on and vectors.dtype != torch.float64
    products = torch.get_autocast_dtype(device) if lower else vectors.dtype
    learns = torch.is_grad_enabled() and (vectors.requires_grad or matrix.requires_grad)
    with torch.autocast(device, enabled=False) if has_autocast else nullcontext():
        if learns:
            how = _How(smoothing, products)
            loss, right = _TokenLoss.apply(vectors, matrix, targets, how)  # type: ignore[no-untyped-call]
        else:
            parts = _parts(vectors.to(products), matrix.to(products), targets)
            loss, right = _sums(parts, len(targets), smoothing)
    return LossAndHits(loss, right)


class _How(NamedTuple):
    """Label smoothing, and the precision of matrix products."""

    smoothing: float
    products: torch.dtype


class _Part(NamedTuple):
    """Some tokens, in the precision of matrix products, and their logits, not below single."""

    rows: slice
    vectors: Tensor
    logits: Tensor
    targets: Tensor


def _parts(vectors: Tensor, matrix: Tensor, targets: Tensor) -> Iterator[_Part]:
    at_once = _LOGITS_IN_CACHE if vectors.device.type == "cpu" else _LOGITS_AT_ONCE
    count = max(_FEWEST_TOKENS, at_once // len(matrix))
    for start in range(0, len(vectors), count):
        rows = slice(start, start + count)
        part_vectors = vectors[rows]
        logits = part_vectors @ matrix.t()
        precise = torch.promote_types(logits.dtype, torch.float32)
        yield _Part(rows, part_vectors, logits.to(precise), targets[rows, None])


def _sums(parts: Iterator[_Part], num_tokens: int, smoothing: float) -> tuple[Tensor, Tensor]:
    """Return the mean loss and the number of right tokens.

    The logits become their softmax, divided by the number of tokens.
    """
    losses, right = [], []
    for part in parts:
        logits = part.logits
        target_logits, greatest = logits.gather(1, part.targets), logits.amax(dim=1, keepdim=True)
        mean = logits.mean(dim=1, keepdim=True) if smoothing else target_logits
        right.append(_likeliest(logits, target_logits, greatest))
        power = logits.sub_(greatest).clamp_(min=_LEAST).exp_()
        total = power.sum(dim=1, keepdim=True)
        power.mul_(1 / (total * num_tokens))
        row_losses = greatest + total.log() - (1 - smoothing) * target_logits - smoothing * mean
        losses.append(row_losses.double().sum())
    loss = torch.stack(losses).sum() / num_tokens
    return loss.to(target_logits.dtype), torch.stack(right).sum()


def _likeliest(logits: Tensor, target_logits: Tensor, greatest: Tensor) -> Tensor:
    """Count the rows whose target alone has the greatest logit.

    `amax` goes through many symbols side by side, which `argmax` does not. On a processor only rows
    whose target may be it are looked at again; on an accelerator, finding them would need a
    synchronisation.
    """
    may_be = (target_logits >= greatest)[:, 0]
    if logits.device.type != "cpu":
        return (((logits == greatest).sum(dim=1) == 1) & may_be).sum()
    rows = may_be.nonzero()[:, 0]
    return ((logits[rows] == greatest[rows]).sum(dim=1) == 1).sum()


class _TokenLoss(torch.autograd.Function):
    """The loss, with gradients that are computed along with it."""

    @staticmethod
    def forward(
        ctx: Any, vectors: Tensor, matrix: Tensor, targets: Tensor, how: _How
    ) -> tuple[Tensor, Tensor]:
        """Compute `token_loss`."""
        smoothing, products = how
        lower_matrix = matrix.to(products)
        of_vectors = torch.empty_like(vectors)
        precise = torch.promote_types(matrix.dtype, torch.float32)
        of_matrix = torch.zeros_like(matrix, dtype=precise)

        def parts() -> Iterator[_Part]:
            for part in _parts(vectors.to(products), lower_matrix, targets):
                yield part
                slope = part.logits  # by now what `_sums` leaves
                target_slopes = torch.full_like(slope[:, :1], (smoothing - 1) / len(targets))
                slope.scatter_add_(1, part.targets, target_slopes)
                if smoothing:
                    slope.sub_(smoothing / (len(matrix) * len(targets)))
                lower = slope.to(products)
                of_vectors[part.rows] = (lower @ lower_matrix).to(vectors.dtype)
                if ctx.needs_input_grad[1]:
                    of_matrix.add_((lower.t() @ part.vectors).to(precise))

        loss, right = _sums(parts(), len(targets), smoothing)
        ctx.save_for_backward(of_vectors, of_matrix.to(matrix.dtype))
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients that are there, times that of the loss."""
        if torch.is_grad_enabled():  # a graph of this is asked for, which would lack what is here
            raise RuntimeError("token_loss is differentiable once. Use F.cross_entropy.")
        of_vectors, of_matrix = ctx.saved_tensors
        slope = slopes[0]
        return (
            of_vectors * slope.to(of_vectors.dtype),
            of_matrix * slope.to(of_matrix.dtype),
            None,
            None,
        )
