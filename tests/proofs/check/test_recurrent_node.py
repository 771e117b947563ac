"""The step function of recurrent networks against rational numbers and against torch."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import VerificationError
from lengthwise.models.threads import processor_threads
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, norm
from lengthwise.proofs.check.recurrent_node import RecurrentNode
from lengthwise.proofs.search.network import weights_of
from proofs.draws import Draw, assert_inside, draws, points_of
from proofs.exact_node import EPSILON, exponential, root, round_number
from proofs.recurrent import random_recurrence

Vector = list[Fraction]


def node_of(model: Any) -> RecurrentNode:
    return RecurrentNode(model.config.to_dict(), weights_of(model))


# ---- in rational numbers -----------------------------------------------------------------------


def fractions(array: Any) -> Any:
    """The same numbers, exactly."""
    if np.ndim(array) == 0:
        return Fraction(float(array))
    return [fractions(each) for each in array]


def sigmoid(x: Fraction) -> Fraction:
    power = exponential(-abs(x))
    return round_number((Fraction(1) if x >= 0 else power) / (1 + power))


def tanh(x: Fraction) -> Fraction:
    power = exponential(-2 * abs(x))
    return round_number((1 - power) / (1 + power)) * (1 if x >= 0 else -1)


class ByFractions:
    """The network in rational numbers, written as its formulas are."""

    def __init__(self, model: Any) -> None:
        self.cell = model.config.cell
        self.weights = {name: fractions(w) for name, w in weights_of(model).items()}

    def linear(self, name: str, x: Vector) -> Vector:
        rows, biases = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        products = (sum((w * v for w, v in zip(r, x, strict=True)), Fraction(0)) for r in rows)
        return [round_number(b + each) for b, each in zip(biases, products, strict=True)]

    def recall(self, code: list[bool]) -> Vector:
        x = self.linear("memory.read", [Fraction(int(bit)) for bit in code])
        if self.cell == "relu":
            return x
        mean = sum(x, Fraction(0)) / len(x)
        deviation = root(sum(((v - mean) ** 2 for v in x), Fraction(0)) / len(x) + EPSILON)
        names = (self.weights[f"memory.norm.{name}"] for name in ("weight", "bias"))
        return [
            round_number((v - mean) / deviation * w + b) for v, w, b in zip(x, *names, strict=True)
        ]

    def numbers(self, code: list[bool], symbol: int) -> Vector:
        before = self.recall(code)
        here, there = (
            self.weights["cell.symbols.weight"][symbol],
            self.linear("cell.recurrent", before),
        )
        if self.cell == "relu":
            after = [max(x + h, Fraction(0)) for x, h in zip(here, there, strict=True)]
        elif self.cell == "elman":
            after = [tanh(x + h) for x, h in zip(here, there, strict=True)]
        else:
            width, after = len(before), []
            for i, old in enumerate(before):
                reset = sigmoid(here[i] + there[i])
                keep = sigmoid(here[width + i] + there[width + i])
                new = tanh(here[2 * width + i] + reset * there[2 * width + i])
                after.append((1 - keep) * new + keep * old)
        return self.linear("memory.write", after)


models = st.builds(
    random_recurrence,
    st.integers(0, 10**6),
    cell=st.sampled_from(["elman", "relu", "gru"]),
    d_model=st.sampled_from([1, 2, 5, 9]),
    num_bits=st.sampled_from([1, 3, 9]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)


@settings(max_examples=15)
@given(model=models, seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.01, 1.0, 30.0]))
def test_true_numbers_and_those_of_torch_are_within_their_radii(
    model: Any, seed: int, scale: float
) -> None:
    with torch.no_grad():
        model.cell.recurrent.weight.mul_(scale)
        model.memory.read.weight.mul_(scale)
    node, exact = node_of(model), ByFractions(model)
    random = np.random.default_rng(seed)
    codes = random.random((4, node.num_bits)) < 0.5
    symbols = random.integers(0, node.num_symbols, 4)
    centre, radius = node.numbers(node.recall(codes), symbols)
    for row, (code, symbol) in enumerate(zip(codes.tolist(), symbols.tolist(), strict=True)):
        for bit, true in enumerate(exact.numbers(code, symbol)):
            off, reach = abs(Fraction(centre[row, bit]) - true), radius[row, bit]
            assert np.isinf(reach) or off <= Fraction(reach)
    with torch.no_grad():
        bits, given = torch.from_numpy(codes), torch.from_numpy(symbols)
        for threads in (1, 2):
            with processor_threads(threads):
                found = model.memory.numbers(model.cell(model.memory.recall(bits), given))
                start = model.memory.numbers(model.start[None])
                read = model.read(model.memory.recall(bits))
            assert (np.abs(found.double().numpy() - centre) <= radius).all()
            for own, (middle, reach) in (
                (start, node.start_numbers()),
                (read, node.logits(node.recall(codes))),
            ):
                assert (np.abs(own.double().numpy() - middle) <= reach).all()


def test_radii_are_small_enough_to_prove_something() -> None:
    model = random_recurrence(0, d_model=64, num_bits=40, dtype=torch.float32)
    codes = np.eye(40, dtype=np.bool_)
    for network, most in ((model, 0.1), (model.double(), 1e-9)):
        node = node_of(network)
        assert node.numbers(node.recall(codes), np.zeros(40, dtype=np.int64))[1].max() < most


# ---- operations ----------------------------------------------------------------------------------


@given(draw=draws)
def test_images_of_balls_hold_the_images_of_their_points(draw: Draw) -> None:
    exact = Arithmetic.of("float64")
    one, other = draw.balls(), draw.balls()
    random = draw.random
    xs, ys = points_of(one, random), points_of(other, random)
    with np.errstate(over="ignore"):
        assert_inside(np.tanh(xs), exact.tanh(one))
        assert_inside(1 / (1 + np.exp(-xs)), exact.sigmoid(one))
    assert_inside(xs * ys, exact.product(one, other))


@pytest.mark.parametrize("size", [1e-3, 1.0, 20.0, 100.0])
def test_torch_in_single_precision_stays_in_the_balls_of_points(size: float) -> None:
    single = Arithmetic.of("float32")
    generator = torch.Generator().manual_seed(1)
    x, y = (size * torch.randn(200, 33, generator=generator) for _ in range(2))

    def ball(each: torch.Tensor) -> Ball:
        return Ball(each.double().numpy(), np.zeros(len(each)))

    pairs: list[tuple[torch.Tensor, Ball]] = [
        (x.tanh(), single.tanh(ball(x))),
        (x.sigmoid(), single.sigmoid(ball(x))),
        (x * y, single.product(ball(x), ball(y))),
    ]
    for found, image in pairs:
        off: Floats = norm(found.double().numpy() - image.centre)
        assert (off <= image.radius).all()
        assert (image.radius < 1e-3 * size**2 + 1e-3).all()


def test_numbers_that_overflow_have_no_finite_radius() -> None:
    single = Arithmetic.of("float32")
    huge = Ball(np.full((1, 2), 1e36), np.zeros(1))
    assert np.isinf(single.product(huge, huge).radius).all()
    model = random_recurrence(0, dtype=torch.float32)
    with torch.no_grad():
        model.memory.read.weight.mul_(1e38)
    node = node_of(model)
    assert np.isinf(node.numbers(node.recall(np.eye(3, dtype=np.bool_)), np.zeros(3, int))[1]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_bits": 4}, "the weights are not those of the settings"),
        ({"cell": "lstm"}, "cell='lstm' is none of elman, relu, gru"),
        ({"d_model": 5}, "the weights are not those of the settings"),
    ],
)
def test_settings_and_weights_must_fit(change: dict[str, Any], message: str) -> None:
    model = random_recurrence(0)
    with pytest.raises(VerificationError, match=message):
        RecurrentNode({**model.config.to_dict(), **change}, weights_of(model))
