"""Recurrences with a state of numbers, with weights set by hand."""

import torch

from lengthwise.models.recurrent import Recurrent, RecurrentConfig


def parity_network(num_classes: int = 2, gain: float = 4.0) -> Recurrent:
    """Elman's network for parity: of p + x, one unit is the OR, the other the AND."""
    config = RecurrentConfig(vocab_size=2, num_classes=num_classes, cell="elman", d_model=2)
    network = Recurrent(config)
    parity = torch.tensor([0.5, -0.5])
    with torch.no_grad():
        for weight in network.parameters():
            weight.zero_()
        weights = dict(network.named_parameters())
        weights["cell.weight_hh_l0"].copy_(gain * torch.stack([parity, parity]))
        weights["cell.weight_ih_l0"][:, 1] = gain
        weights["cell.bias_ih_l0"].copy_(gain * torch.tensor([-0.5, -1.5]))
        network.answer.weight[:2].copy_(torch.stack([-parity, parity]))
        network.answer.bias[:2].copy_(torch.tensor([0.5, -0.5]))
        network.answer.bias[2:] = -10.0
    return network.eval()
