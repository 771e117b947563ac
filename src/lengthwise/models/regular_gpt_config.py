"""The settings of RegularGPT, apart from the network, so that they can be checked without torch."""

import math
from dataclasses import dataclass
from typing import Literal

from lengthwise.settings import Config, require, require_at_least, require_options


@dataclass(frozen=True, kw_only=True, slots=True)
class RegularGPTConfig(Config):
    """Shape of the network. The defaults are the authors', except for the width (theirs: 256)."""

    vocab_size: int
    num_classes: int
    transition_size: int = 0
    """Size of a second read-out, which `transition` supervision trains; 0 for none."""
    chunk: int = 2
    """The paper's C: how many vectors become one."""
    thickness: int = 1
    """The paper's K: layers in the block."""
    d_model: int = 64
    num_heads: int = 8
    ff_factor: int = 4
    """Hidden units of the feed-forward network, as a multiple of `d_model`."""
    norm: Literal["post", "pre", "none"] = "post"
    activation: Literal["relu", "gelu"] = "relu"
    pad: Literal["learned", "absent"] = "learned"
    """What stands before the start of a word: a learned vector (the authors' code), or nothing
    (equation 1)."""
    memory: Literal["continuous", "binary"] = "continuous"
    num_bits: int = 16
    """Bits of a node, if memory is binary."""
    noise: float = 0.5
    """Standard deviation of the noise on the bits in training, if memory is binary."""
    dropout: float = 0.0
    embedding_scale: float | None = None
    """What embeddings and pad are multiplied by; none for sqrt(d_model), as the authors do."""

    @property
    def scale(self) -> float:
        """What embeddings and pad are multiplied by."""
        return math.sqrt(self.d_model) if self.embedding_scale is None else self.embedding_scale

    def __post_init__(self) -> None:
        require_at_least(
            self,
            {
                "vocab_size": 1,
                "num_classes": 1,
                "transition_size": 0,
                "chunk": 2,
                "thickness": 1,
                "d_model": 1,
                "num_heads": 1,
                "ff_factor": 1,
                "num_bits": 1,
                "noise": 0,
            },
        )
        require_options(self)
        require(
            self.d_model % self.num_heads == 0,
            f"d_model={self.d_model} cannot be split over num_heads={self.num_heads}. "
            f"Use a multiple, such as {self.num_heads * max(1, self.d_model // self.num_heads)}.",
        )
        require(
            0 < self.scale < math.inf,
            f"embedding_scale={self.embedding_scale} is no scale. Use a positive number.",
        )
        require(self.noise < math.inf, f"noise={self.noise} is not a number. Use 0 or more.")
        require(
            0 <= self.dropout < 1, f"dropout={self.dropout} is not a share. Use 0 or more, below 1."
        )
