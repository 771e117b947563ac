"""RWKV-7 against its equations, a head and a position at a time."""

import math

import torch
from torch.nn import functional as F

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.rwkv7 import Rwkv7

WIDTH, HEADS, PART = 8, 2, 4


def test_outputs_are_those_of_the_equations() -> None:
    mixer = made(Rwkv7, WIDTH, HEADS)
    inputs = draw(7, WIDTH)
    outputs = []
    memory = torch.zeros(HEADS, PART, PART).double()
    before = torch.zeros(WIDTH).double()
    low = {name: getattr(mixer, name) for name in ("decay", "rate", "gate")}
    for x in inputs:
        of = [x + mixture * (before - x) for mixture in mixer.mixtures]
        receptance, key, value = mixer.receptance(of[0]), mixer.key(of[2]), mixer.value(of[3])
        narrow = torch.tanh(low["decay"][0](of[1]))
        exponent = low["decay"][2].bias + low["decay"][2].weight @ narrow
        decay = (-math.exp(-0.5) * exponent.sigmoid()).exp()
        rate = (low["rate"][2].bias + low["rate"][2].weight @ low["rate"][0](of[4])).sigmoid()
        gate = low["gate"][2].weight @ low["gate"][0](of[5]).sigmoid()
        replaced = key * (1 + (rate - 1) * mixer.replacement)
        rows = []
        for head in range(HEADS):
            part = slice(PART * head, PART * (head + 1))
            removed = (key * mixer.removal)[part]
            removed = removed / (removed @ removed + 1e-6).sqrt()
            step = torch.diag(decay[part]) - torch.outer(removed, rate[part] * removed)
            memory[head] = memory[head] @ step + torch.outer(value[part], replaced[part])
            read = F.layer_norm(memory[head] @ receptance[part], (PART,), eps=64e-5)
            read = read * mixer.norm.weight[part] + mixer.norm.bias[part]
            bonus = (receptance[part] * mixer.bonus[head]) @ replaced[part]
            rows.append(read + bonus * value[part])
        outputs.append(mixer.output(gate * torch.cat(rows)))
        before = x
    close(mixer(inputs[None])[0][0], torch.stack(outputs))


def test_the_fastest_decay_stays_finite_in_single_precision() -> None:
    """Every number forgets as fast as it can, over whole chunks."""
    mixer = made(Rwkv7, WIDTH, HEADS)
    with torch.no_grad():
        mixer.decay[-1].get_parameter("bias").fill_(50.0)
    inputs = draw(2, 100, WIDTH)
    expected, _ = mixer(inputs)
    found, _ = mixer.float()(inputs.float())
    torch.testing.assert_close(found.double(), expected, rtol=1e-3, atol=1e-3)
