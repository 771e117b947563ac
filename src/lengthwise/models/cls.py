"""What encoders that classify a word at CLS, a place beside it, have in common.

The frame of Chiang & Cholak (2022, section 2.2): n = |w| + 1 places, CLS at place 0, and only CLS
is read out. What happens between the embeddings and the read-out is the encoder's own.

Axes:
    word    words of a batch
    time    places of a row, of which a word takes the last ones
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
from lengthwise.models.alignment import left_aligned
from lengthwise.models.initial import INITIALISATIONS
from lengthwise.models.transformer_layer import TransformerLayer

MOST_PAIRS = 2**25
"""About how many attention weights of one layer are held at once, where all are computed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClsConfig(Config):
    """Shape of the network. The defaults are those of Chiang & Cholak's experiments (section 5.1).

    Base of the settings of encoders with CLS.
    """

    vocab_size: int
    num_classes: int
    d_model: int = 16
    num_heads: int = 2
    head_width: int = 0
    """Numbers in a head; 0 for `d_model / num_heads`."""
    d_hidden: int = 64
    """Hidden units of the feed-forward networks."""
    norm: Literal["post", "pre", "none"] = "post"
    epsilon: float = EPSILON
    """What layer normalisation adds to the variance."""
    position: str = "none"
    """A name in `POSITIONS`."""
    max_length: int = 1024
    """Longest word, for positions that are learned, or drawn from a range."""
    scale: str = "standard"
    """A name in `SCALES`."""
    cls: Literal["first", "last"] = "first"
    """Where CLS stands. If `last`, places count from the end of the word: CLS is place 0, the last
    symbol place 1."""
    initial: str = "torch"
    """A name in `INITIALISATIONS`."""

    def __post_init__(self) -> None:
        least = dict.fromkeys(("vocab_size", "num_classes", "d_model", "num_heads", "d_hidden"), 1)
        require_at_least(self, {**least, "head_width": 0, "epsilon": 0, "max_length": 0})
        require(
            self.head_width > 0 or self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. Use a "
            f"multiple, or give head_width.",
        )
        POSITIONS[self.position]  # raises unless it is a name
        SCALES[self.scale]
        INITIALISATIONS[self.initial]


class ClsEncoder(nn.Module):
    """Base of encoders: embeddings, positions, layers with weights of their own, and the read-out.

    With two classes the read-out is one number s, as in the paper: the logits are 0 and s, so the
    probability of class 1 is 1 / (1 + exp(-s)), and a tie means class 0.
    """

    def __init__(self, config: ClsConfig, num_layers: int) -> None:
        super().__init__()
        width = config.d_model
        head_width = config.head_width or width // config.num_heads
        self._config = config
        self.embedding = nn.Embedding(config.vocab_size + 1, width)  # the last is CLS
        self.position = POSITIONS[config.position](
            PositionShape(
                width=width,
                max_places=config.max_length + 1,
                num_layers=num_layers,
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
            for _ in range(num_layers)
        )
        self.final_norm = self.block[0].attention_norm.final(width, config.epsilon)
        self.answer = nn.Linear(width, 1 if config.num_classes == 2 else config.num_classes)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights, in the manner of `initial`."""
        INITIALISATIONS[self._config.initial](self, generator, self._config.d_model)

    @property
    def block(self) -> list[TransformerLayer]:
        """The layers that have weights of their own, in order."""
        return [layer for layer in self.layers if isinstance(layer, TransformerLayer)]

    def read(self, vectors: Float[Tensor, "word width"]) -> Float[Tensor, "word class"]:
        """The logits from the vectors at CLS."""
        answer = self.answer(self.final_norm(vectors))
        if self._config.num_classes != 2:
            return answer
        return torch.cat([torch.zeros_like(answer), answer], dim=1)

    def words_at_once(self, time: int) -> int | None:
        """How many words of rows of `time` places attention has room for; none for any number."""
        return max(1, MOST_PAIRS // (self._config.num_heads * (time + 1) ** 2))

    def with_cls(
        self, tokens: Int[Tensor, "word time"], lengths: Int[Tensor, " word"] | None
    ) -> tuple[Int[Tensor, "word place"], Int[Tensor, "word 1"]]:
        """CLS and the symbols, any past the end, and the number of places n."""
        if self._config.cls == "first":
            symbols, lengths = left_aligned(tokens, lengths)
        else:
            symbols = tokens.flip(1).clamp(min=0)
            if lengths is None:
                lengths = tokens.new_full((len(tokens),), tokens.shape[1])
        cls = tokens.new_full((len(tokens), 1), self._config.vocab_size)
        return torch.cat([cls, symbols], dim=1), lengths[:, None] + 1
