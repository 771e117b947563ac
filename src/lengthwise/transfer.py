"""Copies from the processor to an accelerator that nothing waits for."""

import torch
from torch import Tensor


def sent(tensor: Tensor, device: torch.device | str) -> Tensor:
    """Return a tensor on a device; one of the processor is copied without waiting for the device.

    Whatever computes with the copy comes after it, as on a device one thing is done after another.
    torch's plain `to` waits until the device has done all that it was asked for before.
    """
    return tensor.to(device, non_blocking=tensor.device.type == "cpu")
