"""Accuracy in deeper trees: does a node keep its meaning at levels that training has not seen?

Words of T symbols have trees of ceil(log_C T) levels, so longer words have levels at which no node
was trained. Deeper trees can be had for words of *any* length: the pad stands for the empty word,
so a chunk of pads and one node x should do what x does, f(pad, x) = x. Here every node passes k
such levels before it is composed, so that the tree has (1 + k) ceil(log_C T) levels, and the answer
should be the same. If it is not, vectors drift from level to level, and longer words will be
answered wrongly, too. No word is longer than those given, so a setting can be chosen by this figure
without a look at longer words.

Axes:
    node   distinct sub-words of a level
    chunk  the C children of a node
    width  numbers in a vector
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.analysis.model_copy import float64_copy
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import ABSENT, grow
from lengthwise.layers.rows import FullWords, Lengths
from lengthwise.models.regular_gpt import RegularGPT, roots
from lengthwise.tasks.automaton import Automaton

EXTRA_LEVELS = (0, 1, 2, 3)
"""Numbers k of further levels for each level of the tree."""


def deeper_trees(
    model: nn.Module, language: Language, tokens: FullWords, lengths: Lengths
) -> dict[str, Any]:
    """Record the share of right answers to right-aligned words, for each number of further levels.

    Raises:
        ConfigError: the model is no RegularGPT.
    """
    model = float64_copy(model)
    tree = grow(tokens, lengths, model.config.vocab_size, model.config.chunk)
    classes = Automaton(language).classify(tokens)
    curve = []
    for extra in EXTRA_LEVELS:
        below = model.leaf(torch.arange(model.config.vocab_size))
        vectors = []
        for level in tree.levels:
            below = raised(model, model.compose(below, level.children), extra)
            vectors.append(below)
        right = answer_of(model.read(roots(tree, vectors))) == classes
        levels = (1 + extra) * len(tree.levels)
        curve.append({"extra": extra, "levels": levels, "accuracy": right.double().mean().item()})
    return {"curve": curve}


def raised(
    model: RegularGPT, nodes: Float[Tensor, "node width"], levels: int
) -> Float[Tensor, "node width"]:
    """Return the vectors of the same sub-words so many levels further up."""
    alone = torch.full((len(nodes), model.config.chunk), ABSENT)
    alone[:, -1] = torch.arange(len(nodes))
    for _ in range(levels):
        nodes = model.compose(nodes, alone)
    return nodes
