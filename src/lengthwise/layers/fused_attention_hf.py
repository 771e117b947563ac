"""Attention of the models of transformers in the precision in which torch's is fast.

It is what transformers does for `sdpa`, but for the precision: see `fast_precision`. Settings that
are made with `attn_implementation=NAME` after `register()` have it; the name is not stored with the
model.

Axes:
    word    sequences of a batch
    head    attention heads
    query   positions that attend
    key     positions that are attended to
    size    numbers in a query or key
    values  numbers in a value
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from lengthwise.layers.fused_attention import fast_precision

NAME = "sdpa-in-fast-precision"
"""Value of `attn_implementation`."""


def register() -> None:
    """Make the name known to transformers. Twice does no harm."""
    AttentionInterface.register(NAME, sdpa_in_fast_precision)
    AttentionMaskInterface.register(NAME, sdpa_mask)


def sdpa_in_fast_precision(
    module: nn.Module,
    query: Float[Tensor, "word head query size"],
    key: Float[Tensor, "word head key size"],
    value: Float[Tensor, "word head key values"],
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Float[Tensor, "word query head values"], None]:
    """Return what each head gathers, and no weights. Called by the models of transformers."""
    with fast_precision(query) as (asked, inside):
        query, key, value = query.to(inside), key.to(inside), value.to(inside)
        if attention_mask is not None and attention_mask.dtype != torch.bool:
            attention_mask = attention_mask.to(inside)
        found, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        return found.to(asked), None
