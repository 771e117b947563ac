r"""RegularGPT in rational arithmetic: sums, products and maxima of weights, and nothing else.

Attention has weights $\max(\text{logit}, 0) / C$ for chunks of C vectors, after the ReLU attention
of Wortsman et al. (2023, "Replacing softmax with ReLU in Vision Transformers"), who divide by the
length of the sequence. There is no norm, neither in branches nor in binary memory. Weights are
floats, and so rational numbers: in exact arithmetic each number of the network is one, which a
proof assistant can compute.
"""

from typing import Any

import torch
from torch import Generator

from lengthwise.layers.memory import BinaryMemory
from lengthwise.layers.sliding_dilated import RectifiedChunkAttention
from lengthwise.models.regular_gpt import RegularGPT


class RationalGPT(RegularGPT):
    """The network of `RegularGPT` with attention of ReLU, and binary memory without a norm."""

    attention_kind = RectifiedChunkAttention

    @staticmethod
    def make_memory(config: Any) -> BinaryMemory:
        """Build the memory of a node."""
        return BinaryMemory(config.d_model, config.num_bits, config.noise, norm=False)

    def initialise(self, generator: Generator) -> None:
        """Draw all weights as `RegularGPT` does, but biases of offsets are 1: at first a position
        has a weight near 1 / C, as with softmax, and none is cut off."""
        super().initialise(generator)
        with torch.no_grad():
            for layer in self.block:
                layer.attention.bias.fill_(1.0)
