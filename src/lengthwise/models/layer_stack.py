"""Base of transformers: embeddings, a position, and layers one after the other.

Axes:
    word  words of a batch
    time  positions of a row
"""

from dataclasses import dataclass, replace
from typing import Annotated

import torch
from torch import nn

from lengthwise.layers.attention import SCALES, SELECTIONS
from lengthwise.layers.norms import EPSILON
from lengthwise.layers.position import Position, PositionShape
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.common_settings import (
    Activation,
    CausalNorm,
    Epsilon,
    HeadWidth,
    MaxLength,
    NumHeads,
    VocabSize,
    Width,
)
from lengthwise.models.initialisation import INITIALISATIONS
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.models.transformer_layer import TransformerLayer
from lengthwise.settings import Setting, require

PositionName = Annotated[str, Setting(meaning="How positions are encoded.", options=POSITIONS)]
ScaleName = Annotated[str, Setting(meaning="Factor of the attention logits.", options=SCALES)]
SelectionName = Annotated[
    str,
    Setting(meaning="How logits become attention weights.", options=SELECTIONS),
]
InitialName = Annotated[
    str,
    Setting(meaning="How weights are drawn.", options=INITIALISATIONS),
]

MOST_PAIRS = 2**25
"""About how many attention weights of one layer are held at once, where all are computed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerStackConfig(TransformerConfig):
    """Shape of the network. Base of the settings of `LayerStack`."""

    vocab_size: VocabSize
    d_model: Width
    num_heads: NumHeads
    norm: CausalNorm
    position: PositionName
    max_length: MaxLength
    head_width: HeadWidth = 0
    epsilon: Epsilon = EPSILON
    scale: ScaleName = "standard"
    initial: InitialName

    @property
    def reads_at_most(self) -> int | None:
        """`max_length`, where each position has a trained vector of its own."""
        return self.max_length if self._position.is_table else None

    def with_room(self, longest: int, asked: object = None) -> "LayerStackConfig":
        """Return the settings with room for words of `longest` symbols, or as long as is asked for.

        A trained vector past the words of training would stay as it was drawn, so there are none
        unless they are asked for. Other positions have the usual room at least.

        Raises:
            ConfigError: the length that is asked for is shorter, not an integer, or has no effect.
        """
        if asked is None:
            usual = 0 if self._position.is_table else self.max_length
            return replace(self, max_length=max(longest, usual))
        require(
            isinstance(asked, int) and not isinstance(asked, bool),
            f"{_ROOM}={asked!r} must be an integer. Use {longest} or more.",
        )
        require(
            self._position.uses_max_length(),
            f"{_ROOM}={asked} is for positions that are learned or drawn from a range, but "
            f"position={self.position!r} has no end. Leave it out.",
        )
        assert isinstance(asked, int)
        require(
            asked >= longest,
            f"{_ROOM}={asked} is shorter than the words of training, data.max_length={longest}. "
            f"Use {longest} or more.",
        )
        return replace(self, max_length=asked)

    @property
    def _position(self) -> type[Position]:
        return POSITIONS[self.position]


_ROOM = "network.max_length"
"""The setting by which users ask for longer words."""


class LayerStack(nn.Module):
    """Base of transformers. What is read, and what is read out, is added by each of them."""

    def __init__(
        self,
        config: LayerStackConfig,
        *,
        num_symbols: int,
        max_positions: int,
        num_layers: int,
        causal: bool,
        d_hidden: int,
        activation: Activation,
        value_width: int = 0,
        selection: str = "softmax",
    ) -> None:
        super().__init__()
        width = config.d_model
        heads = {
            "num_heads": config.num_heads,
            "head_width": config.head_width or width // config.num_heads,
        }
        self._num_heads, self._width, self._initial = config.num_heads, width, config.initial
        self.embedding = nn.Embedding(num_symbols, width)
        self.position = POSITIONS[config.position](
            PositionShape(
                width=width,
                **heads,
                num_layers=num_layers,
                max_positions=max_positions,
                causal=causal,
            )
        )
        self.layers = nn.ModuleList(
            TransformerLayer(
                d_model=width,
                **heads,
                value_width=value_width,
                d_hidden=d_hidden,
                norm=config.norm,
                epsilon=config.epsilon,
                activation=activation,
                scale=config.scale,
                selection=selection,
            )
            for _ in range(num_layers)
        )
        self.final_norm = self.block[0].attention_norm.final(width, config.epsilon)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights as `initial` says."""
        INITIALISATIONS[self._initial](self, generator, self._width)

    @property
    def block(self) -> list[TransformerLayer]:
        """The layers that have weights of their own, in order."""
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]

    def pairs_at_once(self, time: int) -> int:
        """Return the number of words in rows of `time` + 1 positions that fit at once."""
        return max(1, MOST_PAIRS // (self._num_heads * (time + 1) ** 2))
