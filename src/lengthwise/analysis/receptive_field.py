r"""Receptive fields: cumulated norms of gradients by position (section 7.4).

The tool is that of Chi et al. (2023b, "Dissecting Transformer Length Extrapolation via the Lens of
Receptive Field Analysis"), which Figure 4 of the RegularGPT paper uses. For a word of T symbols
with embeddings $e_1, ..., e_T$ and the largest of the logits of its classes, z,

$$s_t = \| \partial z / \partial e_t \|_2, \qquad
  c_k = \sum_{j < k} s_{T-j} \Big/ \sum_t s_t, \qquad k = 1, ..., T.$$

$c_k$ is the share of the k most recent symbols, so $c_T = 1$; a straight line, $c_k = k / T$, means
that all positions count equally. The curve is the mean over words, so each word counts equally,
however large its gradient. The paper does not say which scalar is differentiated; the largest logit
is our choice.

Equal sub-words share a node in RegularGPT's own evaluation; here each position has a vector of its
own, so that gradients are not summed over positions.

Binary memory keeps signs, which have no gradient. As in training, the gradient of sign(a) is taken
to be that of tanh(a), without the noise: $1 / \cosh^2(a)$, in a form that does not round to 0.

Axes:
    word    words of the batch
    position   positions of the word
    node    nodes of a level
    width   numbers in a vector
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.analysis.model_copy import float64_copy
from lengthwise.errors import ClaimError, TaskError
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import grow
from lengthwise.layers.memory import BinaryMemory
from lengthwise.layers.right_aligned import FullWords, Lengths
from lengthwise.models.regular_gpt import RegularGPT, roots

_SYMBOLS_AT_ONCE = 2**16


def receptive_field(
    model: nn.Module, language: Language, tokens: FullWords, lengths: Lengths
) -> dict[str, Any]:
    """Record a curve for each length of right-aligned words, with summary numbers.

    `cumulated[k - 1]` is the mean of c_k. `half` is the number of most recent symbols that hold
    half of the gradient, `deviation` the largest distance of the curve from the straight line, and
    `least` the smallest mean share of a position, in units of 1 / T.

    Raises:
        ConfigError: the model is not a RegularGPT.
        TaskError: a word is empty, so it has no positions.
        ClaimError: a gradient is not finite, or zero at all positions.
    """
    model = float64_copy(model)
    if not len(lengths) or int(lengths.min()) < 1:
        raise TaskError("the empty word has no positions to look at. Use lengths of 1 or more.")
    curves = [
        field_curve_of(
            lambda part: gradient_norms(model, part),
            tokens[lengths == length, tokens.shape[1] - length :],
        )
        for length in torch.unique(lengths).tolist()
    ]
    return {"curves": curves}


def gradient_norms(model: RegularGPT, tokens: FullWords) -> Float[Tensor, "word position"]:
    """Return s_t of words that fill their rows."""
    num_words, length = tokens.shape
    leaf = model.leaf(tokens.reshape(-1)).requires_grad_()
    positions = torch.arange(tokens.numel()).view(tokens.shape)
    tree = grow(positions, None, tokens.numel(), model.config.chunk_size, share=False)
    below, vectors = leaf, []
    for level in tree.levels:
        below = _record_memory(model, model.gather(below, level.children))
        vectors.append(below)
    largest = model.read(roots(tree, vectors)).amax(dim=1).sum()
    (gradient,) = torch.autograd.grad(largest, leaf)
    scale = model.config.d_model**0.5  # a leaf is an embedding times sqrt(width)
    return scale * gradient.view(num_words, length, -1).norm(dim=2)


def _record_memory(
    model: RegularGPT, x: Float[Tensor, "node width"]
) -> Float[Tensor, "node width"]:
    """Return the output of memory, with a gradient."""
    memory = model.memory
    if not isinstance(memory, BinaryMemory):
        return memory(x)
    numbers = memory.numbers(x)
    slope = numbers.detach().cosh().pow(-2)
    signs = torch.where(numbers >= 0, 1.0, -1.0).to(x.dtype)
    return memory.norm(memory.read(signs + slope * (numbers - numbers.detach())))


def field_curve_of(
    norms_of: Callable[[Tensor], Tensor], tokens: FullWords, at_once: int = _SYMBOLS_AT_ONCE
) -> dict[str, Any]:
    """Record the curve of words of one length, from norms that are computed in parts.

    Raises:
        ClaimError: a gradient is not finite, or zero at all positions.
    """
    num_words, length = tokens.shape
    parts = torch.split(tokens, max(1, at_once // length))
    norms = torch.cat([norms_of(part) for part in parts])
    totals = norms.sum(dim=1, keepdim=True)
    if not totals.isfinite().all() or (totals == 0).any():
        raise ClaimError(
            f"the gradient of a word of {length} symbols is zero or not finite, so it has no "
            f"receptive field: computed weights answer in steps, and trained ones can on long "
            f"words. Use shorter words, or other figures."
        )
    share = (norms / totals).mean(dim=0)
    cumulated = share.flip(0).cumsum(0)
    cumulated = cumulated / cumulated[-1]  # to the last digit
    straight = torch.arange(1, length + 1) / length
    return {
        "length": length,
        "words": num_words,
        "half": int((cumulated < 0.5).sum()) + 1,
        "deviation": float((cumulated - straight).abs().max()),
        "least": float(share.min()) * length,
        "cumulated": [round(value, 6) for value in cumulated.tolist()],
    }
