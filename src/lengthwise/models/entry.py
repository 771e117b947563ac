"""One way to build a network: an architecture, its settings by default, and how it is trained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from lengthwise.errors import ConfigError
from lengthwise.models.meta_networks import undrawn
from lengthwise.models.transformer_config import NetworkConfig

_MOST_PARAMETERS = 2**31
_WIDTHS = ("d_model", "num_bits", "d_hidden", "num_layers")


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """A kind of network, and the settings that give it a shape."""

    config: type[NetworkConfig]
    module: Callable[[Any], nn.Module]


@runtime_checkable
class Initialised(Protocol):
    """A network whose initial weights are drawn, so that a seed decides them."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One model of a catalogue. Base of `ModelEntry` and `StepModel`."""

    summary: str
    architecture: Architecture
    defaults: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any]
    """Settings of training by default: how long and how fast."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Numbers of this model that replace a preset's."""
    fixed: frozenset[str] = frozenset()
    """Settings of the network that users do not set: the name of the entry decides them."""

    @property
    def config(self) -> type[NetworkConfig]:
        """The class of its settings."""
        return self.architecture.config

    def configure(self, settings: Mapping[str, Any]) -> NetworkConfig:
        """Return the defaults of this entry, with `settings` over them."""
        return self.config.from_dict({**self.defaults, **settings})

    def build(self, config: NetworkConfig) -> nn.Module:
        """Build the network, with weights that are still to be drawn or loaded."""
        return self.architecture.module(config)

    def draw(self, config: NetworkConfig, generator: torch.Generator) -> nn.Module:
        """Build the network with freshly drawn weights."""
        model = self.build(config)
        assert isinstance(model, Initialised)
        model.initialise(generator)
        return model

    def draw_from(self, config: NetworkConfig, seed: int) -> nn.Module:
        """Build the network with the initial weights of a seed.

        Raises:
            ConfigError: it would have more than 2^31 parameters.
        """
        self.require_moderate(config)
        return self.draw(config, torch.Generator().manual_seed(seed))

    def require_moderate(self, config: NetworkConfig) -> None:
        """Refuse a network that would be too large.

        Raises:
            ConfigError: it would have more than 2^31 parameters.
        """
        try:
            with undrawn():
                size = sum(parameter.numel() for parameter in self.build(config).parameters())
        except RuntimeError:
            size = _MOST_PARAMETERS + 1
        if size > _MOST_PARAMETERS:
            shape = config.to_dict()
            lower = [f"{name}={shape[name]}" for name in _WIDTHS if shape.get(name, 1) > 1]
            raise ConfigError(
                f"the network would have {size:,} parameters or more, but {_MOST_PARAMETERS:,} is "
                f"the most. Lower {' or '.join(lower)}."
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelEntry(Entry):
    """One way to build a network that classifies words: tokens and lengths to logits."""

    objective: str
    """What it learns from unless the user names another objective (`objectives.catalogue`)."""
    audited: bool
    """Whether it trains on `audited` words even where the paper's own distribution exists."""
