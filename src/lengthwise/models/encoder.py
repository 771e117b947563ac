"""A transformer encoder that classifies a word at CLS, a place put before it.

The model of Chiang & Cholak (2022, section 2.2): n = |w| + 1 places, CLS at place 0. Only CLS is
read out, so the last layer is computed for CLS alone (and the one before it, if the last one's
attention does nothing). Where all places ask the same, and attention does not depend on where they
stand, one query is computed for all. If that holds for all other layers, as in the constructions,
time and memory are O(n).

Axes:
    word    words of a batch
    place   places of a word, CLS first; what is past its end is seen by nobody
    width   numbers in a vector
    class   classes
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.config import Config, require, require_at_least
from lengthwise.layers.attention import SCALES
from lengthwise.layers.norms import EPSILON
from lengthwise.layers.position import PositionShape
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.transformer_layer import TransformerLayer, draw_weights

MOST_PAIRS = 2**25
"""About how many attention weights of one layer are held at once, where all are computed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EncoderConfig(Config):
    """Shape of the network. The defaults are those of the paper's experiments (section 5.1)."""

    vocab_size: int
    num_classes: int
    d_model: int = 16
    num_heads: int = 2
    head_width: int = 0
    """Numbers in a head; 0 for `d_model / num_heads`."""
    d_hidden: int = 64
    """Hidden units of the feed-forward networks."""
    num_layers: int = 2
    norm: Literal["post", "pre", "none"] = "post"
    epsilon: float = EPSILON
    """What layer normalisation adds to the variance."""
    position: str = "none"
    """A name in `POSITIONS`."""
    max_length: int = 1024
    """Longest word, for positions that are learned, or drawn from a range."""
    scale: str = "standard"
    """A name in `SCALES`."""

    def __post_init__(self) -> None:
        least = dict.fromkeys(("vocab_size", "num_classes", "d_model", "num_heads", "d_hidden"), 1)
        require_at_least(
            self, {**least, "head_width": 0, "num_layers": 1, "epsilon": 0, "max_length": 0}
        )
        require(
            self.head_width > 0 or self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. Use a "
            f"multiple, or give head_width.",
        )
        POSITIONS[self.position]  # raises unless it is a name
        SCALES[self.scale]


class Encoder(nn.Module):
    """Right-aligned words to the logits of their classes.

    With two classes the read-out is one number s, as in the paper: the logits are 0 and s, so the
    probability of class 1 is 1 / (1 + exp(-s)), and a tie means class 0.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        width = config.d_model
        head_width = config.head_width or width // config.num_heads
        self.embedding = nn.Embedding(config.vocab_size + 1, width)  # the last is CLS
        self.position = POSITIONS[config.position](
            PositionShape(
                width=width,
                max_places=config.max_length + 1,
                num_layers=config.num_layers,
                num_heads=config.num_heads,
                head_width=head_width,
                causal=False,
            )
        )
        self.layers = nn.ModuleList(
            TransformerLayer(
                d_model=width,
                num_heads=config.num_heads,
                head_width=head_width,
                d_hidden=config.d_hidden,
                norm=config.norm,
                epsilon=config.epsilon,
                activation="relu",
                scale=config.scale,
            )
            for _ in range(config.num_layers)
        )
        self.final_norm = self.block[0].attention_norm.final(width, config.epsilon)
        self.answer = nn.Linear(width, 1 if config.num_classes == 2 else config.num_classes)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights: N(0, 1/width) for embeddings, Xavier uniform for matrices."""
        draw_weights(self, generator, self.config.d_model)

    @property
    def block(self) -> list[TransformerLayer]:
        """The layers, in order."""
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]

    def forward(
        self,
        tokens: Int[Tensor, "word time"],
        lengths: Int[Tensor, " word"] | None = None,
        *,
        thrifty: bool = True,
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "word class"]:
        """The logits of the class of each word.

        Words stand at the right of their rows; `lengths` may be left out if all fill their rows.
        `thrifty=False` computes every query at every place, for comparison. `generator` is for
        positions that are drawn in training.
        """
        symbols, count = self._with_cls(tokens, lengths)
        place = torch.arange(symbols.shape[1], device=tokens.device)
        seen = (place < count)[:, None]
        added = self.position(place.expand_as(symbols), count, generator=generator)
        x = self.embedding(symbols) + added
        wanted = self._wanted(symbols.shape[1]) if thrifty else [symbols.shape[1]] * len(self.block)
        may_share = thrifty and not self.training and not self.position.acts_in_attention
        for number, (layer, num_places) in enumerate(zip(self.block, wanted, strict=True)):
            queries, seen = x[:, :num_places], seen[..., : x.shape[1]]
            if may_share and layer.attention.queries_are_alike:
                before = layer.attention_norm.before(x)
                x = layer.finish(queries, layer.attention(before[:, :1], before, seen))
            else:
                here = self.position.in_layer(number, place[:num_places], place[: x.shape[1]])
                x = layer(queries, x, seen, here)
        return self.read(x[:, 0])

    def read(self, vectors: Float[Tensor, "word width"]) -> Float[Tensor, "word class"]:
        """The logits from the vectors at CLS."""
        answer = self.answer(self.final_norm(vectors))
        if self.config.num_classes != 2:
            return answer
        return torch.cat([torch.zeros_like(answer), answer], dim=1)

    def _with_cls(self, tokens: Tensor, lengths: Tensor | None) -> tuple[Tensor, Tensor]:
        """CLS and the symbols from the left on (0 past the end), and the number of places n."""
        num_words, time = tokens.shape
        if lengths is None:
            lengths = tokens.new_full((num_words,), time)
        index = torch.arange(time, device=tokens.device) + (time - lengths)[:, None]
        symbols = tokens.gather(1, index.clamp(max=max(time - 1, 0))).clamp(min=0)
        cls = tokens.new_full((num_words, 1), self.config.vocab_size)
        return torch.cat([cls, symbols], dim=1), lengths[:, None] + 1

    def _wanted(self, num_places: int) -> list[int]:
        """How many places of each layer's output somebody reads, from the first place on."""
        wanted, after = [], 1
        for layer in reversed(self.block):
            wanted.append(after)
            if self.training or not layer.attention.is_idle:
                after = num_places
        return wanted[::-1]

    def words_at_once(self, time: int) -> int | None:
        """How many words of rows of `time` places attention has room for; none for any number."""
        if all(layer.attention.queries_are_alike for layer in self.block[:-1]):
            return None
        return max(1, MOST_PAIRS // (self.config.num_heads * (time + 1) ** 2))
