"""Answers in deeper trees: does a node keep its meaning at levels that training has not seen?

Words of T symbols have trees of ceil(log_C T) levels, so longer words have levels at which no node
was trained. Words of any length can have deeper trees: the pad stands for the empty word, so a
chunk of pads and one node x should do what x does, f(pad, x) = x. Here every node above the symbols
passes k such levels once it is composed, so that the tree has (1 + k) ceil(log_C T) levels, and the
answer should stay the same. An answer that changes tells that vectors mean something else at other
levels. It does not prove that longer words are lost, since in a word's own tree the pad is only at
the left end.

Axes:
    node   distinct sub-words of a level
    chunk  the C children of a node
    width  numbers in a vector
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.analysis.model_copy import float64_copy
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.language import Language
from lengthwise.layers.chunks import ABSENT, Tree, grow
from lengthwise.layers.right_aligned import FullWords, Lengths
from lengthwise.models.regular_gpt import RegularGPT, roots
from lengthwise.tasks.automaton import Automaton

EXTRA_LEVELS = (0, 1, 2, 3)
"""Numbers k of further levels for each level of the tree."""


def deeper_trees(
    model: nn.Module, language: Language, tokens: FullWords, lengths: Lengths
) -> dict[str, Any]:
    """Record how many answers to right-aligned words are right, and stay, in deeper trees.

    `curves` has one for each length. In its points, `accuracy` is the share of right answers, and
    `kept` the share of those that are as in the word's own tree.

    Raises:
        ConfigError: the model is not a RegularGPT.
    """
    model = float64_copy(model)
    tree = grow(tokens, lengths, model.config.vocab_size, model.config.chunk_size)
    right = Automaton(language).classify(tokens)
    answers = {extra: _answers(model, tree, extra) for extra in EXTRA_LEVELS}
    curves = []
    for length in sorted(set(lengths.tolist())):
        of_length = lengths == length
        points = [
            {
                "levels": (1 + extra) * model.steps(length),
                "accuracy": _share((deeper == right)[of_length]),
                "kept": _share((deeper == answers[0])[of_length]),
            }
            for extra, deeper in answers.items()
        ]
        curves.append({"length": length, "points": points})
    return {"curves": curves}


def _answers(model: RegularGPT, tree: Tree, extra: int) -> Int[Tensor, " word"]:
    """Return the classes of the words of a tree whose nodes pass further levels."""
    below = model.leaf(torch.arange(model.config.vocab_size))
    vectors = []
    for level in tree.levels:
        below = raise_vectors(model, model.compose(below, level.children), extra)
        vectors.append(below)
    return answer_of(model.read(roots(tree, vectors)))


def _share(is_so: Bool[Tensor, " word"]) -> float:
    return is_so.double().mean().item()


def raise_vectors(
    model: RegularGPT, nodes: Float[Tensor, "node width"], levels: int
) -> Float[Tensor, "node width"]:
    """Return the vectors of the same sub-words a number of levels further up."""
    alone = torch.full((len(nodes), model.config.chunk_size), ABSENT)
    alone[:, -1] = torch.arange(len(nodes))
    for _ in range(levels):
        nodes = model.compose(nodes, alone)
    return nodes
