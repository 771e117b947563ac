"""A network with its initial weights, unless it would be larger than any machine."""

from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from lengthwise.config import Config
from lengthwise.errors import ConfigError

_MOST_PARAMETERS = 2**31
_WIDTHS = ("d_model", "num_bits", "d_hidden", "num_layers")


@runtime_checkable
class Drawable(Protocol):
    """How a network is built, and how its weights are drawn: an entry of a catalogue of models."""

    def build(self, config: Any) -> nn.Module:
        """The network, with weights that are still to be drawn or loaded."""
        ...

    def draw(self, config: Any, generator: torch.Generator) -> nn.Module:
        """The network, with initial weights."""
        ...


def draw_network(entry: Drawable, config: Config, seed: int) -> nn.Module:
    """The network of these settings, with the initial weights of a seed.

    Raises:
        ConfigError: it would have more than 2^31 parameters.
    """
    try:
        with torch.device("meta"):
            size = sum(parameter.numel() for parameter in entry.build(config).parameters())
    except RuntimeError:
        size = _MOST_PARAMETERS + 1
    if size > _MOST_PARAMETERS:
        shape = config.to_dict()
        lower = [f"{name}={shape[name]}" for name in _WIDTHS if name in shape]
        raise ConfigError(
            f"the network would have {size:,} parameters or more, but {_MOST_PARAMETERS:,} is the "
            f"most. Lower {' or '.join(lower)}."
        )
    return entry.draw(config, torch.Generator().manual_seed(seed))
