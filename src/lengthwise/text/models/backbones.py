"""Backbones by name: their shapes, and where their weights are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.registry import Catalogue

FOLDER = Path("runs", "bodies")
"""Folder of the backbones that `pretrain` makes under a name; beside the runs of experiments."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedBackbone:
    """A backbone whose shape is known before its weights are there, so that runs can be planned."""

    d_model: int
    num_layers: int
    num_heads: int
    places: int
    made_with: Mapping[str, Any] | None
    """Settings of `pretrain` besides the shape; None for one that is on the hub."""

    def shape(self) -> dict[str, Any]:
        """Return the settings of a network that follow from it."""
        return {
            "d_model": self.d_model,
            "num_layers": self.num_layers,
            "num_heads": self.num_heads,
            "d_hidden": 4 * self.d_model,
            "places": self.places,
            "activation": "gelu_new",
            "epsilon": 1e-5,
        }

    def pretraining(self) -> dict[str, Any]:
        """Return the settings with which `pretrain` makes it."""
        shape = self.shape()
        common = {name: shape[name] for name in ("d_model", "num_layers", "num_heads", "places")}
        return {**common, **(self.made_with or {})}


_LONGER: Mapping[str, Any] = {"vocab_size": 4096, "batch_size": 16, "steps": 5_000}
"""Settings of the backbones that `own/body-sizes` compares: 20 million tokens are read."""

BACKBONES: Catalogue[NamedBackbone] = Catalogue(
    "body",
    {
        "python-small": NamedBackbone(
            d_model=128, num_layers=4, num_heads=4, places=512, made_with={}
        ),
        "python-tiny": NamedBackbone(
            d_model=16,
            num_layers=1,
            num_heads=2,
            places=128,
            made_with={"window": 16, "batch_size": 4, "steps": 4, "warmup": 0, "vocab_size": 256},
        ),
        "text-small": NamedBackbone(
            d_model=128, num_layers=4, num_heads=4, places=512, made_with=_LONGER
        ),
        "text-medium": NamedBackbone(
            d_model=256, num_layers=6, num_heads=8, places=512, made_with=_LONGER
        ),
        "text-large": NamedBackbone(
            d_model=512,
            num_layers=8,
            num_heads=8,
            places=512,
            made_with={**_LONGER, "learning_rate": 5e-4},
        ),
        "gpt2": NamedBackbone(
            d_model=768, num_layers=12, num_heads=12, places=1024, made_with=None
        ),
    },
)


def location(body: str) -> str:
    """Return the folder of a backbone, or its name on the hub."""
    if body in BACKBONES and BACKBONES[body].made_with is not None:
        return str(FOLDER / body)
    return body
