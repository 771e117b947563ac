"""The functions of a network of slots as plain values, by which the page composes its nodes.

A node is the value of each slot. The page needs the attention weights of every value, what is
written with them, the nodes of symbols and of the pad, and the class of every value.
"""

from typing import Any

import torch
from torch import nn

from lengthwise.errors import VerificationError
from lengthwise.explorer.recurrent_values import MOST_WEIGHTS, pack_floats
from lengthwise.models.state_slots import StateSlots


@torch.no_grad()
def slot_values(model: nn.Module) -> dict[str, Any]:
    """Return the values of a network of slots.

    Raises:
        VerificationError: it is another network, or has too many values.
    """
    if not isinstance(model, StateSlots):
        raise VerificationError(f"{type(model).__name__} has no slots.")
    config = model.config
    codes = torch.arange(2**config.num_bits, device=model.keys.device)
    count = len(codes) * config.num_slots
    if count > MOST_WEIGHTS:
        raise VerificationError(
            f"a page has room for {MOST_WEIGHTS:,} weights, but the slots of this network have "
            f"{count:,}."
        )
    *symbols, pad = model.leaves().tolist()
    return {
        "chunk_size": config.chunk_size,
        "bits": config.num_bits,
        "slots": config.num_slots,
        "symbols": symbols,
        "pad": pad,
        "start": int(((model.start.cpu() >= 0).long() << torch.arange(config.num_bits)).sum()),
        "weights": pack_floats(model.weights(codes).cpu()),
        "write": model.write.weight.tolist(),
        "shift": model.write.bias.tolist(),
        "classes": model.read(codes).argmax(dim=-1).tolist(),
    }
