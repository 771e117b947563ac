"""The settings of RegularGPT with a slot for each state, which can be checked without torch."""

from dataclasses import dataclass
from typing import Annotated

from lengthwise.models.common_settings import HiddenWidth, NumClasses, VocabSize, Width
from lengthwise.models.transformer_config import NetworkConfig
from lengthwise.settings import Setting, require

MOST_BITS = 12
"""Greatest number of bits of a slot: attention is computed once for each of their values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StateSlotsConfig(NetworkConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    num_classes: NumClasses
    num_slots: Annotated[
        int, Setting(meaning="Slots of a node: one for each state of the automaton.", least=1)
    ]
    num_bits: Annotated[int, Setting(meaning="Bits of a slot.", least=1, most=MOST_BITS)]
    chunk_size: Annotated[
        int,
        Setting(meaning="Number of nodes combined into one.", letter="C", least=2, most=32),
    ] = 2
    d_model: Width = 64
    d_hidden: HiddenWidth = 0

    @property
    def hidden(self) -> int:
        """Hidden units of the two feed-forward networks."""
        return self.d_hidden or 4 * self.d_model

    @property
    def has_codes(self) -> bool:
        """Whether nodes are codes of bits: always."""
        return True

    def __post_init__(self) -> None:
        NetworkConfig.__post_init__(self)
        require(
            self.num_slots <= 2**self.num_bits,
            f"num_bits={self.num_bits} cannot tell num_slots={self.num_slots} states apart. "
            f"Raise num_bits.",
        )


def bits_for(states: int) -> int:
    """Return the number of bits that tell states apart: max(1, ceil(log2 states))."""
    return max(1, (states - 1).bit_length())
