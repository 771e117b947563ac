"""The contract of a sequence layer: `step` defines it, `forward` computes many steps in parallel.

Both go on from a state, so a long sequence can be read in stretches. The future is not seen:
what is at the right of a position changes nothing there.

Axes:
    word      sequences of a batch
    position  positions of a sequence, from the left
    width     numbers in a vector
"""

from abc import ABC, abstractmethod
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

State: TypeAlias = tuple[Tensor, ...]
"""What a layer keeps between positions: tensors, whose first axis is the word."""

Sequences = Float[Tensor, "word position width"]
Vectors = Float[Tensor, "word width"]


class Mixer(nn.Module, ABC):
    """Base of sequence layers.

    Args:
        width: numbers in the vectors that are read and written.
        num_heads: number of parts of the state that are updated on their own.
    """

    def __init__(self, width: int, *, num_heads: int) -> None:
        super().__init__()
        self.width, self.num_heads = width, num_heads

    @abstractmethod
    def start(self, batch_size: int) -> State:
        """Return the state before the first position, in the precision of the weights."""

    @abstractmethod
    def step(self, inputs: Vectors, state: State) -> tuple[Vectors, State]:
        """Return the outputs at one position, and the state after it: the layer's definition."""

    @abstractmethod
    def forward(self, inputs: Sequences, state: State | None = None) -> tuple[Sequences, State]:
        """Return the outputs at all positions, and the state after the last one.

        The result is that of `step` at one position after the other, from `state` or the start.
        """

    def draw(self, generator: Generator) -> None:
        """Draw all weights: N(0, 1/inputs) for matrices; biases are 0 and factors of norms 1.

        A layer with other parameters draws them after these.
        """
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    module.weight.normal_(0.0, module.in_features**-0.5, generator=generator)
                    if module.bias is not None:
                        module.bias.zero_()
                elif isinstance(module, nn.RMSNorm):
                    module.weight.fill_(1.0)
                elif isinstance(module, (nn.LayerNorm, nn.GroupNorm)):
                    module.weight.fill_(1.0)
                    module.bias.zero_()


def mix_by_steps(
    mixer: Mixer, inputs: Sequences, state: State | None = None
) -> tuple[Sequences, State]:
    """Return what `mixer(inputs, state)` does, one position after the other.

    Examples:
        >>> import torch
        >>> from lengthwise.layers.mixers.catalogue import MIXERS
        >>> mixer = MIXERS["linear-attention"](4, num_heads=2)
        >>> mixer.draw(torch.Generator().manual_seed(0))
        >>> inputs = torch.ones(1, 3, 4)
        >>> torch.allclose(mix_by_steps(mixer, inputs)[0], mixer(inputs)[0], atol=1e-6)
        True
    """
    state = mixer.start(len(inputs)) if state is None else state
    outputs = []
    for vectors in inputs.unbind(dim=1):
        output, state = mixer.step(vectors, state)
        outputs.append(output)
    return torch.stack(outputs, dim=1), state
