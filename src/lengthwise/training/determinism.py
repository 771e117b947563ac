"""Training that repeats bit for bit on an accelerator."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from lengthwise.errors import ConfigError

_WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
"""Without it cuBLAS may add up in another order, and torch refuses its products."""


@contextmanager
def deterministic(device: torch.device, is_asked: bool) -> Iterator[None]:
    """Let an accelerator add up in a fixed order, if that is asked for; a processor always does.

    Raises:
        ConfigError: torch has no such form of an operation on that device.
    """
    if not is_asked or device.type == "cpu":
        yield
        return
    was, only_warned = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    os.environ.setdefault(_WORKSPACE, ":4096:8")
    torch.use_deterministic_algorithms(True)
    try:
        yield
    except RuntimeError as error:
        first = str(error).splitlines()[0]
        if "determinis" not in first.lower():
            raise
        raise ConfigError(
            f"deterministic=true cannot be kept on {device} ({first[:160]}). Leave it out, or "
            f"train on a processor, whose runs always repeat."
        ) from None
    finally:
        torch.use_deterministic_algorithms(was, warn_only=only_warned)
