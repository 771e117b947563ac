"""In which precision is torch's attention called, and is its result rounded once?"""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F


def watch_dtypes(monkeypatch: pytest.MonkeyPatch) -> list[torch.dtype]:
    """The precisions of the queries with which torch's attention will be called, as it is."""
    seen: list[torch.dtype] = []
    attention = F.scaled_dot_product_attention

    def watch(query: Tensor, *others: Any, **named: Any) -> Tensor:
        seen.append(query.dtype)
        return attention(query, *others, **named)

    monkeypatch.setattr(F, "scaled_dot_product_attention", watch)
    return seen


def assert_rounded_once(
    coarse: Tensor, halves: Sequence[Tensor], exact: Tensor, singles: Sequence[Tensor]
) -> None:
    """A result of bfloat16 and its gradients are those of single precision, rounded once."""
    assert coarse.dtype == torch.bfloat16
    assert torch.equal(coarse, exact.to(torch.bfloat16))
    slope = torch.randn(exact.shape, generator=torch.Generator().manual_seed(1)).bfloat16()
    of_halves = torch.autograd.grad(coarse, halves, slope)
    of_singles = torch.autograd.grad(exact, singles, slope.float())
    for one, other in zip(of_halves, of_singles, strict=True):
        assert torch.equal(one, other.to(torch.bfloat16))
