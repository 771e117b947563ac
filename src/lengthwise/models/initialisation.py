r"""Initialisations of transformers: one function each, under one contract.

With fan-in and fan-out of a matrix, U(b) uniform in -b..b, and width d:

    xavier  matrices U(sqrt(6 / (in + out))), embeddings N(0, 1/d), biases 0 (Glorot, Bengio 2010)
    torch   what torch's own `TransformerEncoderLayer`, `Embedding` and `Linear` do: query, key and
            value as one matrix, U(sqrt(6 / (in + their outs together))), biases 0; the output of
            attention U(1 / sqrt(in)), bias 0; all other matrices and biases U(1 / sqrt(in));
            embeddings N(0, 1)
    torch-copies  as torch, but all layers begin as the first, since torch's `TransformerEncoder`
            copies the layer that it is given; where one layer is used again and again, the same
    torch-copies-small  as torch-copies, with queries a quarter as large, so that logits times log n
            begin about as large as unscaled ones: log 55 is 4
    haiku   what the Chomsky-hierarchy study (Deletang et al. 2023) does: matrices N(0, 1/in),
            embeddings N(0, 0.02^2) times sqrt(d), both cut at two standard deviations; biases 0
    mingpt  what minGPT (Karpathy 2020) does, all alike: matrices, embeddings and learned
            positions N(0, 0.02^2), also where a branch ends; biases 0

A position draws its own weights, except for learned ones in `mingpt`; the factors of norms and
scales are 1, and biases of norms 0.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from lengthwise.layers.attention import Attention
from lengthwise.layers.position import Position
from lengthwise.models.transformer_layer import TransformerLayer
from lengthwise.registry import Catalogue

EMBEDDING_DEVIATION = 0.02
"""Deviation of the study's embeddings before their factor sqrt(width), and of all that minGPT
and GPT-2 draw."""

_Rule = Callable[[str, Tensor, nn.Module], None]
"""Draws one parameter, from its full name and the module that owns it."""


def draw_xavier(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw Xavier uniform matrices, N(0, 1/width) embeddings, and biases 0."""

    def rule(name: str, parameter: Tensor, owner: nn.Module) -> None:
        if isinstance(owner, nn.Embedding):
            parameter.normal_(0.0, width**-0.5, generator=generator)
        elif parameter.ndim < 2:
            parameter.zero_()
        else:
            nn.init.xavier_uniform_(parameter, generator=generator)

    _draw(model, generator, rule)


def draw_as_torch(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw as torch draws its own layers."""
    joint = {
        f"{path}.{name}": math.sqrt(6 / (module.query.in_features + _outputs(module)))
        for path, module in model.named_modules()
        if isinstance(module, Attention)
        for name in ("query", "key", "value")
    }

    def rule(name: str, parameter: Tensor, owner: nn.Module) -> None:
        path, _, kind = name.rpartition(".")
        if isinstance(owner, nn.Embedding):
            parameter.normal_(generator=generator)
        elif not isinstance(owner, nn.Linear) or (
            kind == "bias" and (path in joint or path.endswith("attention.output"))
        ):
            parameter.zero_()
        else:
            bound = joint.get(path, owner.in_features**-0.5)
            parameter.uniform_(-bound, bound, generator=generator)

    _draw(model, generator, rule)


def draw_copies_as_torch(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw as torch draws its own layers, with the weights of the first layer in all of them."""
    draw_as_torch(model, generator, width)
    layers = [module for module in model.modules() if isinstance(module, TransformerLayer)]
    for layer in layers[1:]:
        layer.load_state_dict(layers[0].state_dict())


def draw_small_copies(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw as `draw_copies_as_torch`, with queries a quarter as large, and so logits."""
    draw_copies_as_torch(model, generator, width)
    with torch.no_grad():
        for each in model.modules():
            if isinstance(each, Attention):
                each.query.weight.mul_(0.25)


def draw_cut_normal(parameter: Tensor, deviation: float, generator: torch.Generator) -> None:
    """Draw from N(0, deviation^2), cut at two deviations, as haiku does."""
    nn.init.trunc_normal_(
        parameter, 0.0, deviation, -2 * deviation, 2 * deviation, generator=generator
    )


def draw_as_haiku(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw as the Chomsky-hierarchy study does; its factor sqrt(width) is in the embeddings."""

    def rule(name: str, parameter: Tensor, owner: nn.Module) -> None:
        if isinstance(owner, nn.Embedding):
            deviation = EMBEDDING_DEVIATION * math.sqrt(width)
        elif parameter.ndim < 2:
            parameter.zero_()
            return
        else:
            deviation = parameter.shape[1] ** -0.5
        draw_cut_normal(parameter, deviation, generator)

    _draw(model, generator, rule)


def draw_as_mingpt(model: nn.Module, generator: torch.Generator, width: int) -> None:
    """Draw as minGPT does."""

    def rule(name: str, parameter: Tensor, owner: nn.Module) -> None:
        if parameter.ndim < 2:
            parameter.zero_()
        else:
            parameter.normal_(0.0, EMBEDDING_DEVIATION, generator=generator)

    _draw(model, generator, rule)
    for module in model.modules():
        if isinstance(module, Position) and module.is_table:
            for table in module.parameters():
                nn.init.normal_(table, 0.0, EMBEDDING_DEVIATION, generator=generator)


Initialisation = Callable[[nn.Module, torch.Generator, int], None]

INITIALISATIONS: Catalogue[Initialisation] = Catalogue(
    "initialisation",
    {
        "xavier": draw_xavier,
        "torch": draw_as_torch,
        "torch-copies": draw_copies_as_torch,
        "torch-copies-small": draw_small_copies,
        "haiku": draw_as_haiku,
        "mingpt": draw_as_mingpt,
    },
)
"""From a model, a generator and the width of its vectors; all weights are drawn in place."""


def _draw(model: nn.Module, generator: torch.Generator, rule: _Rule) -> None:
    """Let positions draw their own weights, and `rule` the rest, in the order of the parameters."""
    with torch.no_grad():
        for name, child in model.named_children():
            if isinstance(child, Position):
                child.draw(generator)
                continue
            for full_name, parameter in child.named_parameters(prefix=name):
                if full_name.endswith(("norm.weight", "scale.factor")):
                    parameter.fill_(1.0)
                else:
                    rule(full_name, parameter, model.get_submodule(full_name.rpartition(".")[0]))


def _outputs(attention: Attention) -> int:
    projections = (attention.query, attention.key, attention.value)
    return sum(projection.out_features for projection in projections)
