"""The entries of networks of sequence layers: one block, one shape and one training for all."""

from typing import Any

from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.mixer_stack import MixerStack, MixerStackConfig

MIXER_STACK = Architecture(config=MixerStackConfig, module=MixerStack)


def _mixer(
    name: str, summary: str, architecture: Architecture = MIXER_STACK, **shape: Any
) -> ModelEntry:
    return ModelEntry(
        summary=summary,
        architecture=architecture,
        defaults={"mixer": name, **shape},
        objective="prefix",
        audited=False,
        training={"steps": 10_000, "learning_rate": 1e-3, "schedule": "cosine"},
        presets={"paper": {"learning_rate": 3e-4}},
        fixed=frozenset({"mixer"}),
    )


LINEAR_ATTENTION = _mixer("linear-attention", "linear attention (Katharopoulos et al. 2020)")
