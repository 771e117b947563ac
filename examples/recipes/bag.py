"""A network that classifies a word by how often each symbol occurs.

Axes:
    word   words of a batch
    time   positions of a row, of which a word takes the last ones
    class  classes
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.models.alignment import align_left
from lengthwise.models.common_settings import NumClasses, VocabSize, Width
from lengthwise.models.entry import Architecture, ModelEntry
from lengthwise.models.transformer_config import NetworkConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class BagConfig(NetworkConfig):
    """Shape of the network."""

    vocab_size: VocabSize
    num_classes: NumClasses
    d_model: Width = 64


class Bag(nn.Module):
    """Right-aligned words to the logits of their classes: two layers on the counts of symbols."""

    def __init__(self, config: BagConfig) -> None:
        super().__init__()
        self.config = config
        self.hidden = nn.Linear(config.vocab_size, config.d_model)
        self.answer = nn.Linear(config.d_model, config.num_classes)

    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights from N(0, 1/inputs), and biases from N(0, 1/size)."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.normal_(0.0, parameter.shape[-1] ** -0.5, generator=generator)

    def forward(
        self,
        tokens: Int[Tensor, "word time"],
        lengths: Int[Tensor, " word"] | None = None,
        *,
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "word class"]:
        """Return the logits of the class of each word.

        Raises:
            WordError: a word does not fit into its row, or, outside training, has a symbol that is
                none.
        """
        symbols, lengths = align_left(
            tokens, lengths, self.config.vocab_size, checked=not self.training
        )
        inside = torch.arange(symbols.shape[1], device=tokens.device) < lengths[:, None]
        marks = F.one_hot(symbols, self.config.vocab_size) * inside[..., None]
        counts = marks.sum(dim=1).to(self.answer.weight.dtype)
        return self.answer(torch.relu(self.hidden(counts)))


BAG = ModelEntry(
    summary="two layers on the counts of symbols",
    architecture=Architecture(config=BagConfig, module=Bag),
    training={"steps": 1_000, "learning_rate": 1e-2},
    objective="final",
    audited=False,
)
