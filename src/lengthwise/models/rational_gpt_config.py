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
    num_heads: NumHeads = 1
    norm: Literal["none"] = "none"
    activation: Literal["relu"] = "relu"
    memory: Literal["binary"] = "binary"
    embedding_scale: float | None = 1.0
    attention: Annotated[
        Literal["relu"], Setting(meaning="Weights of attention: max(logit, 0) / `chunk`.")
    ] = "relu"
