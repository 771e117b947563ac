"""The settings of RegularGPT, apart from the network, so that they can be checked without torch."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from lengthwise.models.common_settings import (
    MOST_LAYERS,
    Activation,
    Dropout,
    Norm,
    NumClasses,
    NumHeads,
    VocabSize,
    Width,
)
from lengthwise.models.transformer_config import TransformerConfig
from lengthwise.settings import Setting, require


@dataclass(frozen=True, kw_only=True, slots=True)
class RegularGPTConfig(TransformerConfig):
    """Shape of the network. The defaults are the authors', except for the width (theirs: 256)."""

    vocab_size: VocabSize
    num_classes: NumClasses
    transition_size: Annotated[
        int,
        Setting(
            meaning="Size of a second read-out, which `transition` supervision trains; 0 for none.",
            least=0,
        ),
    ] = 0
    chunk_size: Annotated[
        int,
        Setting(meaning="Number of vectors combined into one.", letter="C", least=2),
    ] = 2
    num_layers: Annotated[
        int,
        Setting(
            meaning="Layers in the block, the paper's thickness.",
            letter="K",
            least=1,
            most=MOST_LAYERS,
        ),
    ] = 1
    d_model: Width = 64
    num_heads: NumHeads = 8
    ff_factor: Annotated[
        int,
        Setting(
            meaning="Hidden units of the feed-forward network, as a multiple of `d_model`.", least=1
        ),
    ] = 4
    norm: Norm = "post"
    activation: Activation = "relu"
    pad: Annotated[
        Literal["learned", "absent"],
        Setting(
            meaning="What precedes the start of a word: a learned vector (the authors' code), "
            "or nothing (equation 1)."
        ),
    ] = "learned"
    memory: Annotated[
        Literal["continuous", "binary"],
        Setting(meaning="Memory of a node: any vector, or bits."),
    ] = "continuous"
    num_bits: Annotated[int, Setting(meaning="Bits of a node, if memory is binary.", least=1)] = 16
    noise: Annotated[
        float,
        Setting(
            meaning="Standard deviation of the noise on the bits in training, if memory is binary.",
            least=0,
        ),
    ] = 0.5
    dropout: Dropout = 0.0
    embedding_scale: Annotated[
        float | None,
        Setting(meaning="Factor of embeddings and pad; none for sqrt(d_model), as the authors do."),
    ] = None
    initial: Annotated[
        Literal["xavier", "haiku"],
        Setting(meaning="How weights are drawn; `haiku` is what the authors' code does."),
    ] = "xavier"

    @property
    def scale(self) -> float:
        """Factor of embeddings and pad."""
        return math.sqrt(self.d_model) if self.embedding_scale is None else self.embedding_scale

    @property
    def has_codes(self) -> bool:
        """Tell whether memory is binary."""
        return self.memory == "binary"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, and how weights are drawn if not as usual."""
        return self.of_function() | ({} if self.initial == "xavier" else {"initial": self.initial})

    def of_function(self) -> dict[str, Any]:
        """Return all settings but how weights are drawn."""
        values = TransformerConfig.to_dict(self)
        return {name: value for name, value in values.items() if name != "initial"}

    def __post_init__(self) -> None:
        TransformerConfig.__post_init__(self)
        require(
            0 < self.scale < math.inf,
            f"embedding_scale={self.embedding_scale} is not a scale. Use a positive number.",
        )
