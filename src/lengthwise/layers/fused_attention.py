"""Torch's fused attention, in the precision in which it is fast.

Axes:
    axes   any, such as words and heads
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query or key
    values numbers in a value
"""

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

    Half precision that needs gradients is computed in single precision on a processor, and rounded
    once: there torch's gradient in half precision takes 1.6 to 5 times as long. Autocast makes no
    difference.
    """
    device, asked = query.device.type, query.dtype
    if device == "cpu" and asked.itemsize < 4 and torch.is_grad_enabled():
        query, key, value = query.float(), key.float(), value.float()
    if mask.dtype != torch.bool:
        mask = mask.to(query.dtype)
    has_autocast = torch.amp.is_autocast_available(device)
    with torch.autocast(device, enabled=False) if has_autocast else nullcontext():
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
    return found.to(asked)
