"""A causal transformer that completes words: after each symbol, what comes next?

The model of "Guiding transformers to process in steps" (2022, section 5 and equations 1-16), in the
manner of minGPT: place i sees the places up to i and predicts the symbol at place i + 1. Words are
completed greedily with a cache of keys and values, so that a step computes one new place only.

Axes:
    layer   layers, in order
    word    words of a batch, all of one length
    place   places of a word, from the left
    query   places that attend
    key     places that are attended to
    head    attention heads
    width   numbers in a vector
    symbol  the vocabulary
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.config import Config, require, require_at_least
from lengthwise.errors import WordError
from lengthwise.layers.attention import SCALES
from lengthwise.layers.norms import EPSILON
from lengthwise.layers.position import Position, PositionShape
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.transformer_layer import TransformerLayer, draw_weights

CACHE_BYTES = 2**25
"""About how much the cache of one batch may take: words are completed in batches that stay near
the processor, since every step reads the whole cache."""

FEWEST_WORDS = 16
"""A batch has at least so many words, since every step also reads all the weights."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DecoderConfig(Config):
    """Shape of the network. The defaults are those of the paper's experiments (section 5)."""

    vocab_size: int
    max_length: int
    """Most places that are read; the last symbol of a completion is written only. The paper's b."""
    d_model: int = 128
    num_heads: int = 1
    head_width: int = 0
    """Numbers in a query or key of a head; 0 for `d_model / num_heads`."""
    value_width: int = 0
    """Numbers in a value of a head; 0 for as many."""
    d_hidden: int = 0
    """Hidden units of the feed-forward networks; 0 for `4 d_model`."""
    num_layers: int = 1
    norm: Literal["post", "pre", "none"] = "pre"
    epsilon: float = EPSILON
    """What layer normalisation adds to the variance."""
    activation: Literal["relu", "gelu"] = "gelu"
    position: str = "learned"
    """A name in `POSITIONS`. Where an encoding asks for the length of the word, it is told
    `max_length`, since a decoder does not know where a word will end."""
    scale: str = "standard"
    """A name in `SCALES`."""

    def __post_init__(self) -> None:
        least = dict.fromkeys(("vocab_size", "max_length", "d_model", "num_heads", "num_layers"), 1)
        widths = dict.fromkeys(("head_width", "value_width", "d_hidden"), 0)
        require_at_least(self, {**least, **widths, "epsilon": 0})
        require(
            self.head_width > 0 or self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. Use a "
            f"multiple, or give head_width.",
        )
        POSITIONS[self.position]  # raises unless it is a name
        SCALES[self.scale]


