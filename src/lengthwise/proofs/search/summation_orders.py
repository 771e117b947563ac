"""Sums in chosen orders, to search for the order of additions that moves a network most.

Under `OrderedSums` the matrix products, sums and layer norms of a network in float32 are formed
term by term in an order of choice, which torch never lets one choose. What bounds allow is any
order, so no order may leave them. `TensorFloat32` cuts the factors of products as TF32 does.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from lengthwise.proofs.search.bfloat16_emulation import OperationMode

_ATEN = torch.ops.aten

ORDERS = ("as they come", "backwards", "at random", "one sign first", "largest first", "in pairs")
"""Orders of additions. `one sign first` makes partial sums large, so that much is rounded away."""


class OrderedSums(OperationMode):
    """A mode in which sums are formed in one of `ORDERS`, perhaps with fused multiply-adds."""

    def __init__(self, order: str, *, fused: bool = False, seed: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.order, self.fused = order, fused
        self._generator = torch.Generator().manual_seed(seed)
        self._own: Mapping[Any, Callable[..., Any]] = {
            _ATEN.mm.default: self._product,
            _ATEN.bmm.default: self._product,
            _ATEN.addmm.default: lambda bias, x, y: self._product(x, y, bias),
            _ATEN.sum.dim_IntList: self._sum,
            _ATEN.native_layer_norm.default: self._layer_norm,
        }

    def compute(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result, from sums in the order."""
        return self._own.get(operation, operation)(*args, **kwargs)

    def _product(self, x: Tensor, y: Tensor, bias: Tensor | None = None) -> Tensor:
        left, right = x[..., :, None, :], y.transpose(-1, -2)[..., None, :, :]
        exact = left.double() * right.double()  # of two floats it is
        terms = exact if self.fused else exact.float()
        if bias is not None:
            column = bias.expand(terms.shape[:-1])[..., None]
            terms = torch.cat([column.to(terms.dtype), terms], dim=-1)
        return self._add(terms)

    def _sum(
        self, x: Tensor, dim: list[int], keepdim: bool = False, *, dtype: Any = None
    ) -> Tensor:
        (axis,) = dim
        total = self._add(x.movedim(axis, -1))
        return total.unsqueeze(axis) if keepdim else total

    def _layer_norm(
        self, x: Tensor, shape: Any, weight: Tensor, bias: Tensor, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        mean = self._add(x) / x.shape[-1]
        centred = x - mean[..., None]
        variance = self._add(centred * centred) / x.shape[-1]
        scale = 1 / (variance + epsilon).sqrt()
        return centred * scale[..., None] * weight + bias, mean, scale

    def _add(self, terms: Tensor) -> Tensor:
        """Add over the last axis; each addition is rounded to float32."""
        if self.order == "in pairs":
            while terms.shape[-1] > 1:
                if terms.shape[-1] % 2:
                    terms = torch.cat([terms, torch.zeros_like(terms[..., :1])], dim=-1)
                terms = (terms[..., ::2] + terms[..., 1::2]).float().to(terms.dtype)
            return terms[..., 0].float()
        terms = self._arrange(terms)
        total = torch.zeros(terms.shape[:-1])
        for term in terms.unbind(dim=-1):
            total = (total.to(term.dtype) + term).float()
        return total

    def _arrange(self, terms: Tensor) -> Tensor:
        if self.order == "backwards":
            return terms.flip(-1)
        if self.order == "at random":
            return terms[..., torch.randperm(terms.shape[-1], generator=self._generator)]
        if self.order == "one sign first":
            return terms.sort(dim=-1, descending=True).values
        if self.order == "largest first":
            return terms.gather(-1, terms.abs().argsort(dim=-1, descending=True))
        return terms


class TensorFloat32(OperationMode):  # type: ignore[no-untyped-call]
    """A mode in which the factors of matrix products have 11 binary digits, as in TF32."""

    def compute(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result, from factors that were cut."""
        if operation in (_ATEN.mm.default, _ATEN.bmm.default):
            args = (_cut(args[0]), _cut(args[1]))
        elif operation is _ATEN.addmm.default:
            args = (args[0], _cut(args[1]), _cut(args[2]))
        return operation(*args, **kwargs)


def _cut(x: Tensor) -> Tensor:
    """Round float32 to 11 binary digits, to nearest."""
    exponent = torch.frexp(x)[1]
    step = torch.ldexp(torch.ones_like(x), exponent - 11)
    return (x / step).round() * step
