"""The bases of network settings: one check for all of them, and what a task decides of a network.

Each network lists its settings by the types of `common_settings`, flat and in the order of its
stored runs; certificates sign that order, and a base with every shared setting would give each
network settings that it does not have. No torch here: certificates are checked without it.
"""

from dataclasses import dataclass
from typing import Any

from lengthwise.settings import Config, require


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkConfig(Config):
    """Base of the settings of all networks, with the questions that a trainer asks of them."""

    @property
    def reads_at_most(self) -> int | None:
        """Symbols of the longest word that the network reads; None for words of any length."""
        return None

    def with_room(self, longest: int, asked: object = None) -> "NetworkConfig":
        """Return the settings with room for the training data, whose longest item is `longest`.

        `asked` is the length that the user has asked for, if any. Most networks read words of any
        length, and are returned as they are.

        Raises:
            ConfigError: the length that is asked for does not fit.
        """
        return self

    @property
    def has_codes(self) -> bool:
        """Whether memory is codes of bits, as supervision of codes requires."""
        return False

    @property
    def is_recurrent(self) -> bool:
        """Whether words are read symbol by symbol, so that codes stand for prefixes of words."""
        return False

    def of_function(self) -> dict[str, Any]:
        """Return the settings that decide what the network computes, which certificates sign."""
        return self.to_dict()

    def weights_origin(self) -> str | None:
        """Return where pretrained weights come from; None if all weights are drawn."""
        return None

    @property
    def backbone_summary(self) -> str | None:
        """The pretrained backbone and how it is trained, in words; None if there is none."""
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class TransformerConfig(NetworkConfig):
    """Base of the settings of all transformers, which have `d_model` and `num_heads`."""

    def __post_init__(self) -> None:
        NetworkConfig.__post_init__(self)
        values = {name: getattr(self, name, 0) for name in ("d_model", "num_heads", "head_width")}
        width, heads, head_width = values.values()
        other = f"such as {heads * max(1, width // heads)}"
        if hasattr(self, "head_width"):
            other = "or give head_width"
        require(
            head_width > 0 or width % heads == 0,
            f"d_model={width} cannot be split over num_heads={heads}. Use a multiple, {other}.",
        )
