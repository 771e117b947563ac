"""The optimiser of a run, and the parameters that weight decay and Muon apply to."""

from typing import Any

from torch import Tensor, nn

from lengthwise.evaluation.predict import device_of
from lengthwise.training.adamw import AdamW
from lengthwise.training.settings import TrainingConfig

FUSED = frozenset({"cpu", "cuda"})
"""Devices on which AdamW goes over all weights once, instead of twelve times."""


def optimiser_of(model: nn.Module, config: TrainingConfig) -> AdamW:
    """Return the optimiser of the weights of a model."""
    kind = AdamW
    if config.optimiser == "muon":
        from lengthwise.training.muon import Muon  # noqa: PLC0415  seldom

        kind = Muon
    return kind(
        _groups(model, config),
        lr=config.learning_rate,
        beta2=config.beta2,
        fused=device_of(model).type in FUSED,
    )


def decays(model: nn.Module) -> dict[str, bool]:
    """Return for the name of every parameter whether weight decay, and Muon, apply to it.

    It applies to the matrices that inputs are multiplied by. These are the `weight`s of layers by
    torch's naming, which recurrent layers and those of transformers' GPT-2 share. An embedding has
    a `weight`, too, and is excluded.
    """
    owners = dict(model.named_modules())

    def is_applied(name: str, parameter: Tensor) -> bool:
        owner, _, kind = name.rpartition(".")
        is_matrix = parameter.ndim == 2 and kind.startswith("weight")
        return is_matrix and not isinstance(owners[owner], nn.Embedding)

    return {name: is_applied(name, each) for name, each in model.named_parameters()}


def _groups(model: nn.Module, config: TrainingConfig) -> list[dict[str, Any]]:
    """Return the parameters in two groups: with weight decay, and maybe Muon, and without."""
    decayed = decays(model)
    return [
        {
            "params": [each for name, each in model.named_parameters() if decayed[name] is with_it],
            "weight_decay": config.weight_decay if with_it else 0.0,
            "orthogonal": with_it and config.optimiser == "muon",
        }
        for with_it in (True, False)
    ]
