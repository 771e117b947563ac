r"""Scaled dot-product attention over whole sequences.

    Att(q, K, V) = V^T softmax(f K q / sqrt(D))

with D numbers in a head and a factor f of the logits: 1, or a multiple of log n (`SCALES`). Some
positions turn Q and K, and add a bias to the logits before they are multiplied with f (`Position`).
Softmax may be replaced by hard attention, its limit for large logits (`SELECTIONS`). Outside
training the weighted sum is divided by the sum of the weights at the end, so uniform attention is
the exact mean of its values. In training the weights are divided instead, which is faster.

Axes:
    word   sequences of a batch
    query  positions that attend
    key    positions that are attended to
    head   attention heads
    width  numbers in a vector
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lengthwise.layers.position import QueryKeyPositions
from lengthwise.registry import Catalogue

QueryVectors = Float[Tensor, "word query width"]
KeyVectors = Float[Tensor, "word key width"]
Seen = Bool[Tensor, "#word #query key"] | None
"""A mask of the positions that each query sees, at least one; None if all queries see all keys."""

_WEIGHTS_AT_ONCE = 2**21
"""About how many attention weights are held at once, without gradients: more are slower, as they do
not stay in the caches of a processor."""


class Scale(nn.Module, ABC):
    """Base: the factor of the logits of a query, by the number of positions that it sees."""

    is_one: ClassVar[bool] = False
    """Tell whether the factor is always 1."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()

    @abstractmethod
    def forward(self, visible: Int[Tensor, "#word #query"]) -> Float[Tensor, "#word #head #query"]:
        """Return the factor for each number of visible positions."""


class StandardScale(Scale):
    """The logits unchanged (Vaswani et al., 2017)."""

    is_one = True

    def forward(self, visible: Int[Tensor, "#word #query"]) -> Float[Tensor, "#word #head #query"]:
        """Return 1 for every number of visible positions."""
        return torch.ones(1, 1, 1, dtype=torch.float64, device=visible.device)


class LogLengthScale(Scale):
    """The logits times log n, where a query sees n positions (Chiang & Cholak 2022, equation 2)."""

    def forward(self, visible: Int[Tensor, "#word #query"]) -> Float[Tensor, "#word #head #query"]:
        """Return the natural logarithm of each number of visible positions."""
        return visible.double().log()[:, None]


class LogLength32Scale(Scale):
    """The logits times log n / log 32, where a query sees n positions.

    An untrained network that reads 32 positions is then one with `StandardScale`, so that rates and
    initial weights that suit one suit the other. With `LogLengthScale` its logits are log 32, or
    3.5, times as large.
    """

    def forward(self, visible: Int[Tensor, "#word #query"]) -> Float[Tensor, "#word #head #query"]:
        """Return the logarithm, to base 32, of each number of visible positions."""
        return visible.double().log()[:, None] / math.log(32)


