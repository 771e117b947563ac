"""The models that write steps, by name: how each is built for a task, and trained by default."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from lengthwise.catalogue import Catalogue
from lengthwise.config import Config
from lengthwise.models.catalogue import DECODER, Architecture, Initialised
from lengthwise.models.gpt2 import FROM_BODY, Body, BodyConfig, shape_of


def _nothing(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class StepModel:
    """One way to build a network that completes sequences."""

    summary: str
    architecture: Architecture
    defaults: Mapping[str, Any]
    training: Mapping[str, Any]
    """How long and how fast it is trained unless the user says otherwise."""
    smoke: Mapping[str, Any] = field(default_factory=dict)
    """Numbers of the preset of that name."""
    fixed: frozenset[str] = frozenset()
    """Settings of the network that users do not set."""
    shape: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _nothing
    """Settings that follow from those that the user has set."""

    @property
    def config(self) -> type[Config]:
        """The class of its settings."""
        return self.architecture.config

    def configure(self, settings: Mapping[str, Any]) -> Config:
        """The defaults of this entry, with `settings` over them, and what follows from them."""
        return self.config.from_dict({**self.defaults, **settings, **self.shape(settings)})

    def build(self, config: Config) -> nn.Module:
        """The network, with weights that are still to be drawn or loaded."""
        return self.architecture.module(config)

    def draw(self, config: Config, generator: torch.Generator) -> nn.Module:
        """The network, with initial weights."""
        model = self.build(config)
        assert isinstance(model, Initialised)
        model.initialise(generator)
        return model


DEFAULT_STEP_MODEL = "step-decoder"

STEP_MODELS: Catalogue[StepModel] = Catalogue(
    "model that writes steps",
    {
        "step-decoder": StepModel(
            summary="a decoder of one layer and one head, in the manner of minGPT",
            architecture=DECODER,
            defaults={"position": "sinusoidal"},
            training={
                "steps": 6_000,
                "learning_rate": 1e-3,
                "schedule": "cosine",
                "warmup": 300,
                "validate_every": 500,
            },
            smoke={"d_model": 16, "warmup": 0},
        ),
        "gpt2": StepModel(
            summary="the body of a GPT-2, frozen but for its layer norms, in and output",
            architecture=Architecture(config=BodyConfig, module=Body),
            defaults={},
            training={
                "steps": 6_000,
                "learning_rate": 1e-3,
                "schedule": "cosine",
                "warmup": 300,
                "validate_every": 500,
            },
            smoke={"warmup": 0},
            fixed=FROM_BODY,
            shape=shape_of,
        ),
    },
)