class Decoder(nn.Module):
    """Words to the logits of the next symbol at every place."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        head_width = config.head_width or width // config.num_heads
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.position = POSITIONS[config.position](
            PositionShape(
                width=width,
                max_places=config.max_length,
                num_layers=config.num_layers,
                num_heads=config.num_heads,
                head_width=head_width,
                causal=True,
            )
        )
        self.layers = nn.ModuleList(
            TransformerLayer(
                d_model=width,
                num_heads=config.num_heads,
                head_width=head_width,
                value_width=config.value_width,
                d_hidden=config.d_hidden or 4 * width,
                norm=config.norm,
                epsilon=config.epsilon,
                activation=config.activation,
                scale=config.scale,
            )
            for _ in range(config.num_layers)
        )
        self.final_norm = self.block[0].attention_norm.final(width, config.epsilon)
        self.answer = nn.Linear(width, config.vocab_size, bias=False)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights: N(0, 1/width) for embeddings, Xavier uniform for matrices."""
        draw_weights(self, generator, self.config.d_model)

    @property
    def block(self) -> list[TransformerLayer]:
        """The layers, in order."""
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]

    def forward(
        self, tokens: Int[Tensor, "word place"], *, generator: torch.Generator | None = None
    ) -> Float[Tensor, "word place symbol"]:
        """The logits of the symbol at place i + 1, for every place i.

        `generator` is for positions that are drawn in training.

        Raises:
            WordError: the words are longer than `max_length`.
        """
        self._require_length(tokens.shape[1])
        x = self._embed(tokens, 0, generator)
        seen, place = _causal(tokens), _places(tokens)
        for number, layer in enumerate(self.block):
            x = layer(x, x, seen, self.position.in_layer(number, place, place))
        return self.answer(self.final_norm(x))

    @torch.no_grad()
    def attention_weights(
        self, tokens: Int[Tensor, "word place"]
    ) -> Float[Tensor, "layer word head query key"]:
        """Whom each place attends to; each row adds up to 1.

        Raises:
            WordError: the words are longer than `max_length`.
        """
        self._require_length(tokens.shape[1])
        x = self._embed(tokens, 0)
        seen, place = _causal(tokens), _places(tokens)
        found = []
        for number, layer in enumerate(self.block):
            before, here = (
                layer.attention_norm.before(x),
                self.position.in_layer(number, place, place),
            )
            found.append(layer.attention.weights(before, before, seen, here))
            x = layer(x, x, seen, here)
        return torch.stack(found)

    @torch.no_grad()
    def complete(self, prefix: Int[Tensor, "word place"], steps: int) -> Int[Tensor, "word longer"]:
        """The words with `steps` more symbols, each the likeliest one (the first, if some tie).

        Raises:
            WordError: the prefix is empty, would grow past `max_length` + 1 symbols, or shrink.
        """
        num_words, given = prefix.shape
        if given == 0:
            raise WordError("a decoder goes on from at least one symbol, but the prefix is empty.")
        if steps < 0:
            raise WordError(f"a completion adds symbols, but steps={steps}. Use 0 or more.")
        self._require_length(given + steps - 1)
        words = torch.cat([prefix, prefix.new_zeros(num_words, steps)], dim=1)
        for batch in torch.split(words, self._words_at_once(given + steps)):
            self._complete(batch, given)
        return words

    def _complete(self, words: Tensor, given: int) -> None:
        """Fill in the places from `given` on."""
        cache = [
            _Cache(self.position, number, layer, words) for number, layer in enumerate(self.block)
        ]
        start = 0
        for stop in range(given, words.shape[1]):
            x = self._embed(words[:, start:stop], start)
            for layer in cache:
                x = layer(x, start)
            words[:, stop] = self.answer(self.final_norm(x[:, -1])).argmax(dim=-1)
            start = stop

    def _embed(
        self, tokens: Tensor, start: int, generator: torch.Generator | None = None
    ) -> Tensor:
        """The vectors of symbols that stand from place `start` on."""
        place = _places(tokens, start)[None]
        count = place.new_full((1, 1), self.config.max_length)
        return self.embedding(tokens) + self.position(place, count, generator=generator)

    def _words_at_once(self, length: int) -> int:
        attention = self.block[0].attention
        in_place = attention.num_heads * (attention.head_width + attention.value_width)
        numbers = self.config.num_layers * length * in_place
        size = numbers * attention.key.weight.element_size()
        return max(FEWEST_WORDS, CACHE_BYTES // max(size, 1))

    def _require_length(self, length: int) -> None:
        if length > self.config.max_length:
            raise WordError(
                f"this decoder reads at most {self.config.max_length} symbols, but the words have "
                f"{length} to read. Give shorter words, or use a decoder with a greater max_length."
            )


class _Cache:
    """A layer that keeps the keys, as the position turns them, and values of all places so far."""

    def __init__(
        self, position: Position, number: int, layer: TransformerLayer, words: Tensor
    ) -> None:
        attention = layer.attention
        self.position, self.number, self.layer = position, number, layer
        self.key, self.value = (
            each.weight.new_empty(*words.shape, each.out_features)
            for each in (attention.key, attention.value)
        )

    def __call__(self, x: Tensor, start: int) -> Tensor:
        """The new vectors of places from `start` on."""
        attention = self.layer.attention
        before = self.layer.attention_norm.before(x)
        stop = start + x.shape[1]
        new = _places(x, start)
        turned = attention.turned_keys(before, self.position.in_layer(self.number, new, new))
        self.key[:, start:stop] = turned
        self.value[:, start:stop] = attention.value(before)
        seen, every = _causal(x, start), _places(self.key[:, :stop])
        gathered = attention.gather(
            attention.query(before),
            self.key[:, :stop],
            self.value[:, :stop],
            seen,
            self.position.in_layer(self.number, new, every),
        )
        return self.layer.finish(x, gathered)


def _places(vectors: Tensor, start: int = 0) -> Int[Tensor, " place"]:
    """Where symbols or vectors stand, if the first stands at `start`."""
    return torch.arange(start, start + vectors.shape[1], device=vectors.device)


def _causal(places: Tensor, start: int = 0) -> Bool[Tensor, "1 query key"]:
    """Which places the places from `start` on may see: those up to themselves."""
    stop = start + places.shape[1]
    return torch.ones(1, stop - start, stop, dtype=torch.bool, device=places.device).tril(start)
