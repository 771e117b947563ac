"""The models by name: how each is built for a language, and how trained unless told otherwise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from torch import nn

from lengthwise.catalogue import Catalogue
from lengthwise.config import Config
from lengthwise.models.decoder import Decoder, DecoderConfig
from lengthwise.models.encoder import Encoder, EncoderConfig
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig

Supervision = Literal["final", "prefix", "node", "transition", "composition"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Architecture:
    """A kind of network, and the settings that give it a shape."""

    config: type[Config]
    module: Callable[[Any], nn.Module]


ARCHITECTURES: Catalogue[Architecture] = Catalogue(
    "architecture",
    {
        "regular-gpt": Architecture(config=RegularGPTConfig, module=RegularGPT),
        "encoder": Architecture(config=EncoderConfig, module=Encoder),
        "decoder": Architecture(config=DecoderConfig, module=Decoder),
    },
)
"""What weights can be computed for (`constructions`) and stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelEntry:
    """One way to build a network."""

    summary: str
    defaults: Mapping[str, Any]
    supervision: Supervision
    """What it is told in training unless the user says otherwise."""
    audited: bool
    """Whether it trains on `audited` words even where the paper's own distribution exists."""
    training: Mapping[str, Any]
    """How long and how fast it is trained unless the user or the preset says otherwise."""
    config: type[RegularGPTConfig] = RegularGPTConfig
    module: type[RegularGPT] = RegularGPT

    def configure(self, settings: Mapping[str, Any]) -> RegularGPTConfig:
        """The defaults of this entry, with `settings` over them."""
        return self.config.from_dict({**self.defaults, **settings})

    def build(self, config: RegularGPTConfig) -> RegularGPT:
        """The network, with weights that are still to be drawn or loaded."""
        return self.module(config)


MODELS: Catalogue[ModelEntry] = Catalogue(
    "model",
    {
        "regular-gpt": ModelEntry(
            summary="RegularGPT's own network: vectors as memory, the answer alone is supervised",
            defaults={"memory": "continuous"},
            supervision="final",
            audited=False,
            training={
                "steps": 5_000,
                "learning_rate": 2e-3,
                "schedule": "cosine",
                "patience": 0,
            },
        ),
        "regular-gpt-binary": ModelEntry(
            summary="RegularGPT with binary working memory, trained until it is proved right",
            defaults={"memory": "binary", "num_bits": 24, "noise": 0.2},
            supervision="composition",
            audited=True,
            training={"patience": 1},
        ),
    },
)
