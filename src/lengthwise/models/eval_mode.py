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
    """Put a network into eval mode, and afterwards each of its parts back into its own mode."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, was_training in modes:
            part.training = was_training


def keeps_mode(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a function of a network, or of a run, leave its parts in the modes that they were in.

    The network is the first argument, or has its name.
    """

    @wraps(function)
    def kept(*args: Given.args, **options: Given.kwargs) -> Returned:
        given = args[0] if args else options.get("model", options.get("recogniser"))
        network = given if isinstance(given, nn.Module) else getattr(given, "model", None)
        if not isinstance(network, nn.Module):
            return function(*args, **options)
        with in_eval_mode(network):
            return function(*args, **options)

    return kept
