"""AdamW against torch's own, and what it does not import."""

import subprocess
import sys

import pytest
import torch
from torch import nn

from lengthwise.training.adamw import AdamW


@pytest.mark.parametrize("fused", [False, True])
def test_steps_are_those_of_torch(fused: bool) -> None:
    ours, theirs = nn.Linear(5, 3), nn.Linear(5, 3)
    theirs.load_state_dict(ours.state_dict())
    groups = [
        [
            {"params": [layer.weight], "weight_decay": 0.1},
            {"params": [layer.bias], "weight_decay": 0.0},
        ]
        for layer in (ours, theirs)
    ]
    one = AdamW(groups[0], lr=0.1, beta2=0.95, fused=fused)
    other = torch.optim.AdamW(groups[1], lr=0.1, betas=(0.9, 0.95), fused=fused)
    words = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
    for number in range(4):
        for layer, optimiser in ((ours, one), (theirs, other)):
            optimiser.zero_grad()
            for group in optimiser.param_groups:
                group["lr"] = 0.1 / (number + 1)
            layer(words).square().sum().backward()
            if number == 2:
                layer.bias.grad = None
            optimiser.step()
    assert torch.equal(ours.weight, theirs.weight)
    assert torch.equal(ours.bias, theirs.bias)
    for mine, its in zip(ours.parameters(), theirs.parameters(), strict=True):
        for name, tensor in other.state[its].items():
            assert torch.equal(one.state[mine][name], tensor)
            assert one.state[mine][name].dtype == tensor.dtype


@pytest.mark.slow
@pytest.mark.parametrize("model", ["regular-gpt-slots", "regular-gpt-binary", "encoder-cls"])
def test_training_does_not_import_the_compiler(model: str) -> None:
    code = (
        "import sys, lengthwise as lw\n"
        f"lw.train('parity', '{model}', steps=2, device='cpu', progress=False)\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
