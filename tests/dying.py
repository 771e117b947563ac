"""Simulate a machine on which products in bfloat16 kill the process.

    pytest --bfloat16-dies

Trials of bfloat16 are killed by SIGILL in every process that the tests start. In the processes of
pytest itself so is whatever computes a product in bfloat16, so that a test that does not ask first
ends its process.
"""

import os
import signal
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from lengthwise.precision import PLANTED

PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "linear", "matmul")


class Dying(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Ends the process where a product of bfloat16 on the processor is asked for."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        name = func.overloadpacket.__name__
        if name in PRODUCTS or "attention" in name:
            for each in tree_leaves((args, kwargs)):
                if isinstance(each, Tensor) and each.dtype == torch.bfloat16:
                    os.kill(os.getpid(), signal.SIGILL)
        return func(*args, **(kwargs or {}))


def simulate() -> Callable[[], Any]:
    """Begin; what is returned ends it."""
    os.environ[PLANTED] = str(Path(__file__).parent / "trials" / "bfloat16_dies.py")
    mode = Dying()  # type: ignore[no-untyped-call]
    mode.__enter__()  # type: ignore[no-untyped-call]
    return lambda: mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
