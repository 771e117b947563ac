"""sLSTM against its equations without exponents kept apart."""

import torch
from torch.nn import functional as F

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.slstm import SLstm

WIDTH, HEADS, PART = 8, 2, 4


def test_outputs_are_those_of_the_equations() -> None:
    """With gates as they are, which double precision bears for a few positions."""
    mixer = made(SLstm, WIDTH, HEADS)
    inputs = draw(1, 6, WIDTH)
    of_input = mixer.input(inputs)[0]
    reads = torch.zeros(6, HEADS, PART).double()
    for head in range(HEADS):
        h, c, n = torch.zeros(3, PART).double()
        for t in range(6):
            mapped = of_input[t, 4 * PART * head : 4 * PART * (head + 1)]
            gates = mapped + h @ mixer.recurrent[head]
            enter, keep, new, output = gates.split(PART)
            c = keep.sigmoid() * c + enter.exp() * new.tanh()
            n = keep.sigmoid() * n + enter.exp()
            h = output.sigmoid() * c / n
            reads[t, head] = h
    normed = F.layer_norm(reads, (PART,), eps=mixer.norm.eps).flatten(-2)
    expected = mixer.output(normed * mixer.norm.weight + mixer.norm.bias)
    close(mixer(inputs)[0][0], expected)


def test_gates_of_any_size_are_read() -> None:
    """exp(900) is no number of double precision, and exp(-900) is 0: at the first position, too."""
    mixer = made(SLstm, WIDTH, HEADS)
    inputs = 300 * draw(40, 30, WIDTH)
    gates = mixer._mapped(inputs)[:, 0, :, :PART]
    assert gates.max() > 900
    assert gates.min() < -900
    assert mixer(inputs)[0].isfinite().all()
