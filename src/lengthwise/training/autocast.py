"""Autocast: training with matrix products in half precision, if the setting says so."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

from lengthwise.precision import require_precision

Autocast = Literal["none", "bfloat16"]


def autocast(device: torch.device, kind: Autocast) -> AbstractContextManager[object]:
    """Return a context in which matrix products are computed in bfloat16 if `kind` says so.

    Raises:
        ConfigError: the device cannot compute them.
    """
    require_autocast(device, kind)
    if kind == "none":
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def require_autocast(device: torch.device, kind: Autocast) -> None:
    """Refuse autocast to a precision that the device cannot compute in.

    Raises:
        ConfigError: with the reason.
    """
    if kind != "none":
        require_precision(
            kind, device, what=f"autocast={kind}", instead="Use autocast=none, or another device."
        )
