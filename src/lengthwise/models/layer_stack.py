"""What transformers have in common: embeddings, a position, and layers one after the other.

Axes:
    word    words of a batch
    time    places of a row
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn

from lengthwise.layers.attention import SCALES
from lengthwise.layers.norms import EPSILON, Placement
from lengthwise.layers.position import PositionShape
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.initial import INITIALISATIONS
from lengthwise.models.transformer_layer import TransformerLayer
from lengthwise.settings import Config, require, require_at_least, require_options

MOST_PAIRS = 2**25
"""About how many attention weights of one layer are held at once, where all are computed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerStackConfig(Config):
    """Shape of the network. Base of the settings of transformers."""

    vocab_size: int
    d_model: int
    num_heads: int
    norm: Placement
    position: str
    """A name in `POSITIONS`."""
    max_length: int
    head_width: int = 0
    """Numbers in a query or key of a head; 0 for `d_model / num_heads`."""
    epsilon: float = EPSILON
    """What layer normalisation adds to the variance."""
    scale: str = "standard"
    """A name in `SCALES`."""
    initial: str
    """A name in `INITIALISATIONS`."""

    def __post_init__(self) -> None:
        least = dict.fromkeys(("vocab_size", "d_model", "num_heads"), 1)
        require_at_least(self, {**least, "head_width": 0, "epsilon": 0})
        require_options(self)
        require(
            self.head_width > 0 or self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. Use a "
            f"multiple, or give head_width.",
        )
        POSITIONS[self.position]  # raises unless it is a name
        SCALES[self.scale]
        INITIALISATIONS[self.initial]


class LayerStack(nn.Module):
    """Base of transformers. What is read, and what is read out, is added by each of them."""

    def __init__(
        self,
        config: LayerStackConfig,
        *,
        num_symbols: int,
        max_places: int,
        num_layers: int,
        causal: bool,
        d_hidden: int,
        activation: Literal["relu", "gelu"],
        value_width: int = 0,
    ) -> None:
        super().__init__()
        width, num_heads = config.d_model, config.num_heads
        head_width = config.head_width or width // num_heads
        self._num_heads, self._width, self._initial = num_heads, width, config.initial
        self.embedding = nn.Embedding(num_symbols, width)
        self.position = POSITIONS[config.position](
            PositionShape(
                width=width,
                max_places=max_places,
                num_layers=num_layers,
                num_heads=num_heads,
                head_width=head_width,
                causal=causal,
            )
        )
        self.layers = nn.ModuleList(
            TransformerLayer(
                d_model=width,
                num_heads=num_heads,
                head_width=head_width,
                value_width=value_width,
                d_hidden=d_hidden,
                norm=config.norm,
                epsilon=config.epsilon,
                activation=activation,
                scale=config.scale,
            )
            for _ in range(num_layers)
        )
        self.final_norm = self.block[0].attention_norm.final(width, config.epsilon)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights, in the manner of `initial`."""
        INITIALISATIONS[self._initial](self, generator, self._width)

    @property
    def block(self) -> list[TransformerLayer]:
        """The layers that have weights of their own, in order."""
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]

    def pairs_at_once(self, time: int) -> int:
        """How many words of rows of `time` places, and one more, attention has room for."""
        return max(1, MOST_PAIRS // (self._num_heads * (time + 1) ** 2))
