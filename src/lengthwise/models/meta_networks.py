"""Networks that are built without memory: their weights have shapes, and no numbers."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode


@contextmanager
def undrawn() -> Iterator[None]:
    """Let networks be built on the meta device, and draw no embeddings.

    To draw them there, torch would load its compiler, which takes a second or two.
    """
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """A mode in which nothing is drawn from a normal distribution."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = kwargs or {}
        if func in (nn.init.normal_, torch.Tensor.normal_):
            return options["tensor"] if "tensor" in options else args[0]
        return func(*args, **options)
