"""Programs that torch.compile makes of functions, for training alone."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

from lengthwise.errors import ConfigError

Given = ParamSpec("Given")
Found = TypeVar("Found")


def compile_for_training(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Return the function, compiled where gradients are wanted; elsewhere it is called as it is.

    It is compiled when it is first called, and again for arguments of another shape. Sums come out
    in another order, so results differ in their last digits.
    """
    program = torch.compile(function)

    @wraps(function)
    def choose(*arguments: Given.args, **keywords: Given.kwargs) -> Found:
        return (program if torch.is_grad_enabled() else function)(*arguments, **keywords)

    return choose


def require_compiler(device: torch.device) -> None:
    """Refuse to compile where torch cannot, after a small trial.

    Raises:
        ConfigError: with the reason.
    """
    probe = torch.zeros(2, device=device, requires_grad=True)
    try:
        torch.compile(_trial)(probe).sum().backward()  # type: ignore[no-untyped-call]
    except Exception as error:  # torch raises many kinds, none of them named in its documentation
        lines = [line for line in str(error).splitlines() if line.strip()]
        raise ConfigError(
            f"compile=true cannot be used on {device} ({type(error).__name__}: "
            f"{lines[0][:160] if lines else 'no reason given'}). Leave it out, or install what "
            f"torch.compile needs: on a processor, a C++ compiler."
        ) from None


def _trial(numbers: Tensor) -> Tensor:
    return numbers.cos() + 1
