r"""Scaled dot-product attention over whole sequences: what does each place gather from the others?

    Att(q, K, V) = V^T softmax(f K q / sqrt(D))

with D numbers in a head and a factor f of the logits: 1, or log n (`SCALES`). The weighted sum is
divided by the sum of the weights at the end, so uniform attention is the exact mean of its values.

Axes:
    word    sequences of a batch
    query   places that attend
    key     places that are attended to
    head    attention heads
    width   numbers in a vector
"""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.catalogue import Catalogue


class StandardScale:
    """The logits as they are (Vaswani et al., 2017)."""

    def __call__(self, visible: Int[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
        """1 for every number of visible places."""
        return torch.ones_like(visible, dtype=torch.float64)


class LogLengthScale:
    """The logits times log n, where a query sees n places (Chiang & Cholak 2022, equation 2)."""

    def __call__(self, visible: Int[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
        """The natural logarithm of each number of visible places."""
        return visible.double().log()


SCALES: Catalogue[type[StandardScale] | type[LogLengthScale]] = Catalogue(
    "attention scale", {"standard": StandardScale, "log-length": LogLengthScale}
)


class Attention(nn.Module):
    """Multi-head attention in which some places attend to all, or to those that they may see.

    Queries and keys of a head have `head_width` numbers, whatever the width of the vectors, and its
    values `value_width` (0: as many).
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        head_width: int,
        scale: str = "standard",
        value_width: int = 0,
    ) -> None:
        super().__init__()
        self.num_heads, self.head_width = num_heads, head_width
        self.value_width = value_width or head_width
        self.query = nn.Linear(width, num_heads * head_width)
        self.key = nn.Linear(width, num_heads * head_width)
        self.value = nn.Linear(width, num_heads * self.value_width)
        self.output = nn.Linear(num_heads * self.value_width, width)
        self.scale = SCALES[scale]()

    def forward(
        self,
        queries: Float[Tensor, "word query width"],
        keys: Float[Tensor, "word key width"],
        seen: Bool[Tensor, "#word #query key"],
    ) -> Float[Tensor, "word query width"]:
        """What each query gathers from the places that it sees; it sees at least one."""
        return self.gather(self.query(queries), self.key(keys), self.value(keys), seen)

    def gather(
        self,
        query: Float[Tensor, "word query inner"],
        key: Float[Tensor, "word key inner"],
        value: Float[Tensor, "word key values"],
        seen: Bool[Tensor, "#word #query key"],
    ) -> Float[Tensor, "word query width"]:
        """The same from projections, such as those that a cache keeps."""
        power = self._powers(query, key, seen)
        total = power.sum(dim=-1, keepdim=True)
        mixed = power @ self._heads(value) / total
        return self.output(mixed.transpose(1, 2).flatten(2))

    def weights(
        self,
        queries: Float[Tensor, "word query width"],
        keys: Float[Tensor, "word key width"],
        seen: Bool[Tensor, "#word #query key"],
    ) -> Float[Tensor, "word head query key"]:
        """The attention weights; each row adds up to 1."""
        power = self._powers(self.query(queries), self.key(keys), seen)
        return power / power.sum(dim=-1, keepdim=True)

    @property
    def queries_are_alike(self) -> bool:
        """Whether all places ask the same, so that the answer for one is the answer for all."""
        return not bool(self.query.weight.any())

    @property
    def is_idle(self) -> bool:
        """Whether what is gathered does not depend on the places at all."""
        return not bool(self.value.weight.any() and self.output.weight.any())

    def _powers(self, query: Tensor, key: Tensor, seen: Tensor) -> Tensor:
        """exp(logit - greatest logit), and 0 where nothing is seen."""
        factor = self.scale(seen.sum(dim=-1))[:, None, :, None] / math.sqrt(self.head_width)
        logits = self._heads(query) * factor.to(query.dtype) @ self._heads(key).transpose(2, 3)
        logits = logits.masked_fill(~seen[:, None], -math.inf)
        return (logits - logits.amax(dim=-1, keepdim=True)).exp()

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.num_heads, -1).transpose(1, 2)