class LearnedLogScale(Scale):
    """The logits times s log n, with a learned s for each head of each layer.

    s starts at 1, so that an untrained network is one with `LogLengthScale`. It is not kept
    positive. (Nakanishi 2025, "Scalable-Softmax", has the same factor.)
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__(num_heads)
        self.factor = nn.Parameter(torch.ones(num_heads))

    def forward(self, visible: Int[Tensor, "#word #query"]) -> Float[Tensor, "#word #head #query"]:
        """Return the learned factor of each head times the log of the visible positions."""
        return visible.double().log()[:, None] * self.factor[:, None]


SCALES: Catalogue[type[Scale]] = Catalogue(
    "attention scale",
    {
        "standard": StandardScale,
        "log-length": LogLengthScale,
        "log-length-32": LogLength32Scale,
        "learned-log": LearnedLogScale,
    },
)


def softmax(
    logits: Float[Tensor, "word head query key"],
) -> Float[Tensor, "word head query key"]:
    """Return exp(logit - greatest logit), and 0 where nothing is seen."""
    greatest = logits.detach().amax(dim=-1, keepdim=True)  # it cancels, so it has no gradient
    return (logits - greatest).exp()


def rightmost(
    logits: Float[Tensor, "word head query key"],
) -> Float[Tensor, "word head query key"]:
    """Return 1 at the last of the greatest logits, and 0 elsewhere (as in arXiv 2310.13897).

    It has no gradient, so it is for computed weights.
    """
    key = torch.arange(logits.shape[-1], device=logits.device)
    greatest = logits == logits.amax(dim=-1, keepdim=True)
    last = torch.where(greatest, key, -1).amax(dim=-1, keepdim=True)
    return (key == last).to(logits.dtype)


SELECTIONS: Catalogue[Callable[[Tensor], Tensor]] = Catalogue(
    "selection", {"softmax": softmax, "rightmost": rightmost}
)
"""From the logits to the weights of the keys, before they are divided by their sum."""


class Attention(nn.Module):
    """Multi-head attention in which some positions attend to all, or to those that they may see.

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
        *,
        selection: str = "softmax",
    ) -> None:
        super().__init__()
        self.num_heads, self.head_width = num_heads, head_width
        self.value_width = value_width or head_width
        self.query = nn.Linear(width, num_heads * head_width)
        self.key = nn.Linear(width, num_heads * head_width)
        self.value = nn.Linear(width, num_heads * self.value_width)
        self.output = nn.Linear(num_heads * self.value_width, width)
        self.scale = SCALES[scale](num_heads)
        self.select = SELECTIONS[selection]

    def forward(
        self,
        queries: QueryVectors,
        keys: KeyVectors,
        seen: Seen,
        positions: QueryKeyPositions | None = None,
    ) -> QueryVectors:
        """Return what each query gathers from the positions that it sees, at least one.

        `positions` has the positions of queries and keys, if the attention depends on them.
        """
        turned = self.rotate_keys(keys, positions)
        return self.gather(self.query(queries), turned, self.value(keys), seen, positions)

    def rotate_keys(
        self, keys: KeyVectors, positions: QueryKeyPositions | None = None
    ) -> Float[Tensor, "word key inner"]:
        """Return the keys, rotated as their positions say: a cache keeps these."""
        projected = self.key(keys)
        if positions is None:
            return projected
        return positions.turn_key(self._heads(projected)).transpose(1, 2).flatten(2)

    def gather(
        self,
        query: Float[Tensor, "word query inner"],
        key: Float[Tensor, "word key inner"],
        value: Float[Tensor, "word key values"],
        seen: Seen,
        positions: QueryKeyPositions | None = None,
    ) -> QueryVectors:
        """Return what `forward` does, from projections such as a cache keeps; only keys are turned.

        Without gradients a few words are computed at a time, so that their weights stay in caches.
        """
        count = len(query)
        if not torch.is_grad_enabled():
            count = max(1, _WEIGHTS_AT_ONCE // (self.num_heads * query.shape[1] * key.shape[1]))
        if count >= len(query):
            return self.output(self._mix(query, key, value, seen, positions))
        parts = [torch.split(tensor, count) for tensor in (query, key, value)]
        masks: Iterable[Seen] = repeat(None)
        if seen is not None:
            masks = torch.split(seen.expand(len(query), -1, -1), count)
        mixed = map(self._mix, *parts, masks, repeat(positions))
        return self.output(torch.cat([*mixed]))

    def _mix(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        seen: Seen,
        positions: QueryKeyPositions | None,
    ) -> Tensor:
        """Return the weighted means of the values, of all heads side by side."""
        logits, values = self._logits(query, key, seen, positions), self._heads(value)
        if self.training and self.select is softmax:
            # One kernel forward and one backward; uniform attention is not an exact mean.
            return (logits.softmax(dim=-1) @ values).transpose(1, 2).flatten(2)
        power = self.select(logits)
        mixed = power @ values / power.sum(dim=-1, keepdim=True)
        return mixed.transpose(1, 2).flatten(2)

    def weights(
        self,
        queries: QueryVectors,
        keys: KeyVectors,
        seen: Seen,
        positions: QueryKeyPositions | None = None,
    ) -> Float[Tensor, "word head query key"]:
        """Return the attention weights; each row adds up to 1."""
        turned = self.rotate_keys(keys, positions)
        power = self.select(self._logits(self.query(queries), turned, seen, positions))
        return power / power.sum(dim=-1, keepdim=True)

    @property
    def queries_are_alike(self) -> bool:
        """Tell whether all positions ask the same, so that one answer is the answer for all.

        This does not hold where the position acts in attention (`Position.acts_in_attention`).
        """
        return not bool(self.query.weight.any())

    @property
    def is_idle(self) -> bool:
        """Tell whether what is gathered does not depend on the positions at all."""
        return not bool(self.value.weight.any() and self.output.weight.any())

    def _logits(
        self, query: Tensor, key: Tensor, seen: Seen, positions: QueryKeyPositions | None
    ) -> Tensor:
        """Return the logits, and minus infinity where nothing is seen."""
        if seen is None:
            visible = torch.full((1, 1), key.shape[1], device=key.device)
        else:
            visible = seen.sum(dim=-1)
        queries, factor = self._heads(query), self.scale(visible)[..., None]
        turned = queries if positions is None else positions.turn_query(queries)
        part = (factor / math.sqrt(self.head_width)).to(query.dtype)
        logits = turned * part @ self._heads(key).transpose(2, 3)
        if positions is not None and (bias := positions.bias(queries)) is not None:
            if not self.scale.is_one:
                bias = bias * factor.to(bias.dtype)
            if not positions.position.bias_is_product:
                # Not past the largest float, or a row of such biases alone would have no greatest.
                bias = bias.clamp(min=torch.finfo(query.dtype).min / 2)
            logits = logits + bias.to(query.dtype)
        return logits if seen is None else logits.masked_fill_(~seen[:, None], -math.inf)

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.num_heads, -1).transpose(1, 2)
