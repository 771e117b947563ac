"""A transformer encoder that classifies a word at CLS, a position beside it.

The model of Chiang & Cholak (2022, section 2.2), and with other numbers the one of the
Chomsky-hierarchy study. Only CLS is read out, so the last layer is computed for CLS alone (and the
one before it, if the last one's attention does nothing). Where all positions ask the same, and
attention does not depend on their positions, one query is computed for all. If that holds for all
other layers, as in the constructions, time and memory are O(n).

Axes:
    word   words of a batch
    time   positions of a row; a word takes the last ones
    class  classes
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from lengthwise.layers.right_aligned import ClassLogits, Lengths, Words
from lengthwise.models.cls_encoder import ClsConfig, ClsEncoder
from lengthwise.models.common_settings import NumLayers


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderConfig(ClsConfig):
    """Shape of the network. The defaults are those of Chiang & Cholak's experiments (section 5.1).

    Their code draws weights as torch does by default, and so does `initial="torch"`.
    """

    num_layers: NumLayers = 2


class Encoder(ClsEncoder):
    """Right-aligned words to the logits of their classes, through layers one after the other."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__(config, config.num_layers)
        self.config = config

    def forward(
        self,
        tokens: Words,
        lengths: Lengths | None = None,
        *,
        skip_unused_queries: bool = True,
        generator: Generator | None = None,
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        `skip_unused_queries=False` computes every query at every position, for comparison.
        `generator` is for positions that are drawn in training.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        symbols, count, positions, seen = self.frame(tokens, lengths)
        added = self.position(positions.expand_as(symbols), count, generator=generator)
        x = self.embedding(symbols) + added
        num_queries = (
            self.positions_read(symbols.shape[1])
            if skip_unused_queries
            else [symbols.shape[1]] * len(self.block)
        )
        may_share = (
            skip_unused_queries and not self.training and not self.position.acts_in_attention
        )
        for number, (layer, num_positions) in enumerate(zip(self.block, num_queries, strict=True)):
            queries = x[:, :num_positions]
            if seen is not None:
                seen = seen[..., : x.shape[1]]
            if may_share and layer.attention.queries_are_alike:
                before = layer.attention_norm.before(x)
                x = layer.finish(queries, layer.attention(before[:, :1], before, seen))
            else:
                layer_position = self.position.in_layer(
                    number, positions[:num_positions], positions[: x.shape[1]]
                )
                x = layer(queries, x, seen, layer_position)
        return self.read(x[:, 0])

    @torch.no_grad()
    def observe(
        self, tokens: Words
    ) -> tuple[ClassLogits, Float[Tensor, "layer word head position"]]:
        """Return the logits of words that fill their rows, and the attention of CLS by layer."""
        symbols, count, positions, seen = self.frame(tokens, None)
        x = self.embedding(symbols) + self.position(positions.expand_as(symbols), count)
        weights = []
        for number, layer in enumerate(self.block):
            before = layer.attention_norm.before(x)
            layer_position = self.position.in_layer(number, positions[:1], positions)
            weights.append(
                layer.attention.weights(before[:, :1], before, seen, layer_position)[:, :, 0]
            )
            outputs = positions if number + 1 < len(self.block) else positions[:1]
            x = layer(
                x[:, : len(outputs)], x, seen, self.position.in_layer(number, outputs, positions)
            )
        return self.read(x[:, 0]), torch.stack(weights)

    def positions_read(self, num_positions: int) -> list[int]:
        """Return the number of positions of each layer's output that are read later."""
        wanted, after = [], 1
        for layer in reversed(self.block):
            wanted.append(after)
            if self.training or not layer.attention.is_idle:
                after = num_positions
        return wanted[::-1]

    def words_at_once(self, time: int) -> int | None:
        """Return the number of words in rows of `time` positions that fit at once; None for any."""
        if all(layer.attention.queries_are_alike for layer in self.block[:-1]):
            return None
        return super().words_at_once(time)
