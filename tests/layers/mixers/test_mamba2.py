"""Mamba-2 against `transformers` on its weights, and factors of either sign."""

import pytest
import torch

from drawn_layers import close, draw, made
from lengthwise.layers.mixers.mamba2 import Mamba2
from lengthwise.layers.mixers.mixer import mix_by_steps

WIDTH = 8


@pytest.mark.parametrize("length", [1, 3, 50])
def test_it_is_that_of_transformers_on_the_same_weights(length: int) -> None:
    theirs_of = pytest.importorskip("transformers.models.mamba2.modeling_mamba2")
    config = pytest.importorskip("transformers").Mamba2Config(
        hidden_size=WIDTH,
        state_size=5,
        num_heads=2,
        head_dim=WIDTH,
        n_groups=1,
        num_hidden_layers=1,
        chunk_size=16,
    )
    theirs = theirs_of.Mamba2Mixer(config, 0)
    ours = made(Mamba2, WIDTH, state_size=5).float()
    with torch.no_grad():
        theirs.A_log.copy_(ours.log_rates)
        theirs.D.copy_(ours.skip)
        theirs.dt_bias.copy_(ours.step_bias)
        theirs.conv1d.weight.copy_(ours.convolution.weight.T[:, None])
        theirs.conv1d.bias.copy_(ours.convolution.bias)
        theirs.in_proj.weight.copy_(ours.input.weight)
        theirs.norm.weight.copy_(ours.norm.weight)
        theirs.out_proj.weight.copy_(ours.output.weight)
    inputs = draw(2, length, WIDTH).float().requires_grad_()
    found, expected = ours(inputs)[0], theirs(inputs)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    slopes = [torch.autograd.grad(out.square().sum(), inputs) for out in (found, expected)]
    torch.testing.assert_close(*slopes, rtol=1e-3, atol=1e-4)


def test_a_factor_that_is_zero_forgets_all() -> None:
    """Its logarithm is no number, and the parallel form takes logarithms."""
    mixer = made(Mamba2, WIDTH, negative=True)
    with torch.no_grad():
        mixer.log_rates.zero_()
        mixer.input.weight[-2:] = 0.0
        mixer.step_bias.fill_(0.0)  # softplus(0) = log 2, so that 2 exp(-log 2) - 1 is 0
    assert (mixer._factors(torch.full((1, 2), 2.0).double().log()).abs() < 1e-15).all()
    inputs = draw(2, 9, WIDTH)
    close(mixer(inputs)[0], mix_by_steps(mixer, inputs)[0])


def test_factors_of_either_sign_occur() -> None:
    """The test of equality with the steps sees signs that turn."""
    mixer = made(Mamba2, WIDTH, negative=True)
    delta = mixer._projected(3 * draw(1, 50, WIDTH))[2]
    negative = mixer._factors(delta) < 0
    assert negative.any()
    assert not negative.all()
