"""The settings of the scratchpad with sliding-window attention, to be checked without torch."""

from dataclasses import dataclass
from typing import Annotated

from lengthwise.models.common_settings import (
    Activation,
    Norm,
    NumClasses,
    NumHeads,
    NumLayers,
    VocabSize,
    Width,
)
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.settings import Setting, require

MOST_TOKENS = 2**24
"""Greatest number of state tokens: each has a row of the embedding."""

LONGEST_CONTEXT = 32
"""Greatest number of tokens that an answer may depend on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowScratchpadConfig(TransformerConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    num_classes: NumClasses
    num_states: Annotated[int, Setting(meaning="States that can be written.", least=1)]
    num_digits: Annotated[
        int,
        Setting(
            meaning="Digits of a state, each chosen by a softmax of its own (a factorised softmax "
            "where there is more than one).",
            least=1,
        ),
    ] = 1
    window: Annotated[
        int,
        Setting(meaning="Tokens that a position attends to: itself and those before it.", least=2),
    ] = 2
    d_model: Width = 64
    num_heads: NumHeads = 4
    num_layers: NumLayers = 1
    ff_factor: Annotated[
        int,
        Setting(
            meaning="Hidden units of the feed-forward network, as a multiple of `d_model`.", least=1
        ),
    ] = 4
    norm: Norm = "pre"
    activation: Activation = "relu"

    @property
    def base(self) -> int:
        """Values of a digit: the least number whose power `num_digits` is `num_states` or more."""
        base = max(1, round(self.num_states ** (1 / self.num_digits)) - 1)
        while base**self.num_digits < self.num_states:
            base += 1
        return base

    @property
    def num_state_tokens(self) -> int:
        """Tokens that can be written: one for each sequence of digits."""
        return int(self.base**self.num_digits)

    @property
    def receptive_field(self) -> int:
        """Tokens that an answer depends on: L (w - 1) + 1 of L layers with windows of w."""
        return self.num_layers * (self.window - 1) + 1

    @property
    def chunk_size(self) -> int:
        """Tokens that attend to each other, by the name that it has in RegularGPT."""
        return self.window

    @property
    def dropout(self) -> float:
        """Dropout rate in training: 0."""
        return 0.0

    @property
    def has_codes(self) -> bool:
        """Whether memory is discrete: tokens are."""
        return True

    @property
    def is_recurrent(self) -> bool:
        """Whether words are read symbol by symbol, which they are."""
        return True

    def __post_init__(self) -> None:
        TransformerConfig.__post_init__(self)
        require(
            self.num_states <= MOST_TOKENS and self.num_digits <= self.num_states.bit_length(),
            f"num_states={self.num_states} in num_digits={self.num_digits} digits do not fit: at "
            f"most {MOST_TOKENS:,} states, in at most as many digits as in base 2. Lower one.",
        )
        require(
            self.receptive_field <= LONGEST_CONTEXT,
            f"num_layers={self.num_layers} with window={self.window} see {self.receptive_field} "
            f"tokens, but {LONGEST_CONTEXT} is the most. Lower one of them.",
        )
