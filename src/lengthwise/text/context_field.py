"""Receptive fields of language models, as `lengthwise.analysis.receptive_field` has them of others.

Axes:
    word    texts of a batch
    position   positions of the text
"""

from copy import deepcopy
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.analysis.receptive_field import field_curve_of
from lengthwise.layers.right_aligned import FullWords
from lengthwise.text.models.language_model import LanguageModel

_NUMBERS_AT_ONCE = 2**22
"""Tokens x width x layers of a language model whose gradient is computed together; half a GB."""


def context_field(model: LanguageModel, tokens: FullWords) -> dict[str, Any]:
    """Record a curve as `receptive_field` does, of a language model on texts of one length.

    z is the largest of the logits after the last token, and e_t the output of `embedding`.

    Raises:
        ClaimError: a gradient is not finite, or zero at all positions.
    """
    model = deepcopy(model).cpu().double().eval().requires_grad_(False)
    at_once = _NUMBERS_AT_ONCE // (model.embedding.embedding_dim * model.num_layers)
    return field_curve_of(lambda part: context_norms(model, part), tokens, at_once)


def context_norms(model: LanguageModel, tokens: FullWords) -> Float[Tensor, "word position"]:
    """Return s_t of texts of one length."""
    leaves: list[Tensor] = []

    def keep(module: nn.Module, arguments: Any, embedded: Tensor) -> Tensor:
        leaves.append(embedded.detach().requires_grad_())
        return leaves[-1]

    hook = model.embedding.register_forward_hook(keep)
    try:
        largest = model.last(tokens).amax(dim=1).sum()
    finally:
        hook.remove()
    (gradient,) = torch.autograd.grad(largest, leaves[0])
    return gradient.norm(dim=2)
