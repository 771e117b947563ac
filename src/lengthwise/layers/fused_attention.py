"""Torch's fused attention, in the precision in which it is fast.

Axes:
    axes   any, such as words and heads
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query or key
    values numbers in a value
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F


@contextmanager
def fast_precision(query: Tensor) -> Iterator[tuple[torch.dtype, torch.dtype]]:
    """Give the precision that attention is asked for and the one it is computed in; autocast is off
    inside.

    What is asked for is the precision of the queries, or that of autocast if it is on. With
    gradients half precision is computed in single precision on a processor, and rounded once: there
    torch's gradient in half precision takes 1.6 to 6 times as long.
    """
    device = query.device.type
    has_autocast = torch.amp.is_autocast_available(device)
    asked = query.dtype
    if has_autocast and torch.is_autocast_enabled(device) and asked != torch.float64:
        asked = torch.get_autocast_dtype(device)
    slow = device == "cpu" and asked.itemsize < 4 and torch.is_grad_enabled()
    with torch.autocast(device, enabled=False) if has_autocast else nullcontext():
        yield asked, torch.float32 if slow else asked


def fused_attention(
    query: Float[Tensor, "*axes query size"],
    key: Float[Tensor, "*axes key size"],
    value: Float[Tensor, "*axes key values"],
    mask: Float[Tensor, "*rest query key"] | Bool[Tensor, "*rest query key"],
) -> Float[Tensor, "*axes query values"]:
    """Return `softmax(query @ key.T + mask) @ value`; a Boolean mask is true where a key is seen.

    The result has the precision of the queries, or that of autocast if it is on. See
    `fast_precision` for the one it is computed in.
    """
    with fast_precision(query) as (asked, inside):
        query, key, value = query.to(inside), key.to(inside), value.to(inside)
        if mask.dtype != torch.bool:
            mask = mask.to(inside)
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
        return found.to(asked)
