"""A causal transformer that completes words: it predicts the symbol after each symbol.

The model of "Guiding transformers to process in steps" (2022, section 5 and equations 1-16),
like minGPT: position i sees the positions up to i and predicts the symbol at position i + 1.
Words are completed greedily with a cache of keys and values, so that a step computes one new
position only.

Axes:
    layer     layers, in order
    word      words of a batch, all of one length
    position  positions of a word, from the left
    asked     those of them whose answers are asked for
    query     positions that attend
    key       positions that are attended to
    head      attention heads
    width     numbers in a vector
    symbol    the vocabulary
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.errors import WordError
from lengthwise.layers.right_aligned import FullWords
from lengthwise.models.causal import (
    CausalConfig,
    CausalState,
    CausalTransformer,
    causal_mask,
    positions_from,
)
from lengthwise.models.common_settings import NumHeads, NumLayers, Width
from lengthwise.models.completion import require_completion
from lengthwise.models.layer_stack import PositionName


@dataclass(frozen=True, kw_only=True, slots=True)
class DecoderConfig(CausalConfig):
    """Shape of the network. The defaults are those of the paper's experiments (section 5), but
    that their weights are drawn as minGPT does (`initial="mingpt"`, as in `STEP_MODELS`).

    `max_length` is the most positions that are read; the last symbol of a completion is written
    only. It is the paper's b.
    """

    d_model: Width = 128
    num_heads: NumHeads = 1
    num_layers: NumLayers = 1
    position: PositionName = "learned"
    """Where an encoding needs the length of the word, it gets `max_length`, since a decoder does
    not know where a word will end."""


class Decoder(CausalTransformer):
    """Words to the logits of the next symbol at every position."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__(config, num_symbols=config.vocab_size, usual_positions=config.max_length)
        self.config = config
        self.answer = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(
        self, tokens: FullWords, *, first: int = 0, generator: Generator | None = None
    ) -> Float[Tensor, "word asked symbol"]:
        """Return the logits of the symbol at position i + 1, for every position i from `first` on.

        `generator` is for positions that are drawn in training.

        Raises:
            WordError: the words are longer than `max_length`.
        """
        self._require_length(tokens.shape[1])
        return self.answer(self.vectors(tokens, generator, first))

    @torch.no_grad()
    def attention_weights(self, tokens: FullWords) -> Float[Tensor, "layer word head query key"]:
        """Return the attention weights of every layer; each row adds up to 1.

        Raises:
            WordError: the words are longer than `max_length`.
        """
        self._require_length(tokens.shape[1])
        x = self.embed(tokens)
        seen, positions = causal_mask(tokens), positions_from(tokens)
        weights = []
        for number, layer in enumerate(self.block):
            before, layer_position = (
                layer.attention_norm.before(x),
                self.position.in_layer(number, positions, positions),
            )
            weights.append(layer.attention.weights(before, before, seen, layer_position))
            x = layer(x, x, seen, layer_position)
        return torch.stack(weights)

    @torch.no_grad()
    def complete(self, prefix: FullWords, steps: int) -> Int[Tensor, "word longer"]:
        """Return the words with `steps` more symbols, each the likeliest (the first of a tie).

        Raises:
            WordError: the prefix is empty, would grow past `max_length` + 1 symbols, or shrink.
        """
        num_words, start = prefix.shape
        require_completion(prefix, steps)
        self._require_length(start + steps - 1)
        words = torch.cat([prefix, prefix.new_zeros(num_words, steps)], dim=1)
        for batch in torch.split(words, self.words_to_read_at_once(start + steps)):
            self._complete(batch, start)
        return words

    def _complete(self, words: Tensor, first_position: int) -> None:
        """Fill in the positions from `first_position` on."""
        state, start = CausalState(self, *words.shape), 0
        for stop in range(first_position, words.shape[1]):
            vectors = state(words[:, start:stop])
            words[:, stop] = self.answer(vectors[:, -1]).argmax(dim=-1)
            start = stop

    def _require_length(self, length: int) -> None:
        if length > self.config.max_length:
            raise WordError(
                f"this decoder reads at most {self.config.max_length} symbols, but the words have "
                f"{length} to read. Give shorter words, or use a decoder with a greater max_length."
            )
