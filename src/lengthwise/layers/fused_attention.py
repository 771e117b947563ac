"""Torch's fused attention, in the precision in which it is fast.

Axes:
    axes   any, such as words and heads
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query or key
    values numbers in a value
"""

from collections.abc import Callable
from contextlib import nullcontext

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F


def fused_attention(
    query: Float[Tensor, "*axes query size"],
    key: Float[Tensor, "*axes key size"],
    value: Float[Tensor, "*axes key values"],
    mask: Float[Tensor, "*rest query key"] | Bool[Tensor, "*rest query key"],
) -> Float[Tensor, "*axes query values"]:
    """Return `softmax(query @ key.T + mask) @ value`; a Boolean mask is true where a key is seen.

    The precision is that of `in_fast_precision`.
    """
    return in_fast_precision(_attend, query, key, value, mask)


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)


def in_fast_precision(
    attend: Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
) -> Tensor:
    """Return `attend(query, key, value, mask)`, computed where its gradient is fast.

    The result has the precision of the queries, or that of autocast if it is on. With gradients
    half precision is computed in single precision on a processor, and rounded once: there torch's
    gradient in half precision takes 1.6 to 5 times as long.
    """
    device = query.device.type
    has_autocast = torch.amp.is_autocast_available(device)
    of_result = query.dtype
    if has_autocast and torch.is_autocast_enabled(device) and of_result != torch.float64:
        of_result = torch.get_autocast_dtype(device)
    is_slow = device == "cpu" and of_result.itemsize < 4 and torch.is_grad_enabled()
    inside = torch.float32 if is_slow else of_result
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.to(inside)
    with torch.autocast(device, enabled=False) if has_autocast else nullcontext():
        result = attend(query.to(inside), key.to(inside), value.to(inside), mask)
    return result.to(of_result)
