"""PD-SSM follows any automaton of as many states as it has numbers."""

import random

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn_layers import draw, made
from lengthwise.layers.mixers.pd_ssm import PdSsm
from ordinary import few

STATES, SYMBOLS = 5, 3


@settings(max_examples=few(5, 40))
@given(seed=st.integers(0, 9999), length=st.integers(1, 80))
def test_written_weights_follow_an_automaton(seed: int, length: int) -> None:
    """Symbol a selects matrix a, whose column s has its greatest number in the row of s's next."""
    draw_from = random.Random(seed)
    table = [[draw_from.randrange(STATES) for _ in range(STATES)] for _ in range(SYMBOLS)]
    word = [draw_from.randrange(SYMBOLS) for _ in range(length)]
    mixer = made(PdSsm, STATES, 1)
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.zero_()
        for symbol, row in enumerate(table):
            mixer.selector.weight[symbol, symbol] = 100.0
            for state, after in enumerate(row):
                mixer.dictionary[0, symbol, state, after] = 10.0
        mixer.magnitude[-1].get_parameter("bias").fill_(40.0)  # a factor of 1
        mixer.phase[-1].get_parameter("bias").fill_(-40.0)  # and no turn
    inputs = torch.eye(STATES).double()[word][None]
    _, (real, imaginary) = mixer(inputs)
    state = 0
    for symbol in word:
        state = table[symbol][state]
    expected = torch.eye(STATES).double()[state]
    torch.testing.assert_close(real[0, 0], expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(imaginary[0, 0], torch.zeros(STATES).double(), rtol=0, atol=1e-9)


def test_moves_have_a_gradient() -> None:
    """The argmax alone would have none: that of the softmax reaches the dictionary."""
    mixer = made(PdSsm, 8, 2)
    outputs, _ = mixer(draw(2, 9, 8))
    (gradient,) = torch.autograd.grad(outputs.square().sum(), [mixer.dictionary])
    assert (gradient != 0).any()


def test_a_step_does_not_enlarge_a_state_in_sum() -> None:
    mixer = made(PdSsm, 8, 2)
    _, magnitudes, *_ = mixer._selected(30 * draw(50, 8))
    assert (magnitudes.abs() <= 1 + 1e-12).all()
