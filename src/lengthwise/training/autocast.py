"""Computes matrix products of training in half precision, where that is asked for."""

from typing import Literal

import torch

from lengthwise.precision import require_precision

Autocast = Literal["none", "bfloat16"]


def autocast(device: torch.device, kind: Autocast) -> torch.autocast:
    """Return a context in which matrix products are in bfloat16, if that is asked for.

    Raises:
        ConfigError: the device cannot compute them.
    """
    require_autocast(device, kind)
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=kind == "bfloat16")


def require_autocast(device: torch.device, kind: Autocast) -> None:
    """Refuse autocast to a precision that cannot be used on the device.

    Raises:
        ConfigError: with the reason.
    """
    if kind != "none":
        require_precision(
            kind, device, what=f"autocast={kind}", instead="Use autocast=none, or another device."
        )
