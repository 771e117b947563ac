"""Base of causal transformers: position i sees the positions up to i, and no more.

Words can be read in one go, or a few symbols at a time: a `CausalState` keeps the keys and values
of what was read, so that a step computes the new positions only.

Axes:
    word      words of a batch
    position  positions of a word, from the left
    asked     those of them whose answers are asked for
    query     positions that attend
    key       positions that are attended to
    width     numbers in a vector
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from lengthwise.layers.position import Position
from lengthwise.layers.right_aligned import FullWords
from lengthwise.models.common_settings import (
    Activation,
    CausalNorm,
    HiddenWidth,
    NumLayers,
    ValueWidth,
)
from lengthwise.models.layer_stack import InitialName, LayerStack, LayerStackConfig
from lengthwise.models.transformer_layer import TransformerLayer

CACHE_BYTES = 2**25
"""About how much the cache of one batch may take: words are read in batches that stay near the
processor, since every step reads the whole cache."""

FEWEST_WORDS = 16
"""Least number of words of a batch, since every step also reads all the weights."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CausalConfig(LayerStackConfig):
    """Shape of the network. Base of the settings of causal transformers."""

    num_layers: NumLayers
    value_width: ValueWidth = 0
    d_hidden: HiddenWidth = 0
    norm: CausalNorm = "pre"
    activation: Activation = "gelu"
    initial: InitialName = "xavier"


class CausalTransformer(LayerStack):
    """Base of causal transformers: symbols to vectors, and a linear read-out.

    Where an encoding needs the length of the word, it gets `usual_positions`, since the end of the
    word is not known; past that, it gets the number of positions so far.
    """

    answer: nn.Linear

    def __init__(
        self,
        config: CausalConfig,
        *,
        num_symbols: int,
        usual_positions: int,
        selection: str = "softmax",
    ) -> None:
        super().__init__(
            config,
            num_symbols=num_symbols,
            max_positions=usual_positions,
            num_layers=config.num_layers,
            causal=True,
            d_hidden=config.d_hidden or 4 * config.d_model,
            activation=config.activation,
            value_width=config.value_width,
            selection=selection,
        )
        self.embedding_norm = self.block[0].attention_norm.make_embedding_norm(
            config.d_model, config.epsilon
        )
        self._usual_positions = usual_positions

    def vectors(
        self, tokens: FullWords, generator: Generator | None = None, first: int = 0
    ) -> Float[Tensor, "word asked width"]:
        """Return the last layer's vectors at every position from `first` on.

        `generator` is for positions that are drawn in training.
        """
        x = self.embed(tokens, generator=generator)
        seen, positions = causal_mask(tokens), positions_from(tokens)
        for number, layer in enumerate(self.block):
            start = first if number == len(self.block) - 1 else 0
            layer_position = self.position.in_layer(number, positions[start:], positions)
            x = layer(x[:, start:], x, seen[:, start:], layer_position)
        return self.final_norm(x)

    def embed(
        self, tokens: FullWords, start: int = 0, generator: Generator | None = None
    ) -> Float[Tensor, "word position width"]:
        """Return the vectors of symbols at positions `start`, `start` + 1, ...."""
        positions = positions_from(tokens, start)[None]
        count = (positions + 1).clamp(min=self._usual_positions)
        added = self.position(positions, count, generator=generator)
        return self.embedding_norm(self.embedding(tokens) + added)

    def words_to_read_at_once(self, num_positions: int) -> int:
        """Return the number of words that are read together, so that their cache stays small."""
        attention = self.block[0].attention
        in_place = attention.num_heads * (attention.head_width + attention.value_width)
        numbers = len(self.block) * num_positions * in_place
        size = numbers * attention.key.weight.element_size()
        return max(FEWEST_WORDS, CACHE_BYTES // max(size, 1))


class CausalState:
    """Words that are read a few symbols at a time."""

    def __init__(self, model: CausalTransformer, num_words: int, num_positions: int) -> None:
        self._model = model
        self._start = 0
        self._cache = [
            _Cache(model.position, number, layer, num_words, num_positions)
            for number, layer in enumerate(model.block)
        ]

    def __call__(self, tokens: FullWords) -> Float[Tensor, "word position width"]:
        """Return the last layer's vectors at the next positions, which hold these symbols.

        With fewer words than before, the last ones have ended.
        """
        x = self._model.embed(tokens, self._start)
        for layer in self._cache:
            x = layer(x, self._start)
        self._start += tokens.shape[1]
        return self._model.final_norm(x)


class _Cache:
    """A layer with the keys, as the position turns them, and values of all positions so far."""

    def __init__(
        self,
        position: Position,
        number: int,
        layer: TransformerLayer,
        num_words: int,
        num_positions: int,
    ) -> None:
        attention = layer.attention
        self.position, self.number, self.layer = position, number, layer
        self.key, self.value = (
            projection.weight.new_empty(num_words, num_positions, projection.out_features)
            for projection in (attention.key, attention.value)
        )

    def __call__(self, x: Tensor, start: int) -> Tensor:
        """Return the new vectors of positions from `start` on."""
        attention = self.layer.attention
        before = self.layer.attention_norm.before(x)
        num_words, stop = len(x), start + x.shape[1]
        new = positions_from(x, start)
        turned = attention.rotate_keys(before, self.position.in_layer(self.number, new, new))
        self.key[:num_words, start:stop] = turned
        self.value[:num_words, start:stop] = attention.value(before)
        seen, every = causal_mask(x, start), positions_from(self.key[:, :stop])
        attended = attention.gather(
            attention.query(before),
            self.key[:num_words, :stop],
            self.value[:num_words, :stop],
            seen,
            self.position.in_layer(self.number, new, every),
        )
        return self.layer.finish(x, attended)


def positions_from(vectors: Tensor, start: int = 0) -> Int[Tensor, " position"]:
    """Return the positions of symbols or vectors; the first one is at `start`."""
    return torch.arange(start, start + vectors.shape[1], device=vectors.device)


def causal_mask(vectors: Tensor, start: int = 0) -> Bool[Tensor, "1 query key"]:
    """Return the mask of positions from `start` on: each sees the positions up to itself."""
    stop = start + vectors.shape[1]
    return torch.ones(1, stop - start, stop, dtype=torch.bool, device=vectors.device).tril(start)
