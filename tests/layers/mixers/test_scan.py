"""Scans against a loop that torch differentiates."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lengthwise.layers.mixers import scan
from ordinary import few


def plain_step(kind: str, maps: tuple[Tensor, ...], state: Tensor, added: Tensor) -> Tensor:
    if kind == "diagonal":
        return maps[0] * state + added
    if kind == "dense":
        return torch.einsum("...ij,...j->...i", maps[0], state) + added
    routes, factors = maps
    chosen = torch.nn.functional.one_hot(routes.argmax(dim=-1), routes.shape[-1])
    matrix = routes + (chosen - routes).detach()
    return torch.einsum("...ft,...f->...t", matrix.to(factors.dtype), factors * state) + added


def drawn(kind: str, length: int, seed: int) -> list[Tensor]:
    """StepMaps, inputs and a start, with an axis of two words and vectors of three numbers."""
    generator = torch.Generator().manual_seed(seed)
    dtype = torch.complex128 if kind == "routed" else torch.double

    def normal(*shape: int, of: torch.dtype = dtype) -> Tensor:
        return 0.6 * torch.randn(*shape, dtype=of, generator=generator)

    maps = {
        "diagonal": lambda: [normal(length, 2, 3)],
        "dense": lambda: [normal(length, 2, 3, 3)],
        "routed": lambda: [normal(length, 2, 3, 3, of=torch.double), normal(length, 2, 3)],
    }[kind]()
    return [t.requires_grad_() for t in (*maps, normal(length, 2, 3), normal(2, 3))]


@pytest.mark.parametrize("at_once", [0, scan.NUMBERS_AT_ONCE], ids=["loop", "spans"])
@pytest.mark.parametrize("kind", ["diagonal", "dense", "routed"])
@settings(max_examples=few(8, 60))
@given(length=st.integers(1, 60), seed=st.integers(0, 99))
def test_scans_are_loops(kind: str, at_once: int, length: int, seed: int) -> None:
    """States, the last of them, and all gradients, also of lengths that no spans fill."""
    arguments = drawn(kind, length, seed)
    *maps, inputs, start = arguments
    states, state = [], start
    for index in range(length):
        state = plain_step(kind, tuple(part[index] for part in maps), state, inputs[index])
        states.append(state)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "NUMBERS_AT_ONCE", at_once)
        found, last = getattr(scan, f"scan_{kind}")(*arguments)
        weights = [torch.randn_like(found), torch.randn_like(last)]
        results = []
        for outputs in ((torch.stack(states), states[-1]), (found, last)):
            loss = sum((w.conj() * out).real.sum() for w, out in zip(weights, outputs, strict=True))
            results.append([*outputs, *torch.autograd.grad(loss, arguments)])
    for plain, scanned in zip(*results, strict=True):
        torch.testing.assert_close(scanned, plain, rtol=1e-9, atol=1e-9)


def test_a_second_derivative_is_refused() -> None:
    arguments = drawn("diagonal", 4, 0)
    states, _ = scan.scan_diagonal(*arguments)
    (gradient,) = torch.autograd.grad(states.square().sum(), arguments[0], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()  # type: ignore[no-untyped-call]
