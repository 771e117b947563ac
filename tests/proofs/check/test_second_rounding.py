"""The radii of the second checker are no smaller than what rounding does, whatever the order.

A radius shows where a certificate is refused: a bias moves a number towards 0 until its sign is not
certain any more. What is accepted must have the true sign in every order of additions in float32.
"""

import base64
import copy
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.binary_recurrent_config import BinaryRecurrentConfig
from lengthwise.models.state_slots import StateSlots
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.search.certify import certify
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.extraction import extract_algebra
from lengthwise.proofs.search.summation_orders import ORDERS, OrderedSums
from ordinary import few
from proofs.forger import body_of, sign
from proofs.recurrent import automaton_of, random_recurrence
from proofs.second_checker import second_checker, second_says
from proofs.slots import slots_of
from proofs.trained import ENDS_WITH_1, random_model, random_rational

WIDTH = 32
STEP = 2.0**-23
"""From 1 to the next number of float32."""
LOST = 2.0**-24 * (1 - 2.0**-12)
"""A little less than half of that: added to 1, it is lost."""

PARTS = ("memory.write", "answer")


@pytest.fixture(scope="module")
def program() -> Path:
    return second_checker()


def move(made: Certificate, part: str, bias: np.ndarray) -> bytes:
    """The certificate with another bias, signed."""
    body = body_of(made)
    body["weights"][f"{part}.bias"]["base64"] = base64.b64encode(bias.tobytes()).decode()
    return sign(body)


