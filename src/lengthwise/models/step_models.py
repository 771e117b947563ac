"""The models that write steps, by name: how each is built for a task, and trained by default."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.models.entry import Entry
from lengthwise.models.pointer_decoder import POINTER_DECODER
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.models.transformer_entries import DECODER
from lengthwise.registry import Catalogue


@dataclass(frozen=True, kw_only=True, slots=True)
class StepModel(Entry):
    """One way to build a network that completes sequences."""

    shape: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda settings: {}
    """Settings that follow from those that the user has set."""

    def configure(self, settings: Mapping[str, Any]) -> NetworkConfig:
        """Return the defaults with `settings` over them, and what follows from them."""
        return Entry.configure(self, {**settings, **self.shape(settings)})


DEFAULT_STEP_MODEL = "step-decoder"

TRAINING = {
    **{"steps": 6_000, "learning_rate": 1e-3, "schedule": "cosine", "warmup": 300},
    "validate_every": 500,
}
"""Settings of training that models have unless they say otherwise."""

STEP_MODELS: Catalogue[StepModel] = Catalogue(
    "step model",
    {
        DEFAULT_STEP_MODEL: StepModel(
            summary="a decoder of one layer and one head, like minGPT",
            architecture=DECODER,
            defaults={"initial": "mingpt"},
            training={**TRAINING, "learning_rate": 3e-4, "beta2": 0.95},
            presets={"smoke": {"d_model": 16, "warmup": 0}},
        ),
        "pointer-decoder": StepModel(
            summary="a decoder whose heads find the cells of a number, for every number of bits",
            architecture=POINTER_DECODER,
            training={**TRAINING, "steps": 1_000, "learning_rate": 1e-2, "warmup": 100},
            presets={"smoke": {"d_model": 16, "warmup": 0}},
        ),
    },
    group="lengthwise.step_models",
    expected=StepModel,
)
