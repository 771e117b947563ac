"""What all plans of runs have in common: a model by name, a preset, and the loop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from torch import nn

from lengthwise.catalogue import Catalogue
from lengthwise.config import Config
from lengthwise.errors import RunError
from lengthwise.models.entry import Entry
from lengthwise.training.autocast import Autocast
from lengthwise.training.loop import LoopConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class BasePlan:
    """Everything that decides what a run becomes, but for what is learned."""

    models: ClassVar[Catalogue[Any]]
    """Where its model is named."""

    model: str
    preset: str
    network: Any
    loop: LoopConfig

    @property
    def threads(self) -> int:
        """Threads of the processor."""
        return self.loop.threads

    @property
    def autocast(self) -> Autocast:
        """What matrix products of training are computed in."""
        return "none"

    @property
    def entry(self) -> Entry:
        """How its model is built."""
        return self.models[self.model]

    def draw(self) -> nn.Module:
        """The network, with the initial weights of the seed.

        Raises:
            ConfigError: it would be too large.
        """
        return self.entry.draw_from(self.network, self.loop.seed)

    def build(self) -> nn.Module:
        """The network, with weights that are still to be loaded.

        Raises:
            ConfigError: it would be too large.
        """
        self.entry.require_moderate(self.network)
        return self.entry.build(self.network)

    def settings(self) -> Mapping[str, Config]:
        """The settings of its parts, by the names that `to_dict` has for them."""
        return {"network": self.network, "loop": self.loop}

    def about(self) -> dict[str, Any]:
        """What it is about, as plain values."""
        raise NotImplementedError

    @classmethod
    def own_parts(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that a class adds, from what `to_dict` stored."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The plan of a stored run.

        Raises:
            RunError: something is missing, or of the wrong kind.
        """
        try:
            return cls(
                model=values["model"],
                preset=values["preset"],
                network=cls.models[values["model"]].config.from_dict(values["network"]),
                loop=LoopConfig.from_dict(values["loop"]),
                **cls.own_parts(values),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError(
                f"config.json is damaged ({error!r}). Train again in a new folder."
            ) from None

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values; `from_dict` gives it back."""
        parts = {name: part.to_dict() for name, part in self.settings().items()}
        return {**self.about(), "model": self.model, "preset": self.preset, **parts}

    def chosen(self) -> dict[str, Any]:
        """What `to_dict` gives, without settings that have their defaults."""
        parts = {name: part.chosen() for name, part in self.settings().items()}
        return {**self.about(), "model": self.model, "preset": self.preset, **parts}
