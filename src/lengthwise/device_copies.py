"""Copies from the processor to an accelerator that nothing waits for."""

import torch
from torch import Tensor

STAGED = frozenset({"cuda"})
"""Devices that have copied ordinary memory by the time that a copy is requested. On
others it may be read later, when it is already something else."""


def send(tensor: Tensor, device: torch.device | str) -> Tensor:
    """Return a tensor on a device; to CUDA, one of the processor is copied without waiting for it.

    Whatever computes with the copy comes after it, as on a device one thing is done after another.
    torch's plain `to` waits until the device has done all that it was asked for before.
    """
    kind = torch.device(device).type
    return tensor.to(device, non_blocking=kind in STAGED and tensor.device.type == "cpu")
