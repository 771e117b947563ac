"""Eval mode for a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from torch import nn

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


@contextmanager
def in_eval_mode(model: nn.Module) -> Iterator[None]:
    """Put a network into eval mode, and afterwards each of its parts back into its own mode.

    A network that is in eval mode already is left alone, so that threads can share it. Parts
    without a mode, as frozen TorchScript has them, are passed over.
    """
    modes = [(part, getattr(part, "training", None)) for part in model.modules()]
    if not any(mode for _, mode in modes):
        yield
        return
    model.eval()
    try:
        yield
    finally:
        model.train(modes[0][1] is True)  # which may do more than set the mode
        for part, mode in modes:
            if mode is not None:
                part.training = mode


def keeps_mode(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a function of a network, or of a run, leave its parts in the modes that they were in.

    The network is the first argument, or has its name.
    """

    @wraps(function)
    def keep(*args: Given.args, **options: Given.kwargs) -> Returned:
        subject = args[0] if args else options.get("model", options.get("recogniser"))
        is_function = callable(subject) and not isinstance(subject, nn.Module)
        network = subject if isinstance(subject, nn.Module) else getattr(subject, "model", None)
        if is_function or not isinstance(network, nn.Module):
            return function(*args, **options)
        with in_eval_mode(network):
            return function(*args, **options)

    return keep
