"""Scaled dot-product attention for the GPT-2 of transformers, as `fused_attention` computes it.

After `register_fused_attention()` the setting `attn_implementation=NAME` of a GPT-2 means what
`sdpa` does, but that on a processor gradients are taken in single precision. The name is not stored
with the model.

Axes:
    word    sequences of a batch
    head    attention heads
    query   positions that attend
    key     positions that are attended to
    size    numbers in a query or key
    values  numbers in a value
"""

from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.layers.fused_attention import in_fast_precision

try:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.masking_utils import sdpa_mask
except ImportError:
    require_extra("transformers")  # says what to install
    raise

NAME = "sdpa-in-fast-precision"
"""Value of `attn_implementation`."""


def register_fused_attention() -> None:
    """Make the name known to transformers. Twice does no harm."""
    AttentionInterface.register(NAME, fused_attention_hf)
    AttentionMaskInterface.register(NAME, sdpa_mask)


def fused_attention_hf(
    module: nn.Module,
    query: Float[Tensor, "word head query size"],
    key: Float[Tensor, "word head key size"],
    value: Float[Tensor, "word head key values"],
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Float[Tensor, "word query head values"], None]:
    """Return what each head gathers, and no weights. Called by transformers."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        return sdpa_attention_forward(module, query, key, value, mask, **options)[0]

    return in_fast_precision(attend, query, key, value, attention_mask), None
