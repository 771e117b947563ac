"""The model as it is analysed: a copy in double precision, so that numbers are those of no machine.

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
from lengthwise.models.regular_gpt import RegularGPT


def float64_copy(model: nn.Module) -> RegularGPT:
    """A copy on the processor, in float64, with nothing random and nothing to train.

    Raises:
        ConfigError: the model is no RegularGPT, so it has no levels to look at.
    """
    if not isinstance(model, RegularGPT):
        raise ConfigError(
            f"only a RegularGPT has levels of chunks to analyse, but the model is a "
            f"{type(model).__name__}. Give a run of regular-gpt or regular-gpt-binary."
        )
    return deepcopy(model).cpu().double().eval().requires_grad_(False)


def block_outputs(
    model: RegularGPT, levels: Sequence[Int[Tensor, "_ chunk"]]
) -> list[Float[Tensor, "_ width"]]:
    """What the last feed-forward network gives at every node, from the children of each.

    This is the paper's output of a layer. A level reads what memory kept of the level below.
    """
    below = model.leaf(torch.arange(model.config.vocab_size))
    outputs = []
    for children in levels:
        outputs.append(model.gathered(below, children))
        below = model.memory(outputs[-1])
    return outputs