def accepts(program: Path, contents: list[bytes], folder: Path) -> list[bool]:
    paths = [folder / f"{number}.json" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    said = second_says(program, paths)
    assert all(one.accepted or one.is_of_rounding for one in said)
    return [one.accepted for one in said]


def orders(seeds: int) -> Iterator[OrderedSums]:
    for order, fused in product(ORDERS, [False, True]):
        for seed in range(seeds if order == "at random" else 1):
            yield OrderedSums(order, fused=fused, seed=seed)


# ---- the worst that rounding can do --------------------------------------------------------------


@torch.no_grad()
def worst_case() -> BinaryRecurrent:
    """The last symbol is read off 1 + 31 numbers that are lost one by one, but for a bias."""
    shape = {"vocab_size": 2, "num_classes": 2, "cell": "relu", "d_model": WIDTH, "num_bits": 1}
    model: Any = BinaryRecurrent(BinaryRecurrentConfig.from_dict(shape))
    for parameter in model.parameters():
        parameter.zero_()
    model.cell.symbols.weight[1] = 1.0
    model.memory.read.weight[:, 0] = 1.0
    for linear in (model.memory.write, model.answer):
        linear.weight[-1] = LOST
        linear.weight[-1, 0] = 1.0
        linear.bias[-1] = -0.5
    return model.eval()


@torch.no_grad()
def find_least(model: Any, part: str, seeds: int) -> float:
    """The least that the number of the part becomes after the symbol 1."""
    found = []
    for mode in orders(seeds):
        with mode:
            vector = model.cell(model.memory.recall(torch.tensor([[False]])), torch.tensor([1]))
            recalled = model.memory.recall(torch.tensor([[True]]))
            number = model.memory.write(vector) if part == "memory.write" else model.read(recalled)
            found.append(float(number[0, -1]))
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@torch.no_grad()
def test_no_sign_is_accepted_that_an_order_of_additions_turns(
    program: Path, part: str, tmp_path: Path
) -> None:
    model: Any = worst_case()
    made = certify(model, automaton_of(model))
    linear = model.get_submodule(part)
    steps, contents, turned = range(-28, 16), [], []
    for step in steps:
        linear.bias[-1] = -(1 + step * STEP)
        exact = (
            1
            + (WIDTH - 1) * Fraction(float(linear.weight[-1, 1]))
            + Fraction(float(linear.bias[-1]))
        )
        assert exact > 0  # so that in exact arithmetic all these networks are right
        contents.append(move(made, part, linear.bias.numpy()))
        turned.append(find_least(model, part, seeds=20) <= 0)
    assert turned == [step >= 0 for step in steps]
    accepted = accepts(program, contents, tmp_path)
    assert not any(yes and wrong for yes, wrong in zip(accepted, turned, strict=True))
    assert accepted[0]  # the radius is less than three times what is lost


# ---- random networks -----------------------------------------------------------------------------

NETWORKS: dict[str, Callable[[], Any]] = {
    "gru": lambda: random_recurrence(0, dtype=torch.float32, d_model=24),
    "elman": lambda: random_recurrence(0, dtype=torch.float32, cell="elman", d_model=24),
    "relu": lambda: random_recurrence(0, dtype=torch.float32, cell="relu", d_model=24),
    "tree, post": lambda: random_model(ENDS_WITH_1, 2, norm="post", num_bits=3),
    "tree, pre": lambda: random_model(ENDS_WITH_1, 0, norm="pre", num_bits=3),
    "tree, none": lambda: random_model(ENDS_WITH_1, 0, norm="none", num_bits=3),
    "tree, rational": lambda: random_rational(0, dtype=torch.float32, num_classes=2),
}

WORDS = [torch.tensor(list(product([0, 1], repeat=length))) for length in range(1, 6)]


def language_of_network(model: Any) -> Language:
    if isinstance(model, BinaryRecurrent):
        return automaton_of(model)
    return language_of(extract_algebra(model).algebra, ("0", "1"), ("0", "1"))


def first_numbers(model: Any) -> np.ndarray:
    """The numbers whose signs are the first bit of a code, of all nodes of short words."""
    met: list[np.ndarray] = []
    hook = model.memory.write.register_forward_hook(
        lambda _, __, out: met.append(out[..., 0].double().flatten().numpy())
    )
    for words in WORDS:
        model(words)
    hook.remove()
    return np.concatenate(met)


@pytest.mark.slow_except("elman", "relu")
@pytest.mark.parametrize("kind", NETWORKS)
@torch.no_grad()
def test_the_radius_of_a_random_network_is_more_than_any_order_moves_a_number(
    program: Path, kind: str, tmp_path: Path
) -> None:
    model = NETWORKS[kind]()
    made = certify(model, language_of_network(model))
    exact = copy.deepcopy(model).double()
    numbers = first_numbers(exact)
    nearest = int(np.abs(numbers).argmin())
    bias = model.memory.write.bias.numpy()
    own, side = bias[0], np.sign(numbers[nearest])
    contents, distances = [], []
    for distance in np.geomspace(abs(numbers[nearest]), 1e-9, few(40, 80)):
        bias[0] = np.float32(own - numbers[nearest] + side * distance)
        distances.append(side * (numbers[nearest] + float(bias[0]) - float(own)))
        contents.append(move(made, "memory.write", bias))
    accepted = accepts(program, contents, tmp_path)
    radius = min(left for left, yes in zip(distances, accepted, strict=True) if yes)
    assert accepted[0]
    assert not accepted[-1]
    bias[0] = np.float32(own - numbers[nearest] + side * radius)
    exact.memory.write.bias[0] = float(bias[0])
    true, errors = first_numbers(exact), []
    for mode in orders(seeds=6):
        with mode:
            errors.append(np.abs(first_numbers(model) - true).max())
    assert 0 < max(errors) < radius


# ---- slots of states -----------------------------------------------------------------------------


def numbers_of_slots(model: StateSlots, nodes: torch.Tensor) -> torch.Tensor:
    """The numbers `[node, state, bit]` of slots of all states, by what nodes hold."""
    codes = model.leaves()[-1].long()
    weights = model.weights(codes).expand(len(nodes), -1, -1)
    return model.numbers(weights, model.signs(codes[nodes]))


@pytest.mark.parametrize("name", ["write.bias", "keys"])
@torch.no_grad()
def test_slots_are_accepted_where_no_node_and_no_order_of_additions_turns_a_sign(
    program: Path, name: str, tmp_path: Path
) -> None:
    """All 256 nodes of four states are tried while a bias grows, or attention fades."""
    language = parse("regex:(0|1)*1(0|1)")
    model: Any = slots_of(language, noise=0.05)
    made = certify(model, language)
    nodes = torch.tensor(list(product(range(4), repeat=4)))
    true = model.signs(model.leaves()[-1].long()[nodes])
    exact, part = copy.deepcopy(model).double(), model.get_parameter(name)
    own = part.double().clone()

    def least(left: float) -> float:
        """How far the nearest number is on its side, in float64, of what is left of a part."""
        part.copy_(own * left if name == "keys" else own + 1 - left)
        exact.get_parameter(name).copy_(part)
        return float((numbers_of_slots(exact, nodes) * true).min())

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if least(middle) > 0 else (middle, high)
    contents, distances, errors = [], [], []
    for more in np.geomspace(1e-8, 1 - high, 100):
        distances.append(least(high + more))
        body = body_of(made)
        body["weights"][name]["base64"] = base64.b64encode(part.numpy().tobytes()).decode()
        contents.append(sign(body))
    accepted = accepts(program, contents, tmp_path)
    radius = min(far for far, yes in zip(distances, accepted, strict=True) if yes)
    assert accepted[-1]
    assert not accepted[0]
    least(high + 1e-4)
    for mode in orders(seeds=6):
        with mode:
            numbers = numbers_of_slots(model, nodes)
        errors.append(float((numbers - numbers_of_slots(exact, nodes)).abs().max()))
    assert 0 < max(errors) < radius < 1e-4
