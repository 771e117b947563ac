"""Bounds on products of slots, beside all contents of all slots and what torch computes."""

import copy
from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.spec import parse
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.deviations import measure_products
from proofs.structured import draw, node_of, train_structured, with_weights


@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.5, 2.0, 8.0]))
def test_sides_are_the_lowest_over_all_nodes(seed: int, size: float) -> None:
    """All 27 valid nodes are multiplied with each state, in float64."""
    node = node_of(draw(seed, size=size).double())
    codes = node.states
    sides, radius = node.sides()
    assert radius.max() < 1e-10
    nodes = codes[np.array(list(product(range(3), repeat=3)))]
    for state in range(3):
        left = np.broadcast_to(codes[[state]], (len(nodes), 1, 2))
        numbers = node.numbers(left, nodes)[:, 0]
        for other in range(3):
            there = (nodes[:, state] == codes[other]).all(axis=1)
            own = (numbers[there] * np.where(codes[other], 1.0, -1.0)).min()
            assert sides[state, other] == pytest.approx(own, abs=1e-9)
            assert sides[state, other] - radius[state, other] <= own


@given(seed=st.integers(0, 10**6), size=st.sampled_from([1.0, 10.0, 100.0]))
def test_what_torch_computes_lies_within_the_bounds(seed: int, size: float) -> None:
    model = draw(seed, slots=4, size=size)
    node = node_of(model)
    assert measure_products(model, node) <= node.apart()
    assert node.apart() < 0.1


@pytest.mark.slow
def test_a_fault_in_one_of_a_million_corners_is_refused() -> None:
    """The product is right but for the one content of seven other slots that the bound is about."""
    model = copy.deepcopy(train_structured("regex:(0|1)*1(0|1){2}")).double()
    node = node_of(model)
    assert (node.sides()[0] > 0).all()
    low, high = 0.0, 1.0
    for _ in range(60):  # the largest scale of keys at which the bound just fails
        middle = (low + high) / 2
        fails = (
            node_of(with_weights(model, "keys", partial(torch.mul, middle))).sides()[0].min() <= 0
        )
        low, high = (middle, high) if fails else (low, middle)
    weaker = with_weights(model, "keys", partial(torch.mul, low))
    node = node_of(weaker)
    sides, _ = node.sides()
    state, other = np.unravel_index(sides.argmin(), sides.shape)
    assert -1e-6 < sides[state, other] <= 0
    codes = node.states
    draw = np.random.default_rng(0)
    nodes = codes[draw.integers(0, len(codes), size=(200_000, len(codes)))]
    nodes[:, state] = codes[other]
    numbers = node.numbers(codes[None, [state]], nodes)[:, 0]
    wrong = ((numbers >= 0) != codes[other]).any(axis=1)
    assert wrong.mean() < 1e-4  # random contents hardly find it
    assert certify(weaker, parse("regex:(0|1)*1(0|1){2}")).verdict == "not-closed"
