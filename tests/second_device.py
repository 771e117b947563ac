"""A second device with numbers, for tests: what it holds and what the processor holds do not mix.

Its tensors say that they are on torch's `meta` device, and keep their numbers on the processor.
Every operation on them is computed there, so results can be compared with those of the processor.
An operation that gets tensors of both devices is refused, as an accelerator refuses it; a tensor of
one number of the processor may be combined with those of the device.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

DEVICE = torch.device("meta")

_COPIES = {torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default}


class There(Tensor):
    """A tensor of the second device."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> "There":
        """Return the tensor of the device that has the numbers of one of the processor."""
        made = Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
            requires_grad=held.requires_grad,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Compute an operation on the processor."""
        return _compute(func, args, kwargs or {})

    def tolist(self) -> Any:
        """Return the numbers, for which an accelerator would be waited for."""
        return self.held.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """Refuse, as tensors of an accelerator do."""
        assert force, "a tensor of the second device has no array. Use .cpu() first."
        return self.held.numpy(force=True)

    def __repr__(self) -> str:  # type: ignore[override]
        return f"There({self.held!r})"


class _Constructors(TorchFunctionMode):
    """Makes tensors of numbers of Python on the second device, which no operation shows."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        given = dict(kwargs or {})
        if func in (torch.tensor, torch.as_tensor) and given.get("device") is not None:
            device = torch.device(given.pop("device"))
            return func(*args, **given).to(device)
        return func(*args, **given)


class _Device(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Makes tensors on the second device where `meta` is asked for."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return _compute(func, args, kwargs or {})


def _compute(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    tensors = [
        each for each in pytree.tree_leaves((args, dict(kwargs))) if isinstance(each, Tensor)
    ]
    is_there = any(isinstance(each, There) for each in tensors)
    goes = torch.device(kwargs["device"]) if kwargs.get("device") is not None else None
    if func not in _COPIES and is_there:
        stay = [each for each in tensors if not isinstance(each, There) and each.ndim]
        assert not stay, (
            f"{func}: tensors of two devices, {[each.shape for each in stay]} of the processor's"
        )
    changed = {**kwargs, **({} if goes is None else {"device": torch.device("cpu")})}
    plain = pytree.tree_map_only(There, lambda each: each.held, (tuple(args), changed))
    found = func(*plain[0], **plain[1])
    if found is None:
        return None
    if func._schema.name.endswith("_"):
        return args[0]
    lands = is_there if goes is None else goes.type == DEVICE.type
    return pytree.tree_map_only(Tensor, There, found) if lands else found


@contextmanager
def second_device() -> Iterator[torch.device]:
    """The second device, which is there in the block."""
    with _Constructors(), _Device():  # type: ignore[no-untyped-call]
        yield DEVICE
