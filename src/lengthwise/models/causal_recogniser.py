"""Causal transformers that classify a word, and each of its prefixes, at the last symbol.

Like GPT-2: normalised before each branch, GELU, four times the width inside. A start symbol is at
position 0, where the network answers for the empty word; it answers for the prefix of t symbols at
position t. Weights are drawn as those of `Decoder`.

Axes:
    word      words of a batch
    time      positions of a row; a word takes the last ones
    position  symbols of words that fill their rows
    longer    these, and the start symbol before them
    class     classes
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.layers.right_aligned import ClassLogits, FullWords, Lengths, Words, longest_of
from lengthwise.models.alignment import align_left
from lengthwise.models.causal import CausalConfig, CausalTransformer
from lengthwise.models.common_settings import MaxLength, NumClasses, NumHeads, NumLayers, Width
from lengthwise.models.layer_stack import PositionName, SelectionName


@dataclass(frozen=True, kw_only=True, slots=True)
class PrefixConfig(CausalConfig):
    """Shape of the network. Base of the settings of `PrefixRecogniser`."""

    num_classes: NumClasses
    max_length: MaxLength = 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class CausalRecogniserConfig(PrefixConfig):
    """Shape of the network. The defaults are those of the encoder that it is compared with."""

    d_model: Width = 64
    num_heads: NumHeads = 8
    num_layers: NumLayers = 5
    position: PositionName = "learned"
    """Where an encoding needs the length of the word, it gets that of `max_length` and the start
    symbol, and past that the number of positions up to its own."""
    selection: SelectionName = "softmax"


class PrefixRecogniser(CausalTransformer):
    """Base of networks from right-aligned words to the logits of their classes; the future is not
    seen.
    """

    def __init__(self, config: PrefixConfig, selection: str = "softmax") -> None:
        symbols_and_start = config.vocab_size + 1
        super().__init__(
            config,
            num_symbols=symbols_and_start,
            usual_positions=config.max_length + 1,
            selection=selection,
        )
        self._start = config.vocab_size
        self.answer = nn.Linear(config.d_model, config.num_classes)

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        `generator` is for positions that are drawn in training.

        Raises:
            WordError: as `align_left`, or a word is longer than a table of learned positions.
        """
        longest = longest_of(tokens, None if self.training else lengths)
        symbols, lengths = align_left(tokens, lengths, self._start, checked=not self.training)
        vectors = self.vectors(self.with_start(symbols[:, :longest]), generator)
        row = torch.arange(len(symbols), device=tokens.device)
        return self.answer(vectors[row, lengths])

    def every_position(
        self, tokens: FullWords, generator: Generator | None = None
    ) -> Float[Tensor, "word position class"]:
        """Return the logits of every prefix: `every_position(x)[:, t]` is `forward(x[:, : t + 1])`.

        Positions that are drawn in training are an exception: their draws differ.
        """
        return self.answer(self.vectors(self.with_start(tokens), generator)[:, 1:])

    def words_at_once(self, time: int) -> int | None:
        """Return the number of words of rows of `time` positions that attention has room for."""
        return self.pairs_at_once(time)

    def with_start(self, tokens: FullWords) -> Int[Tensor, "word longer"]:
        """Return the words with the start symbol before them."""
        start = tokens.new_full((len(tokens), 1), self._start)
        return torch.cat([start, tokens], dim=1)


class CausalRecogniser(PrefixRecogniser):
    """A recogniser whose layers have weights of their own."""

    def __init__(self, config: CausalRecogniserConfig) -> None:
        super().__init__(config, config.selection)
        self.config = config
