"""The settings of RegularGPT in rational arithmetic, to be checked without torch."""

from dataclasses import dataclass
from typing import Annotated, Literal

from lengthwise.models.common_settings import NumHeads, Width
from lengthwise.models.regular_gpt_config import RegularGPTConfig
from lengthwise.settings import Setting


@dataclass(frozen=True, kw_only=True, slots=True)
class RationalGPTConfig(RegularGPTConfig):
    """Shape of the network: that of RegularGPT with binary memory, ReLU, and no norm anywhere."""

    d_model: Width = 16
    num_heads: NumHeads = 4
    norm: Annotated[Literal["none"], Setting(meaning="There is no norm.")] = "none"
    activation: Annotated[
        Literal["relu"], Setting(meaning="Nonlinearity of the feed-forward networks.")
    ] = "relu"
    memory: Annotated[Literal["binary"], Setting(meaning="Memory has bits, and no norm.")] = (
        "binary"
    )
    noise: Annotated[
        float,
        Setting(meaning="Standard deviation of the noise on the bits in training.", least=0),
    ] = 0.0
    embedding_scale: Annotated[
        float | None,
        Setting(meaning="Factor of embeddings and pad; none for sqrt(d_model)."),
    ] = 1.0
    attention: Annotated[
        Literal["relu"], Setting(meaning="Weights of attention: max(logit, 0) / `chunk_size`.")
    ] = "relu"
