"""Initial weights of RegularGPT: two functions under one contract.

With fan-in and fan-out of a matrix, U(b) uniform in -b..b, and width d:

    xavier  matrices U(sqrt(6 / (in + out))), embedding and pad N(0, 1/d); offsets 0
    haiku   what the authors' code does: matrices N(0, 1/in) and embedding N(0, 0.02^2), both cut at
            two deviations; the vector before a word N(0, 0.02^2), and offsets the same

Biases are 0, factors of norms 1. The vectors of symbols thus begin with a deviation of 1, or of
0.16 at width 64 before the cut (0.02 sqrt(d)). The authors do not multiply their pad by sqrt(d).
Here it is multiplied, so it is drawn smaller by that factor, and a step of Adam moves it sqrt(d)
times as far.
"""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from lengthwise.models.initialisation import EMBEDDING_DEVIATION, draw_cut_normal
from lengthwise.registry import Catalogue

_Draw = Callable[[str, Tensor, float, Generator], None]
"""Draws a matrix, the embedding, the pad or offsets, from the name and the scale of embeddings."""


def draw_tree(model: nn.Module, kind: str, scale: float, generator: Generator) -> None:
    """Draw all weights of a network of trees; `scale` is the factor of its embeddings."""
    draw = DRAWS[kind]
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("norm.weight"):
                parameter.fill_(1.0)
            elif parameter.ndim < 2 and name != "pad":
                parameter.zero_()
            else:
                draw(name, parameter, scale, generator)


def _xavier(name: str, parameter: Tensor, scale: float, generator: Generator) -> None:
    if name in ("embedding.weight", "pad"):
        parameter.normal_(0.0, parameter.shape[-1] ** -0.5, generator=generator)
    elif name.endswith("attention.bias"):
        parameter.zero_()
    else:
        nn.init.xavier_uniform_(parameter, generator=generator)


def _haiku(name: str, parameter: Tensor, scale: float, generator: Generator) -> None:
    if name == "pad":
        parameter.normal_(0.0, EMBEDDING_DEVIATION / scale, generator=generator)
    elif name.endswith("attention.bias"):
        parameter.normal_(0.0, EMBEDDING_DEVIATION, generator=generator)
    else:
        is_symbol = name == "embedding.weight"
        deviation = EMBEDDING_DEVIATION if is_symbol else parameter.shape[1] ** -0.5
        draw_cut_normal(parameter, deviation, generator)


DRAWS: Catalogue[_Draw] = Catalogue(
    "initialisation of RegularGPT", {"xavier": _xavier, "haiku": _haiku}
)
