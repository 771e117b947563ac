r"""Log-length scaled attention for existing models of transformers.

    Att(q, K, V) = V^T softmax(log n . K q / sqrt(D))

n is the number of keys that a query sees (Chiang & Cholak 2022, equation 2): those of the cache as
well, and none that are padding, past a window, ahead of the query, or of another text of a packed
row. As log n . K q = K (log n . q), queries are multiplied and all else is what transformers does
for `sdpa`. A query that sees one key has log 1 = 0, and gathers that key with weight 1 all the
same.

After `register_log_length()`, any model that calls transformers' AttentionInterface (GPT-2, Llama,
...) takes the name, which is not stored with the model and must be passed each time:

    AutoModelForCausalLM.from_pretrained(folder, attn_implementation="log-length")

What it cannot do exactly is refused: see `log_length_attention` and `log_length_mask`.

Axes:
    word   sequences of a batch
    head   attention heads
    group  heads that share a key and a value
    query  positions that attend
    key    positions that are attended to
    size   numbers in a query, key or value of a head
"""

import sys
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.data.extra import require_extra
from lengthwise.errors import ConfigError

try:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.masking_utils import sdpa_mask
except ImportError:
    require_extra("transformers")  # says what to install
    raise

NAME = "log-length"
"""Value of `attn_implementation`; the same scale has this name in `SCALES`."""

_BESIDE_KEYS = ("s_aux", "sinks")
_OTHER_LOGITS = ("softcap",)
_NOT_IN_MASK = ("indices", "block_indices", "cache")
REFUSED = (*_BESIDE_KEYS, *_OTHER_LOGITS, *_NOT_IN_MASK)
"""Features of attention that are not done here: sinks beside the keys, logits with a
cap, and choices of keys that are not in the mask (sparse attention, continuous batching)."""


def register_log_length() -> None:
    """Make `attn_implementation="log-length"` known to transformers. Twice does no harm."""
    AttentionInterface.register(NAME, log_length_attention)
    AttentionMaskInterface.register(NAME, log_length_mask)


def log_length_attention(
    module: nn.Module,
    query: Float[Tensor, "word head query size"],
    key: Float[Tensor, "word group key size"],
    value: Float[Tensor, "word group key value"],
    attention_mask: Tensor | None,
    *,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    **options: Any,
) -> tuple[Float[Tensor, "word query head value"], None]:
    """Return what each head gathers, and no weights. Called by the models of transformers.

    A bias of positions is part of the logits, and is multiplied too, as in `layers.attention`.

    Raises:
        ConfigError: the model asks for something in `REFUSED`, or its mask holds other numbers than
            0 and the least.
    """
    for name in REFUSED:
        if options.get(name) is not None:
            raise ConfigError(
                f"log-length attention has no {name}, which this {type(module).__name__} needs. "
                f"Use another attn_implementation, or another model."
            )
    if is_causal is None:
        is_causal = bool(getattr(module, "is_causal", True))
    seen = None if attention_mask is None else _make_boolean_mask(attention_mask)
    factor = _visible(query, key, seen, is_causal).clamp(min=1)[..., None]  # padding may see none
    factor = factor.to(torch.promote_types(query.dtype, torch.float32)).log()
    if position_bias is not None:
        options["position_bias"] = (position_bias * factor).to(position_bias.dtype)
    scaled = (query * factor).to(query.dtype)
    return sdpa_attention_forward(module, scaled, key, value, seen, is_causal=is_causal, **options)


def log_length_mask(**settings: Any) -> Tensor | None:
    """Return the mask that `sdpa` has: none where attention is causal, or full.

    Raises:
        ConfigError: the model has an attention of its own, which would take no notice.
    """
    _require_interface(settings.get("config"))
    return sdpa_mask(**settings)


def _visible(query: Tensor, key: Tensor, seen: Tensor | None, is_causal: bool) -> Tensor:
    """Return the number of keys that each query sees: `[word, head, query]`, sizes 1 for all."""
    if seen is not None:
        return seen.sum(dim=-1)
    if is_causal and query.shape[2] > 1:  # without a mask, the first query is at the first key
        return torch.arange(1, query.shape[2] + 1, device=query.device)[None, None]
    return torch.full((1, 1, 1), key.shape[2], device=query.device)


def _make_boolean_mask(mask: Tensor) -> Tensor:
    """Return a mask of truth values, from one that is added to the logits."""
    if mask.dtype == torch.bool:
        return mask
    hidden = mask <= torch.finfo(mask.dtype).min / 2
    if not bool((hidden | (mask == 0)).all()):
        raise ConfigError(
            "log-length attention counts the keys that a mask shows, but this mask holds numbers "
            "between 0 and the least. Give one of truth values."
        )
    return ~hidden


def _require_interface(config: Any) -> None:
    """Refuse a model whose module never asks transformers for an attention by its name.

    Some models, such as Bloom and Falcon, load with any name and compute something else.
    """
    name = type(config).__module__.replace("configuration_", "modeling_")
    module = sys.modules.get(name)
    composite = bool(getattr(config, "sub_configs", None))  # of models that have it each for itself
    if module is not None and not composite and not hasattr(module, "ALL_ATTENTION_FUNCTIONS"):
        raise ConfigError(
            f"a {config.model_type} has an attention of its own, which cannot be replaced by "
            f"{NAME}. Use a model that has transformers' AttentionInterface, such as gpt2 or llama."
        )
