"""Sums in chosen orders: they are sums, none leaves the bounds of a network, and TF32 does."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.search.network import weights_of
from lengthwise.proofs.search.summation_orders import ORDERS, OrderedSums, TensorFloat32
from proofs.recurrent import random_recurrence


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("fused", [False, True])
def test_whole_numbers_are_summed_exactly_in_every_order(order: str, fused: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(-9, 10, (5, 7), generator=generator).float() for _ in range(2))
    bias = torch.arange(5.0)
    plain = (x @ y.T, torch.nn.functional.linear(x, y, bias), x.sum(dim=0))
    with OrderedSums(order, fused=fused):
        found = (x @ y.T, torch.nn.functional.linear(x, y, bias), x.sum(dim=0))
    for one, other in zip(found, plain, strict=True):
        assert one.equal(other)


@given(numbers=st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=12))
def test_orders_are_orders_and_round_each_addition(numbers: list[float]) -> None:
    row = torch.tensor([numbers], dtype=torch.float32)
    exact = math.fsum(numbers)
    size = sum(map(abs, numbers))
    for order in ORDERS:
        with OrderedSums(order):
            found = float(row.sum(dim=1))
        assert abs(found - exact) <= len(numbers) * 2.0**-24 * size * 1.01 + 1e-44


def test_an_order_loses_what_another_keeps() -> None:
    row = torch.tensor([[1e8, 1.0, -1e8]])
    with OrderedSums("as they come"):
        assert float(row.sum(dim=1)) == 0.0
    with OrderedSums("largest first"):
        assert float(row.sum(dim=1)) == 1.0


def test_a_fused_product_is_not_rounded() -> None:
    x, y = torch.tensor([[1 + 2.0**-12, -1.0]]), torch.tensor([[1 + 2.0**-12], [1 + 2.0**-11]])
    with OrderedSums("backwards", fused=True):
        assert float(x @ y) == 2.0**-24
    with OrderedSums("backwards"):
        assert float(x @ y) == 0.0


def test_tf32_has_eleven_digits() -> None:
    one = torch.ones(1, 1)
    with TensorFloat32():  # type: ignore[no-untyped-call]
        assert float(torch.tensor([[1 + 2.0**-10]]) @ one) == 1 + 2.0**-10
        assert float(torch.tensor([[1 + 2.0**-13]]) @ one) == 1.0
        assert float(torch.tensor([[-3.0e5]]) @ one) == -3.0e5 + float(torch.tensor(-32.0))


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**31), cell=st.sampled_from(["elman", "gru"]))
@torch.no_grad()
def test_no_order_leaves_the_bounds_and_tf32_does(seed: int, cell: str) -> None:
    model = random_recurrence(seed, dtype=torch.float32, cell=cell, d_model=24, num_bits=3)
    node = RecurrentNode(model.config.to_dict(), weights_of(model))
    codes = np.repeat(np.indices([2] * 3).reshape(3, -1).T.astype(bool), 2, axis=0)
    symbols = np.tile([0, 1], 8)
    centre, radius = node.numbers(node.recall(codes), symbols)

    def off(mode: torch.utils._python_dispatch.TorchDispatchMode) -> np.ndarray:
        with mode:
            vectors = model.cell(
                model.memory.recall(torch.from_numpy(codes)), torch.from_numpy(symbols)
            )
            found = model.memory.numbers(vectors)
        return np.abs(found.double().numpy() - centre)

    for order in ORDERS:
        for fused in (False, True):
            assert (off(OrderedSums(order, fused=fused, seed=seed)) <= radius).all(), order
    assert off(TensorFloat32()).max() > 0.05 * radius.max()  # type: ignore[no-untyped-call]
