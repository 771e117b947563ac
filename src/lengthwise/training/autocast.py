"""In what precision are matrix products of training computed? As the weights are, or in half."""

from typing import Literal

import torch

Autocast = Literal["none", "bfloat16"]


def autocast(device: torch.device, kind: Autocast) -> torch.autocast:
    """A context in which matrix products are in bfloat16, if that is asked for."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=kind == "bfloat16")
