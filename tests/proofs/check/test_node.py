"""Bounds against a second node function in rational numbers, and against torch on hostile weights.

Axes:
    row     chunks of one call
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.layers.memory import BinaryMemory
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.node import Node
from lengthwise.proofs.check.tight_node import TightNode
from lengthwise.proofs.search.network import weights_of
from ordinary import few
from proofs.draws import outside
from proofs.exact_node import ExactNode, Vector, error_function, exponential, root
from proofs.hostile import RATIONAL, SYMBOLS, chunks, flushing, hostile, ran, settings_drawn

seeds = st.integers(0, 2**32 - 1)
hostilities = st.sampled_from([0.0, 0.1, 0.3])
types = st.sampled_from([torch.float32, torch.float64])
kinds = st.sampled_from([{}, RATIONAL])


def each_outside(points: Floats | list[Vector], found: tuple[Floats, Floats]) -> list[int]:
    """The same of numbers with a radius each."""
    centre, radius = found
    return [
        row
        for row in range(len(centre))
        if outside([[p] for p in points[row]], Ball(centre[row][:, None], radius[row]))
    ]


def distinct(arrays: list[Floats]) -> list[Floats]:
    """Each of the arrays once: most ways to compute give the same bits."""
    return list({array.tobytes(): array for array in arrays}.values())


class Case:
    """A network with its bounds, and two levels of chunks."""

    def __init__(self, seed: int, hostility: float, dtype: torch.dtype, **values: Any) -> None:
        random = np.random.default_rng(seed)
        settings = settings_drawn(random) | values
        self.model: RegularGPT = hostile(random, settings, hostility, dtype)
        self.settings = self.model.config.to_dict()
        self.weights = weights_of(self.model)
        self.first = chunks(random, settings["chunk_size"], SYMBOLS, 6)
        self.second = chunks(random, settings["chunk_size"], 6, 4)
        self.binary = settings["memory"] == "binary"
        self.codes = random.random((6, 3)) < 0.5

    def nodes(self) -> list[Node]:
        plain = Node(self.settings, self.weights)
        return [plain] if self.binary else [plain, TightNode(self.settings, self.weights)]

    def below(self, node: Node) -> tuple[Ball, Ball]:
        """The balls of the first level, and those that the second is made of."""
        first = node.gather(node.leaves(), self.first)
        return first, node.recall(self.codes) if self.binary else first


@settings(max_examples=few(8))
@given(seed=seeds, hostility=hostilities, dtype=types, flush=st.booleans(), kind=kinds)
def test_real_arithmetic_lies_in_the_balls(
    seed: int, hostility: float, dtype: torch.dtype, flush: bool, kind: dict[str, Any]
) -> None:
    case = Case(seed, hostility, dtype, **kind)
    exact = ExactNode(case.settings, case.weights)
    leaves = exact.leaves()
    first = [exact.gather(leaves, row) for row in case.first.tolist()]
    under = [exact.recall(code) for code in case.codes.tolist()] if case.binary else first
    second = [exact.gather(under, row) for row in case.second.tolist()]
    for node in case.nodes():
        with flushing(flush):  # of numpy, in the same thread
            balls, below = case.below(node)
            image = node.gather(below, case.second)
            logits = node.logits(below)
        assert not outside(leaves, node.leaves())
        assert not outside(first, balls)
        assert not outside(under, below)
        assert not outside(second, image)
        assert not each_outside([exact.logits(v) for v in under], logits)
        if case.binary:
            assert not each_outside([exact.numbers(v) for v in second], node.numbers(image))


@settings(max_examples=few(8))
@given(seed=seeds, hostility=hostilities, dtype=types, flush=st.booleans(), kind=kinds)
def test_what_torch_computes_lies_in_the_balls(
    seed: int, hostility: float, dtype: torch.dtype, flush: bool, kind: dict[str, Any]
) -> None:
    """In batches of several sizes, with one thread and two, with subnormal numbers and without."""
    case = Case(seed, hostility, dtype, **kind)
    model, memory = case.model, case.model.memory
    signs = torch.where(torch.from_numpy(case.codes), 1.0, -1.0).to(dtype)
    computed = []
    for flushed in (False, True):
        with torch.no_grad(), flushing(flushed):
            leaves = model.leaf(torch.arange(SYMBOLS))
            under = model.gather(leaves, torch.from_numpy(case.first))
            if isinstance(memory, BinaryMemory):
                under = memory.norm(memory.read(signs))
            read = model.read(under)
        computed.append((leaves, under, read, distinct(ran(model, under, case.second))))
    first = distinct(ran(model, None, case.first, ways=((1, 99), (1, 1))))
    for node in case.nodes():
        with flushing(flush):
            balls, below = case.below(node)
            image = node.gather(below, case.second)
            logits = node.logits(below)
        for after, (leaves, under, read, second) in enumerate(computed):
            assert not outside(leaves.double().numpy(), node.leaves())
            assert not outside(under.double().numpy(), below)
            assert not each_outside(read.double().numpy(), logits)
            for found in second:
                assert not outside(found, image)
                if isinstance(memory, BinaryMemory):
                    with torch.no_grad(), flushing(after == 1):
                        numbers = memory.numbers(torch.from_numpy(found).to(dtype))
                    assert not each_outside(numbers.double().numpy(), node.numbers(image))
        for found in first:
            assert not outside(found, balls)


def test_most_radii_of_ordinary_small_networks_are_finite_and_small() -> None:
    """Else the two tests above would test nothing."""
    finite = small = count = 0
    for seed in range(60):
        case = Case(seed, 0.0, torch.float32, **(RATIONAL if seed % 4 == 0 else {}))
        balls, _ = case.below(case.nodes()[0])
        finite += np.isfinite(balls.radius).sum()
        small += (balls.radius < 0.01).sum()
        count += len(balls.radius)
    assert finite > 0.95 * count
    assert small > 0.6 * count


def test_the_functions_of_the_oracle_have_known_values() -> None:
    """The digits are of tables."""
    e_inverse = Fraction("0.36787944117144232159552377016146086744581113103176783450783680")
    erf_one = Fraction("0.84270079294971486934122063508260925929606699796630290845993789")
    sqrt_two = Fraction("1.41421356237309504880168872420969807856967187537694807317667974")
    assert abs(exponential(Fraction(-1)) - e_inverse) < Fraction(1, 10**60)
    assert abs(exponential(Fraction(-30)) - e_inverse**30) < Fraction(1, 10**60)
    assert abs(error_function(Fraction(1)) - erf_one) < Fraction(1, 10**60)
    assert error_function(Fraction(-1)) == -error_function(Fraction(1))
    assert abs(root(Fraction(2)) - sqrt_two) < Fraction(1, 10**60)
    assert root(Fraction(9, 4)) == Fraction(3, 2)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [{}, RATIONAL])
def test_the_oracle_is_the_network(seed: int, kind: dict[str, Any]) -> None:
    case = Case(seed, 0.0, torch.float64, **kind)
    exact = ExactNode(case.settings, case.weights)
    first = [exact.gather(exact.leaves(), row) for row in case.first.tolist()]
    with torch.no_grad():
        leaves = case.model.leaf(torch.arange(SYMBOLS))
        found = case.model.gather(leaves, torch.from_numpy(case.first)).numpy()
    np.testing.assert_allclose(found, np.array(first, dtype=float), atol=1e-11)


def on_spheres(random: np.random.Generator, centres: Floats, radius: float) -> Floats:
    """A point near the surface of each ball, most of them in the direction of its centre."""
    away = np.where(
        random.random((len(centres), 1)) < 0.7, centres, random.normal(size=centres.shape)
    )
    length = np.sqrt((away**2).sum(axis=1, keepdims=True))
    return centres + away / length * radius * random.choice([-0.999, 0.999], size=(len(centres), 1))


NARROW = {"d_model": 1, "num_heads": 1, "num_layers": 1, "pad": "learned"}
"""One number, so that bounds on norms lose nothing."""


@given(
    seed=st.integers(0, 2**32 - 1),
    radius=st.sampled_from([1e-3, 0.1, 1.0]),
    shape=st.sampled_from([{}, NARROW]),
)
def test_points_of_wide_balls_become_points_of_the_result(
    seed: int, radius: float, shape: dict[str, Any]
) -> None:
    random = np.random.default_rng(seed)
    settings = settings_drawn(random) | RATIONAL | shape
    model = hostile(random, settings, 0.0, torch.float64)
    with torch.no_grad():
        for layer in model.block:
            layer.attention.bias.add_(3.0)  # else few weights are above 0
            if shape:
                layer.contract.weight.zero_()
    config, weights = model.config.to_dict(), weights_of(model)
    centres = random.normal(size=(3, config["d_model"])) + random.choice([0.0, 5.0])
    rows = chunks(random, config["chunk_size"], 3, 4)
    if shape:  # equal places, whose weights move together
        rows = np.repeat(rows[:, -1:], config["chunk_size"], axis=1)
    balls = Node(config, weights).gather(Ball(centres, np.full(3, radius)), rows)
    exact = ExactNode(config, weights)
    for _ in range(4):
        points = [[Fraction(float(x)) for x in row] for row in on_spheres(random, centres, radius)]
        assert not outside([exact.gather(points, row) for row in rows.tolist()], balls)
