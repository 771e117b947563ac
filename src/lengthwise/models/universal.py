r"""A universal transformer: one layer, applied again and again, classifies a word at CLS.

The encoder of Dehghani et al. (2019, section 2.1), with L layers' work and one layer's weights:

$$H^t = \mathrm{Layer}(H^{t-1} + P^t), \qquad P^t_i = P_i + PE(t), \qquad t = 1..L$$

with P_i the vectors of the position and PE(t) the sinusoids of `SinusoidalPosition` at t, which
tell the steps apart. Attention sees the whole word, as in their encoder. Their dynamic halting is
left out; how many steps are taken depends on the length alone (`DEPTHS`). Weights that are shared
and a depth that grows with log T are also what RegularGPT has (Chi et al. 2023, section 4), so that
what this network lacks beside it is the sliding, dilated attention.

Axes:
    word   words of a batch
    time   positions of a row; a word takes the last ones
    class  classes
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Generator

from lengthwise.device_copies import send
from lengthwise.layers.encodings import sinusoids
from lengthwise.layers.right_aligned import ClassLogits, Lengths, Words, longest_of
from lengthwise.models.cls_encoder import ClsConfig, ClsEncoder
from lengthwise.registry import Catalogue
from lengthwise.settings import Setting


def choose_fixed_depth(length: int, num_steps: int) -> int:
    """Return L = `num_steps`, whatever the word."""
    return num_steps


def log_depth(length: int, num_steps: int) -> int:
    """Return L = `num_steps` max(1, ceil(log2 T)) for a word of T symbols, in integers."""
    return num_steps * max(1, (max(length, 1) - 1).bit_length())


DEPTHS: Catalogue[Callable[[int, int], int]] = Catalogue(
    "depth", {"fixed": choose_fixed_depth, "log": log_depth}
)
"""From the number of symbols of a word and `num_steps` to the number of steps."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UniversalConfig(ClsConfig):
    """Shape of the network."""

    depth: Annotated[
        Literal["fixed", "log"],
        Setting(meaning="How the number of steps grows with the length of the word."),
    ]
    num_steps: Annotated[
        int, Setting(meaning="Number of steps in all, or per doubling of the length.", least=1)
    ]


class Universal(ClsEncoder):
    """Right-aligned words to the logits of their classes, through one layer many times."""

    def __init__(self, config: UniversalConfig) -> None:
        super().__init__(config, num_layers=1)
        self.config = config

    def forward(
        self, tokens: Words, lengths: Lengths | None = None, *, generator: Generator | None = None
    ) -> ClassLogits:
        """Return the logits of the class of each right-aligned word.

        `generator` is for positions that are drawn in training. Words of a batch may differ in
        depth: one that has taken its steps stays as it is.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        symbols, count, positions, seen = self.frame(tokens, lengths)
        position_vectors = self.position(positions.expand_as(symbols), count, generator=generator)
        layer_position = self.position.in_layer(0, positions, positions)
        (layer,) = self.block
        depths = [
            self.steps(n) for n in range(longest_of(tokens, None if self.training else lengths) + 1)
        ]
        depth = send(torch.tensor(depths), tokens.device)[count - 1][..., None]
        x = self.embedding(symbols)
        for step in range(max(depths, default=0)):
            now = torch.full((), step + 1, device=tokens.device)
            when = sinusoids(now, self.config.d_model)
            marked = x + position_vectors + when.to(x.dtype)
            x = torch.where(step < depth, layer(marked, marked, seen, layer_position), x)
        return self.read(x[:, 0])

    def steps(self, length: int) -> int:
        """Return how many times the layer is applied to a word of `length` symbols."""
        return DEPTHS[self.config.depth](length, self.config.num_steps)
