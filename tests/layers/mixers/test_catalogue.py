"""What every sequence layer must do: its parallel form is its definition, step by step."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from drawn_layers import close, draw, make
from lengthwise.layers.mixers.catalogue import MIXERS
from lengthwise.layers.mixers.mixer import mix_by_steps
from ordinary import few

WIDTH, HEADS = 8, 2

names = pytest.mark.parametrize("name", sorted(MIXERS))


@names
@settings(max_examples=few(2, 30))
@given(words=st.integers(1, 3), length=st.integers(1, 70), seed=st.integers(0, 99))
def test_the_parallel_form_is_its_definition(name: str, words: int, length: int, seed: int) -> None:
    """Outputs, states, and gradients of weights, inputs and the state before."""
    mixer = make(name, WIDTH, HEADS, seed)
    inputs = draw(words, length, WIDTH, seed=seed).requires_grad_()
    before = [part.requires_grad_() for part in mixer(draw(words, 3, WIDTH, seed=seed + 1))[1]]
    before = [part.detach().requires_grad_() for part in before]
    found = []
    for read in (mixer, lambda *arguments: mix_by_steps(mixer, *arguments)):
        outputs, state = read(inputs, tuple(before))
        loss = (outputs * draw(*outputs.shape, seed=2)).sum()
        for part in state:
            loss = loss + (part * draw(*part.shape, seed=3)).sum()
        wanted = [*mixer.parameters(), inputs, *before]
        gradients = torch.autograd.grad(loss, wanted, materialize_grads=True)
        found.append([outputs, *state, *gradients])
    for parallel, stepped in zip(*found, strict=True):
        close(parallel, stepped)


@names
@settings(max_examples=few(4, 30))
@given(length=st.integers(2, 100), data=st.data())
def test_a_sequence_is_read_in_stretches(name: str, length: int, data: st.DataObject) -> None:
    mixer, inputs = make(name, WIDTH, HEADS), draw(2, length, WIDTH)
    cut = data.draw(st.integers(1, length - 1))
    first, state = mixer(inputs[:, :cut])
    second, last = mixer(inputs[:, cut:], state)
    outputs, whole = mixer(inputs)
    close(torch.cat([first, second], dim=1), outputs)
    for left, right in zip(last, whole, strict=True):
        close(left, right)


@names
def test_the_future_is_not_seen(name: str) -> None:
    mixer, inputs = make(name, WIDTH, HEADS), draw(2, 70, WIDTH)
    changed = inputs.clone()
    changed[:, 41:] = 5 * draw(2, 29, WIDTH, seed=1)
    outputs, others = mixer(inputs)[0], mixer(changed)[0]
    close(outputs[:, :41], others[:, :41])
    assert not torch.allclose(outputs[:, 41], others[:, 41])


@names
def test_the_past_is_remembered(name: str) -> None:
    """The test of equality compares states that depend on what was read."""
    mixer = make(name, WIDTH, HEADS)
    inputs = draw(1, 6, WIDTH)
    other = inputs.clone()
    other[:, 0] += 1
    assert not torch.allclose(mixer(inputs)[0][:, -1], mixer(other)[0][:, -1])


@names
def test_states_are_those_of_the_weights_and_of_one_size(name: str) -> None:
    for dtype in (torch.float32, torch.float64):
        mixer = make(name, WIDTH, HEADS).to(dtype)
        first = mixer.start(3)
        _, after = mixer(draw(3, 50, WIDTH).to(dtype))
        assert [part.shape for part in after] == [part.shape for part in first]
        assert {part.dtype for part in (*first, *after)} == {dtype}
        assert {len(part) for part in first} == {3}


@names
def test_long_sequences_stay_finite_in_single_precision(name: str) -> None:
    """With inputs larger than those of a norm, too."""
    mixer = MIXERS[name](WIDTH, num_heads=HEADS)
    mixer.draw(torch.Generator().manual_seed(0))
    inputs = (30 * draw(2, 2_000, WIDTH)).float().requires_grad_()
    outputs, _ = mixer(inputs)
    assert outputs.isfinite().all()
    gradients = torch.autograd.grad(outputs.sum(), [inputs, *mixer.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)


@names
def test_a_batch_can_be_empty(name: str) -> None:
    outputs, state = make(name, WIDTH, HEADS)(draw(0, 5, WIDTH))
    assert outputs.shape == (0, 5, WIDTH)
    assert {len(part) for part in state} == {0}


@names
def test_one_seed_draws_one_layer(name: str) -> None:
    def drawn(seed: int) -> list[Tensor]:
        mixer = MIXERS[name](WIDTH, num_heads=HEADS)
        with torch.no_grad():
            for parameter in mixer.parameters():
                parameter.fill_(torch.nan)
        mixer.draw(torch.Generator().manual_seed(seed))
        return list(mixer.parameters())

    assert all(map(torch.equal, drawn(0), drawn(0)))
    assert not all(map(torch.equal, drawn(0), drawn(1)))


EIGENVALUES = {
    "linear-attention": (1, 1),
    "gla": (0, 1),
    "deltanet": (0, 1),
    "deltanet-negative": (-1, 1),
    "gated-deltanet": (0, 1),
    "gated-deltanet-negative": (-1, 1),
    "mamba": (0, 1),
    "mamba-negative": (-1, 1),
    "mamba2": (0, 1),
    "mamba2-negative": (-1, 1),
    "rwkv7": (-0.46, 1),
}
"""Bounds of the eigenvalues of what a step does to a state, all real."""
COMPLEX = ("retnet", "deltaproduct")
"""Layers whose eigenvalues are in the unit disc, and not all real."""


@pytest.mark.parametrize("name", [*EIGENVALUES, *COMPLEX])
def test_eigenvalues_of_a_step_are_those_of_the_page(name: str) -> None:
    found = []
    for seed in range(4):
        mixer = make(name, WIDTH, HEADS, seed)
        state = tuple(draw(*part.shape, seed=seed) for part in mixer.start(1))
        sizes = [part.numel() for part in state]
        inputs = 3 * draw(1, WIDTH, seed=seed)

        def after(flat: Tensor) -> Tensor:
            parts = torch.split(flat, sizes)  # noqa: B023  called at once
            given = tuple(map(Tensor.view_as, parts, state))  # noqa: B023
            return torch.cat([part.flatten() for part in mixer.step(inputs, given)[1]])  # noqa: B023

        step = torch.func.jacrev(after)(torch.cat([part.flatten() for part in state]))
        found.append(torch.linalg.eigvals(step))
    values = torch.cat(found)
    assert values.abs().max() <= 1 + 1e-6
    if name in COMPLEX:
        assert values.imag.abs().max() > 0.01
        return
    least, greatest = EIGENVALUES[name]
    assert values.imag.abs().max() < 1e-3  # defective zeros of a short convolution move most
    assert values.real.min() >= least - 1e-3
    assert values.real.max() <= greatest + 1e-3
    assert values.real.min() < -0.25 or not name.endswith("-negative")
