"""Copies of models in double precision, for analyses that do not depend on the machine.

Axes:
    node    nodes of a level of the tree
    chunk   the C children of a node
    width   numbers in a vector
"""

from collections.abc import Sequence
from copy import deepcopy

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.errors import ConfigError
from lengthwise.models.custom_network import Adapted
from lengthwise.models.regular_gpt import RegularGPT


def float64_copy(model: nn.Module) -> RegularGPT:
    """Return a copy on the CPU, in float64 and evaluation mode, without gradients.

    Raises:
        ConfigError: the model is not a RegularGPT, so it has no levels to look at.
    """
    if not isinstance(model, RegularGPT):
        name = model.name if isinstance(model, Adapted) else type(model).__name__
        raise ConfigError(
            f"only a RegularGPT has levels of chunks to analyse, but the model is of the class "
            f"{name}. Give a run of regular-gpt or regular-gpt-binary."
        )
    return deepcopy(model).cpu().double().eval().requires_grad_(False)


def block_outputs(
    model: RegularGPT, levels: Sequence[Int[Tensor, "_ chunk"]]
) -> list[Float[Tensor, "_ width"]]:
    """Return the output of the last feed-forward network at every node, by level.

    This is the paper's output of a layer. The input of a level is the memory's output for the level
    below.
    """
    below = model.leaf(torch.arange(model.config.vocab_size))
    outputs = []
    for children in levels:
        outputs.append(model.gather(below, children))
        below = model.memory(outputs[-1])
    return outputs
