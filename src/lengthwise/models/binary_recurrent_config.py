"""The settings of recurrent networks with binary memory, to be checked without torch."""

from dataclasses import dataclass
from typing import Annotated, Literal

from lengthwise.models.common_settings import NumClasses, VocabSize, Width
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting


@dataclass(frozen=True, kw_only=True, slots=True)
class BinaryRecurrentConfig(NetworkConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    num_classes: NumClasses
    cell: Annotated[
        Literal["elman", "relu", "gru"],
        Setting(meaning="Kind of cell: a name in `layers.cells.CELLS`; `relu` has no norm either."),
    ]
    d_model: Width = 64
    num_bits: Annotated[int, Setting(meaning="Bits that are kept between symbols.", least=1)] = 16
    noise: Annotated[
        float,
        Setting(meaning="Standard deviation of the noise on the bits in training.", least=0),
    ] = 0.0

    @property
    def has_norm(self) -> bool:
        """Whether what memory recalls is normalised."""
        return self.cell != "relu"

    @property
    def has_codes(self) -> bool:
        """Whether memory is binary, which it is."""
        return True

    @property
    def is_recurrent(self) -> bool:
        """Whether words are read symbol by symbol, which they are."""
        return True
