"""RegularGPT as a language model: the same K layers at every level, and ceil(log_C T) levels.

Level l attends with stride C^l (Chi et al. 2023, sections 3.1, 3.2 and 6), and every position of a
text has its own vector at every level. Nothing says where a position is but the bias r of its
offsets, so texts may be of any length.

For the last position alone, level l is needed at every C^l-th position only, counted from the
right; side by side these positions have stride 1. So `last` costs O(T C K), where all positions
cost O(T C K log T).

Axes:
    word      texts of a batch
    position  positions of a text, from the left
    width     numbers in a vector
"""

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.layers.chunks import depth
from lengthwise.layers.dilated import live_offsets
from lengthwise.settings import Setting
from lengthwise.text.layers.self_attention import DilatedAttention
from lengthwise.text.models.language_model import LanguageModel, LanguageModelConfig, TextLayer


@dataclass(frozen=True, kw_only=True, slots=True)
class RegularGPTLMConfig(LanguageModelConfig):
    """Shape of the network."""

    chunk_size: Annotated[
        int,
        Setting(
            meaning="Number of positions that a position attends to.",
            letter="C",
            least=2,
            most=2**16,
        ),
    ] = 32
    num_layers: Annotated[
        int,
        Setting(
            meaning="Layers of a level, the paper's thickness; all levels share them.",
            letter="K",
            least=1,
            most=2**10,
        ),
    ] = 4
    levels: Annotated[
        int,
        Setting(
            meaning="Number of times the layers are applied; 0 for ceil(log_C T), which grows "
            "with the text.",
            least=0,
            most=2**10,
        ),
    ] = 0


class RegularGPTLM(LanguageModel):
    """Tokens to the logits of the next token."""

    def __init__(self, config: RegularGPTLMConfig) -> None:
        super().__init__(config)
        self.config = config
        self.layers = torch.nn.ModuleList(
            TextLayer(config, DilatedAttention(config.d_model, config.num_heads, config.chunk_size))
            for _ in range(config.num_layers)
        )

    @property
    def num_layers(self) -> int:
        """Layers of all levels where their number is fixed, and of two levels otherwise."""
        return self.config.num_layers * (self.config.levels or 2)

    def levels(self, length: int) -> int:
        """Return the number of levels of a text, from its number of positions."""
        return self.config.levels or depth(length, self.config.chunk_size)

    def at_fixed_depth(self, length: int) -> "RegularGPTLM":
        """Return the model with the number of levels of a text of that length, for any text."""
        model = copy.copy(self)
        model.config = replace(self.config, levels=self.levels(length))
        return model

    def vectors(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word position width"]:
        """Return the last layer's vectors at every position."""
        x = self.embedding(tokens)
        for level in range(self.levels(tokens.shape[1])):
            x = self.level(x, self.config.chunk_size**level)
        return x

    def level(
        self, x: Float[Tensor, "word position width"], stride: int
    ) -> Float[Tensor, "word position width"]:
        """Apply all layers, one after the other, with one stride."""
        for layer, attention in self.block():
            heads = attention.heads(layer.attention_norm.before(x))
            x = layer.finish(x, attention.finish(attention.gather(*heads, stride)))
        return x

    def block(self) -> Iterator[tuple[TextLayer, DilatedAttention]]:
        """Return the layers of a level, each with its attention."""
        for layer in self.layers:
            assert isinstance(layer, TextLayer)
            assert isinstance(layer.attention, DilatedAttention)
            yield layer, layer.attention

    def last_vector(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the last layer's vector at the last position, from the positions it depends on."""
        x, chunk = self.embedding(tokens), self.config.chunk_size
        for _ in range(self.levels(tokens.shape[1])):
            x = self.level(x, stride=1)
            x = x[:, (x.shape[1] - 1) % chunk :: chunk]
        return x[:, -1]

    def new_state(self, num_words: int, num_positions: int) -> "RegularGPTState":
        """Begin to read `num_words` texts of at most `num_positions` positions."""
        return RegularGPTState(self, num_words, num_positions)


class RegularGPTState:
    """Texts that are read a few tokens at a time, with the queues of Fast WaveNet.

    Each layer of level l keeps the keys and values of the last (C - 1) C^l positions. A level that
    comes in as the text grows starts from the vectors of all positions before, which are kept for
    it. (Paine et al. 2016, "Fast Wavenet Generation Algorithm", have fixed levels.)
    """

    def __init__(self, model: RegularGPTLM, num_words: int, num_positions: int) -> None:
        self._model = model
        self._num_words, self._num_places = num_words, num_positions
        self._read = 0
        self._queues: list[list[_Queue]] = []
        self._tops: list[Tensor] = []
        """The vectors of the highest level at all positions so far."""

    def __call__(self, tokens: Int[Tensor, "word position"]) -> Float[Tensor, "word width"]:
        """Return the vector of the last position, once these tokens were read."""
        if self._read == 0:
            return self._next(tokens)
        return [self._next(token) for token in torch.split(tokens, 1, dim=1)][-1]

    def _next(self, tokens: Tensor) -> Tensor:
        self._raise_to(self._model.levels(self._read + tokens.shape[1]))
        x = self._model.embedding(tokens)
        for queues in self._queues:
            x = self._level(queues, x, self._read)
        self._read += tokens.shape[1]
        if not self._model.config.levels:
            self._tops.append(x)
        return x[:, -1]

    def _raise_to(self, count: int) -> None:
        """Begin new levels, and let them read what was read before."""
        while len(self._queues) < count:
            stride = self._model.config.chunk_size ** len(self._queues)
            self._queues.append(
                [
                    _Queue(attention, stride, self._num_words, self._num_places)
                    for _, attention in self._model.block()
                ]
            )
            if self._tops:
                before = torch.cat(self._tops, dim=1)
                self._tops = [self._level(self._queues[-1], before, 0)]

    def _level(self, queues: list["_Queue"], x: Tensor, start: int) -> Tensor:
        for (layer, _), queue in zip(self._model.block(), queues, strict=True):
            x = layer.finish(x, queue(layer.attention_norm.before(x), start))
        return x


class _Queue:
    """The last keys and values of one layer of one level, in a ring."""

    def __init__(
        self, attention: DilatedAttention, stride: int, num_words: int, num_positions: int
    ) -> None:
        weight = attention.output.weight
        chunk = attention.bias.shape[1]
        self._attention, self._stride = attention, stride
        self._size = min((chunk - 1) * stride + 1, num_positions)
        shape = (num_words, attention.num_heads, self._size, len(weight) // attention.num_heads)
        self._key, self._value = weight.new_empty(shape), weight.new_empty(shape)

    def __call__(self, x: Tensor, start: int) -> Tensor:
        """Return what attention adds at all positions of a new text, or at `start` alone."""
        query, key, value = self._attention.heads(x)
        last_positions = torch.arange(max(0, x.shape[1] - self._size), x.shape[1], device=x.device)
        ring = (start + last_positions) % self._size
        self._key[:, :, ring], self._value[:, :, ring] = (
            key[:, :, last_positions],
            value[:, :, last_positions],
        )
        if start == 0:
            return self._attention.finish(self._attention.gather(query, key, value, self._stride))
        live = live_offsets(start + 1, self._stride, self._attention.bias.shape[1])
        ring = (start - self._stride * torch.arange(live, device=x.device)) % self._size
        logits = (query @ self._key[:, :, ring].transpose(2, 3)) / math.sqrt(query.shape[3])
        weight = (logits + self._attention.bias[:, None, :live]).softmax(dim=3)
        return self._attention.finish(weight @ self._value[:, :, ring])
