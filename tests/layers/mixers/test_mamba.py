"""Mamba against its equations, number by number, and against `transformers` on its weights."""

import math

import pytest
import torch
from torch.nn import functional as F

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.mamba import STEPS, Mamba, draw_steps

WIDTH = 8


@pytest.mark.parametrize("negative", [False, True])
def test_outputs_are_those_of_the_equations(negative: bool) -> None:
    """Numbers of one channel and state, in Python, from the inputs of the recurrence on."""
    mixer = made(Mamba, WIDTH, negative=negative)
    inputs = draw(1, 6, WIDTH)
    x, gate = mixer.input(inputs)[0].chunk(2, dim=-1)
    x = mixer.convolution(x[None], mixer.convolution.start(1))[0][0]
    delta, write, read = (part.tolist() for part in mixer._selected(x))
    rates, skip = mixer.log_rates.exp().tolist(), mixer.skip.tolist()
    y = []
    state = [[0.0] * mixer.state_size for _ in skip]
    for t, row in enumerate(x.tolist()):
        for c, number in enumerate(row):
            for n in range(mixer.state_size):
                factor = math.exp(-delta[t][c] * rates[c][n])
                factor = 2 * factor - 1 if negative else factor
                state[c][n] = factor * state[c][n] + delta[t][c] * write[t][n] * number
        sums = [sum(h * c for h, c in zip(numbers, read[t], strict=True)) for numbers in state]
        y.append([s + d * u for s, d, u in zip(sums, skip, row, strict=True)])
    expected = mixer.output(torch.tensor(y, dtype=torch.double) * F.silu(gate))
    close(mixer(inputs)[0][0], expected)


def test_factors_are_in_their_range() -> None:
    delta = 5 * draw(200, 2 * WIDTH).square()
    positive, negative = (made(Mamba, WIDTH, negative=n)._factors(delta) for n in (False, True))
    assert ((positive >= 0) & (positive < 1)).all()
    assert ((negative >= -1) & (negative < 1)).all()
    assert (negative < -0.9).any()


def test_first_steps_are_in_their_range() -> None:
    bias = torch.empty(1000)
    draw_steps(bias, torch.Generator().manual_seed(0))
    steps = F.softplus(bias)
    low, high = STEPS
    assert low * 0.99 < steps.min() < 2 * low
    assert high / 2 < steps.max() < high * 1.01


@pytest.mark.parametrize("length", [1, 3, 50])
def test_it_is_that_of_transformers_on_the_same_weights(length: int) -> None:
    theirs_of = pytest.importorskip("transformers.models.mamba.modeling_mamba")
    config = pytest.importorskip("transformers").MambaConfig(
        hidden_size=WIDTH, state_size=5, num_hidden_layers=1, time_step_rank=1
    )
    theirs = theirs_of.MambaMixer(config, 0)
    ours = made(Mamba, WIDTH, state_size=5).float()
    with torch.no_grad():
        theirs.A_log.copy_(ours.log_rates)
        theirs.D.copy_(ours.skip)
        theirs.conv1d.weight.copy_(ours.convolution.weight.T[:, None])
        theirs.conv1d.bias.copy_(ours.convolution.bias)
        theirs.in_proj.weight.copy_(ours.input.weight)
        theirs.x_proj.weight.copy_(ours.selection.weight)
        theirs.dt_proj.load_state_dict(ours.step_size.state_dict())
        theirs.out_proj.weight.copy_(ours.output.weight)
    inputs = draw(2, length, WIDTH).float().requires_grad_()
    found, expected = ours(inputs)[0], theirs(inputs)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    slopes = [torch.autograd.grad(out.square().sum(), inputs) for out in (found, expected)]
    torch.testing.assert_close(*slopes, rtol=1e-3, atol=1e-4)
