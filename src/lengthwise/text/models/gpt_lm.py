"""A transformer language model of fixed depth that sees all of its context: the baseline.

Its positions decide how far it carries: T5, ALiBi and KERPLE biases, RoPE, or vectors added to the
embeddings (sinusoidal, learned).

Axes:
    word      texts of a batch
    position  positions of a text, from the left
    width     numbers in a vector
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.layers.position import PositionShape, QueryKeyPositions
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.common_settings import MaxLength, NumLayers
from lengthwise.models.layer_stack import PositionName, ScaleName
from lengthwise.settings import require
from lengthwise.text.layers.self_attention import CausalAttention
from lengthwise.text.models.language_model import LanguageModel, LanguageModelConfig, TextLayer


@dataclass(frozen=True, kw_only=True, slots=True)
class GPTLMConfig(LanguageModelConfig):
    """Shape of the network."""

    num_layers: NumLayers = 4
    position: PositionName = "learned"
    """None that is drawn in training. Where an encoding needs the length of a text, it gets
    `max_length`, or the number of positions so far where these are more."""
    max_length: MaxLength = 1024
    scale: ScaleName = "standard"

    def __post_init__(self) -> None:
        LanguageModelConfig.__post_init__(self)
        require(
            not POSITIONS[self.position].drawn_in_training,
            f"position={self.position!r} is drawn at random in training, which language "
            f"models here do not support. Use another, such as t5.",
        )

    @property
    def reads_at_most(self) -> int | None:
        """`max_length`, where each position has a trained vector of its own."""
        return self.max_length if POSITIONS[self.position].is_table else None

    def with_room(self, longest: int, asked: object = None) -> "GPTLMConfig":
        """Return the settings with room for windows of `longest` tokens.

        Unless the user asks for a length, no position has a vector that would not be trained.

        Raises:
            ConfigError: the length that is asked for is shorter than a window.
        """
        if self.reads_at_most is None:
            return self
        config = replace(self, max_length=longest) if asked is None else self
        require(
            longest <= config.max_length,
            f"window={longest} is longer than max_length={config.max_length}, for which "
            f"positions are learned. Raise max_length.",
        )
        return config


class GPTLM(LanguageModel):
    """Tokens to the logits of the next token."""

    def __init__(self, config: GPTLMConfig) -> None:
        super().__init__(config)
        self.config = config
        self.position = POSITIONS[config.position](
            PositionShape(
                width=config.d_model,
                max_positions=config.max_length,
                num_layers=config.num_layers,
                num_heads=config.num_heads,
                head_width=config.d_model // config.num_heads,
                causal=True,
            )
        )
        self.layers = nn.ModuleList(
            TextLayer(config, CausalAttention(config.d_model, config.num_heads, config.scale))
            for _ in range(config.num_layers)
        )

    @property
    def num_layers(self) -> int:
        """Number of layers."""
        return self.config.num_layers

    @property
    def max_positions(self) -> int | None:
        """Number of learned positions; None if positions are not learned."""
        return self.config.reads_at_most

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights as GPT-2's are; a position draws its own."""
        LanguageModel.initialise(self, generator)
        if self.position.is_table:
            return  # as embeddings are
        self.position.draw(generator)

    def vectors(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word position width"]:
        """Return the last layer's vectors at every position."""
        return self._vectors_from(tokens, 0)

    def last_vector(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the last layer's vector at the last position."""
        return self._vectors_from(tokens, tokens.shape[1] - 1)[:, -1]

    def _vectors_from(self, tokens: Tensor, first: int) -> Tensor:
        """Return the last layer's vectors from position `first` on; it computes no others."""
        x = self.embed(tokens, 0)
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        for number, (layer, attention) in enumerate(self.block()):
            start = first if number == self.num_layers - 1 else 0
            query_positions = QueryKeyPositions(
                position=self.position, layer=number, query=positions[start:], key=positions
            )
            query, key, value = attention.heads(layer.attention_norm.before(x))
            attended = attention.gather(
                query[:, :, start:], query_positions.turn_key(key), value, query_positions
            )
            x = layer.finish(x[:, start:], attention.finish(attended))
        return x

    def embed(
        self, tokens: Int[Tensor, "word position"], start: int
    ) -> Float[Tensor, "word position width"]:
        """Return the vectors of tokens, from position `start` on.

        Raises:
            WordError: the encoding has no vector for some position.
        """
        positions = torch.arange(start, start + tokens.shape[1], device=tokens.device)[None]
        count = (positions + 1).clamp(min=self.config.max_length)
        return self.embedding(tokens) + self.position(positions, count)

    def block(self) -> Iterator[tuple[TextLayer, CausalAttention]]:
        """Return the layers, each with its attention."""
        for layer in self.layers:
            assert isinstance(layer, TextLayer)
            assert isinstance(layer.attention, CausalAttention)
            yield layer, layer.attention

    def new_state(self, num_words: int, num_positions: int) -> "GPTState":
        """Begin to read `num_words` texts of at most `num_positions` positions."""
        return GPTState(self, num_words, num_positions)


class GPTState:
    """Texts that are read a few tokens at a time: keys and values of all positions are kept."""

    def __init__(self, model: GPTLM, num_words: int, num_positions: int) -> None:
        self._model, self._read = model, 0
        config = model.config
        shape = (num_words, config.num_heads, num_positions, config.d_model // config.num_heads)
        weight = model.embedding.weight
        self._caches = [(weight.new_empty(shape), weight.new_empty(shape)) for _ in model.layers]

    def __call__(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the vector of the last position, once these tokens were read."""
        start, stop = self._read, self._read + tokens.shape[1]
        x = self._model.embed(tokens, start)
        every = torch.arange(stop, device=tokens.device)
        for number, (layer, attention) in enumerate(self._model.block()):
            positions = QueryKeyPositions(
                position=self._model.position, layer=number, query=every[start:], key=every
            )
            keys, values = self._caches[number]
            query, key, value = attention.heads(layer.attention_norm.before(x))
            turned = positions.position.turn_key(number, key, positions.query)
            keys[:, :, start:stop], values[:, :, start:stop] = turned, value
            attended = attention.gather(query, keys[:, :, :stop], values[:, :, :stop], positions)
            x = layer.finish(x, attention.finish(attended))
        self._read = stop
        return x[:, -1]
