"""bfloat16 on machines without it: float32, with every result of an operation rounded to bfloat16.

torch's operations in bfloat16 are computed in float32 inside, and rounded at their end. So a
network whose weights are numbers of bfloat16, run in float32 under this mode, computes what the
same network cast by `.bfloat16()` does, except for the order of additions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from lengthwise.precision import why_unavailable
from lengthwise.proofs.check.bfloat16_balls import Precision

Network = TypeVar("Network", bound=nn.Module)


class OperationMode(TorchDispatchMode, ABC):  # type: ignore[no-untyped-call]
    """Base of modes in which torch's operations are computed in another way."""

    @abstractmethod
    def compute(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of an operation."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        return self.compute(func, args, dict(kwargs or {}))


class RoundedToBfloat16(OperationMode):  # type: ignore[no-untyped-call]
    """A mode in which all new tensors of float32 are rounded to bfloat16.

    Views of tensors, and what is written into a tensor in place, are left as they are: what they
    are made of was rounded.
    """

    def compute(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result, rounded."""
        result = operation(*args, **kwargs)
        if operation._schema.is_mutable or operation.is_view:
            return result
        return _each(result, _round_to_bfloat16)


def _each(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple | list):
        return type(value)(_each(part, change) for part in value)
    return value


def _round_to_bfloat16(x: Tensor) -> Tensor:
    return x.bfloat16().float() if x.dtype == torch.float32 else x


@contextmanager
def running(model: Network, precision: Precision) -> Iterator[Network]:
    """Give the model as it runs in a precision; it must not be used afterwards.

    Where bfloat16 does not work on the model's device, it is emulated.
    """
    if precision == "weights":
        yield model
        return
    cast = deepcopy(model).bfloat16()
    if why_unavailable("bfloat16", next(model.parameters()).device) is None:
        yield cast
        return
    with RoundedToBfloat16():  # type: ignore[no-untyped-call]
        yield cast.float()
