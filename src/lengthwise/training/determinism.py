"""Training that repeats bit for bit, on accelerators and with several threads."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.utils import deterministic as torch_deterministic

from lengthwise.errors import ConfigError
from lengthwise.training.settings import TrainingConfig

WORKSPACE, ITS_VALUE = "CUBLAS_WORKSPACE_CONFIG", ":4096:8"
"""Without this variable cuBLAS may add up in another order, and torch then refuses its products. It
is read when a process computes its first product there, and so it is set here already."""

os.environ.setdefault(WORKSPACE, ITS_VALUE)


@contextmanager
def deterministic(device: torch.device, config: TrainingConfig) -> Iterator[None]:
    """Have torch sum in a fixed order: on many threads, and on an accelerator if requested.

    One thread of a processor has no other order.

    Raises:
        ConfigError: torch has no such form of an operation on that device.
    """
    on_cpu = device.type == "cpu"
    if not (config.threads > 1 if on_cpu else config.deterministic):
        yield
        return
    was, only_warned, filled = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch_deterministic.fill_uninitialized_memory,  # type: ignore[attr-defined]
    )
    torch.use_deterministic_algorithms(True)
    # Nothing here reads such memory.
    torch_deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        yield
    except RuntimeError as error:
        message = " ".join(str(error).split())
        if "determinis" not in message.lower():
            raise
        cure = (
            f"Set {WORKSPACE}={ITS_VALUE} before Python starts"
            if WORKSPACE in message
            else "Use threads=1"
            if on_cpu
            else "Leave it out, or train on a processor"
        )
        setting = f"threads={config.threads}" if on_cpu else "deterministic=true"
        raise ConfigError(
            f"{setting} cannot be kept on {device} ({message[:120]}). {cure}."
        ) from None
    finally:
        torch.use_deterministic_algorithms(was, warn_only=only_warned)
        torch_deterministic.fill_uninitialized_memory = filled  # type: ignore[attr-defined]
