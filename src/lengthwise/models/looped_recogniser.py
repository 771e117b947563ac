"""A causal transformer of one layer, applied ceil(log2 T) times, that classifies every prefix.

The weights are shared by all steps, as in a universal transformer; only the position knows which
step it is (`HopPosition`). It is the shape of Liu et al. (2023, theorem 1). A word of T symbols
costs O(T^2 log T), since attention is dense.

Axes:
    word   words of a batch
    asked  positions whose vectors are asked for
    width  numbers in a vector
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Generator, Tensor

from lengthwise.layers.right_aligned import FullWords
from lengthwise.models.causal import causal_mask, positions_from
from lengthwise.models.causal_recogniser import PrefixConfig, PrefixRecogniser
from lengthwise.models.common_settings import NumHeads, NumLayers, Width
from lengthwise.models.layer_stack import PositionName
from lengthwise.models.universal import log_depth
from lengthwise.settings import require


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopedRecogniserConfig(PrefixConfig):
    """Shape of the network, which has one layer."""

    d_model: Width = 64
    num_heads: NumHeads = 1
    num_layers: NumLayers = 1
    position: PositionName = "hops"

    def __post_init__(self) -> None:
        super(PrefixConfig, self).__post_init__()
        require(
            self.num_layers == 1,
            f"a looped recogniser has one layer, but num_layers={self.num_layers}. Use 1.",
        )


class LoopedRecogniser(PrefixRecogniser):
    """A recogniser whose one layer runs max(1, ceil(log2 T)) times on a word of T symbols."""

    def __init__(self, config: LoopedRecogniserConfig) -> None:
        super().__init__(config)
        self.config = config

    def vectors(
        self, tokens: FullWords, generator: Generator | None = None, first: int = 0
    ) -> Float[Tensor, "word asked width"]:
        """Return the vectors after the last step at every position from `first` on."""
        x = self.embed(tokens, generator=generator)
        seen, positions = causal_mask(tokens), positions_from(tokens)
        (layer,) = self.block
        for step in range(self.steps(tokens.shape[1] - 1)):
            x = layer(x, x, seen, self.position.in_layer(step, positions, positions))
        return self.final_norm(x)[:, first:]

    def steps(self, length: int) -> int:
        """Return how many times the layer is applied to a word of `length` symbols."""
        return log_depth(length, 1)
