"""Do numbers with bounds hold what they should, after every operation of programs?

Points of a box go through float64, and centres alone through torch in float32. What comes out must
lie within the radius of each number, and all numbers of a lane together within its total.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lengthwise.proofs.check.balls import Arithmetic
from lengthwise.proofs.check.numbers import Choices, Numbers
from lengthwise.proofs.check.operations import Operations

EXACT = Operations(Arithmetic.of("float64"))
SINGLE = Operations(Arithmetic.of("float32"))

Array = NDArray[Any]
seeds = st.integers(0, 10**6)


def drawn(random: np.random.Generator, *shape: int, positive: bool = False) -> Numbers:
    """Numbers of three lanes, whose totals are sometimes smaller than their radii say."""
    centre = random.normal(size=(3, *shape)) * random.choice([0.1, 1.0, 3.0])
    radius = np.abs(random.normal(size=centre.shape)) * random.choice([0.0, 1e-6, 0.02])
    if positive:
        centre = np.abs(centre) + 0.1
    tight = random.choice([0.3, 2.0]) * np.sqrt((radius**2).reshape(3, -1).sum(axis=1))
    return Numbers.bounded(centre, radius, tight)


def points(random: np.random.Generator, x: Numbers) -> Array:
    """A point of each lane that is as far off as it may be."""
    within = np.maximum(x.radius - 1e-15 * np.abs(x.centre), 0)  # the point itself is rounded
    moved = within * random.choice([-1.0, 1.0], size=x.centre.shape)
    moved = moved * random.choice([1.0, 0.0], size=x.centre.shape, p=[0.7, 0.3])
    length = np.sqrt((moved**2).reshape(3, -1).sum(axis=1))
    room = np.maximum(x.total - 1e-15 * np.abs(x.centre).sum(axis=(*range(1, x.centre.ndim),)), 0)
    share = np.minimum(1.0, room / np.maximum(length, 1e-300))
    point: Array = x.centre + moved * share.reshape(3, *(1,) * (moved.ndim - 1)) * (1 - 1e-12)
    return point


def assert_holds(found: Numbers, value: Array) -> None:
    assert value.shape == found.centre.shape
    off = np.abs(value - found.centre)
    assert (off <= found.radius).all()
    assert (np.sqrt((off**2).reshape(len(off), -1).sum(axis=1)) <= found.total).all()


def gelu(x: Array) -> Array:
    found: Array = torch.nn.functional.gelu(torch.from_numpy(x)).numpy()
    return found


UNARY: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": gelu,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "exp": np.exp,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "sin": np.sin,
    "cos": np.cos,
}
POSITIVE: dict[str, Callable[[Array], Array]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x**-0.5,
    "log1p": np.log1p,
    "log": np.log,
}
BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
@given(seed=seeds)
def test_functions_of_one_number(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    x = drawn(random, 4, 5, positive=name in POSITIVE)
    function = {**UNARY, **POSITIVE}[name]
    found = getattr(EXACT, name)(x)
    for _ in range(4):
        assert_holds(found, function(points(random, x)))
    single = x.centre.astype(np.float32)
    in_torch = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    ran = in_torch(torch.from_numpy(single)).double().numpy()
    assert_holds(getattr(SINGLE, name)(Numbers.exact(single.astype(np.float64))), ran)


@pytest.mark.parametrize("name", BINARY)
@given(seed=seeds)
def test_functions_of_two_numbers(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = drawn(random, 4, 5), drawn(random, 1, 5, positive=name == "div")
    found = getattr(EXACT, name)(x, y)
    for _ in range(4):
        assert_holds(found, BINARY[name](points(random, x), points(random, y)))


@given(seed=seeds, exponent=st.sampled_from([1.2, 0.5, -2.5]))
def test_powers(seed: int, exponent: float) -> None:
    random = np.random.default_rng(seed)
    x = drawn(random, 6, positive=True)
    assert_holds(EXACT.pow(x, exponent), points(random, x) ** exponent)


def test_powers_whose_exponent_is_rounded() -> None:
    x = np.logspace(-25, 25, 5_000, dtype=np.float32)
    for exponent in (1.1, 1.3, -1.1):
        found = SINGLE.pow(Numbers.exact(x[None].astype(np.float64)), exponent)
        ran = torch.pow(torch.from_numpy(x), exponent).double().numpy()[None]
        is_known = np.isfinite(found.radius)
        assert is_known.mean() > 0.5
        assert (np.abs(ran - found.centre) <= found.radius)[is_known].all()


def test_a_division_may_multiply_by_a_reciprocal() -> None:
    x = np.linspace(1, 2, 10_000, dtype=np.float32)
    found = SINGLE.div(Numbers.exact(x[None].astype(np.float64)), Numbers.exact(np.full((1, 1), 3)))
    assert_holds(found, (x * (np.float32(1) / np.float32(3))).astype(np.float64)[None])


@given(seed=seeds, shared=st.booleans())
def test_products_of_matrices(seed: int, shared: bool) -> None:
    random = np.random.default_rng(seed)
    x, y = drawn(random, 2, 3, 4), drawn(random, *(() if shared else (2,)), 4, 5)
    if shared:  # one matrix meets two
        y = y.move(lambda a: a[:, None])
    bias = drawn(random, 1, 1, 5)
    plain, added = EXACT.matmul(x, y), EXACT.addmm(bias, x, y)
    for _ in range(4):
        left, right, more = points(random, x), points(random, y), points(random, bias)
        assert_holds(plain, left @ right)
        assert_holds(added, more + left @ right)
    turned = EXACT.matmul(y.move(lambda a: a.swapaxes(-1, -2)), x.move(lambda a: a.swapaxes(2, 3)))
    left, right = points(random, y), points(random, x)
    assert_holds(turned, left.swapaxes(-1, -2) @ right.swapaxes(2, 3))


def test_a_matrix_that_meets_two_moves_both() -> None:
    two, one = Numbers.exact(np.ones((1, 2, 1, 1))), np.ones((1, 1, 1, 1))
    moving = Numbers.bounded(one, 0.1 * one)
    for found in (EXACT.matmul(two, moving), EXACT.matmul(moving, two)):
        assert_holds(found, np.full((1, 2, 1, 1), 1.1))


def test_the_slope_of_a_logarithm_grows_towards_its_end() -> None:
    x = Numbers.bounded(np.array([[-0.9]]), np.array([[0.05]]))
    assert_holds(EXACT.log1p(x), np.log1p(np.array([[-0.95]])))


@given(seed=seeds)
def test_any_order_of_single_sums(seed: int) -> None:
    random = np.random.default_rng(seed)
    row = random.normal(size=(1, 40)).astype(np.float32)
    column = random.normal(size=(40, 1)).astype(np.float32)
    found = SINGLE.addmm(
        Numbers.exact(np.ones((1, 1, 1))),
        Numbers.exact(row[None].astype(np.float64)),
        Numbers.exact(column[None].astype(np.float64)),
    )
    terms = [np.float32(1), *(row[0] * column[:, 0])]
    for _ in range(5):
        total = np.float32(0)
        for term in random.permutation(np.array(terms, dtype=np.float32)):
            total = np.float32(total + term)
        assert_holds(found, np.array(total, dtype=np.float64).reshape(1, 1, 1))


@given(seed=seeds, axes=st.sampled_from([(1,), (2,), (1, 2)]), keep=st.booleans())
def test_over_axes(seed: int, axes: tuple[int, ...], keep: bool) -> None:
    random = np.random.default_rng(seed)
    x = drawn(random, 4, 5)
    point = points(random, x)
    assert_holds(EXACT.sum(x, axes, keep), point.sum(axis=axes, keepdims=keep))
    assert_holds(EXACT.amax(x, axes, keep), point.max(axis=axes, keepdims=keep))


@given(seed=seeds)
def test_norms_and_softmax(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = drawn(random, 4, 6)
    weight, bias = random.normal(size=6), random.normal(size=6)
    layer, soft = EXACT.layer_norm(x, weight, bias, 1e-5), EXACT.softmax(x, 2)
    weights, biases = random.normal(size=4), random.normal(size=4)
    group = EXACT.group_norm(x.move(lambda a: a[:, None]), 2, weights, biases, 1e-5)
    for _ in range(4):
        point = torch.from_numpy(points(random, x))
        gain, shift = torch.from_numpy(weight), torch.from_numpy(bias)
        normed = torch.nn.functional.layer_norm(point, (6,), gain, shift)
        assert_holds(layer, normed.numpy())
        assert_holds(soft, point.softmax(dim=2).numpy())
        gain, shift = torch.from_numpy(weights), torch.from_numpy(biases)
        grouped = torch.nn.functional.group_norm(point, 2, gain, shift)
        assert_holds(group, grouped.numpy()[:, None])


def test_a_layer_norm_in_float32_is_held() -> None:
    random = np.random.default_rng(0)
    for scale in (1e-3, 1.0, 100.0):
        x = (random.normal(size=(50, 1, 33)) * scale + scale).astype(np.float32)
        ran = torch.nn.functional.layer_norm(torch.from_numpy(x), (33,)).double().numpy()
        exact = Numbers.exact(x.astype(np.float64))
        assert_holds(SINGLE.layer_norm(exact, np.ones(33), np.zeros(33), 1e-5), ran)


@given(seed=seeds)
def test_choices_are_sure_where_every_point_agrees(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = drawn(random, 8)
    near = x.centre + x.radius * random.normal(size=x.centre.shape)
    y = Numbers.bounded(near, x.radius * random.random(x.centre.shape))
    largest = EXACT.argmax(x, 1, keep=False)
    compared = {kind: EXACT.compare(kind, x, y) for kind in ("gt", "le")}
    picked = EXACT.where(compared["gt"], x, EXACT.neg(y))
    for _ in range(6):
        left, right = points(random, x), points(random, y)
        sure = largest.is_sure
        assert (left.argmax(axis=1) == largest.values)[sure].all()
        for kind, chosen in compared.items():
            truth = left > right if kind == "gt" else left <= right
            assert (truth == chosen.values)[chosen.is_sure].all()
        assert_holds(picked, np.where(left > right, left, -right))
    numbers = compared["gt"].as_numbers(EXACT.arithmetic.unit)
    assert_holds(numbers, (left > right).astype(float))


def test_a_tie_is_not_sure() -> None:
    tie = Numbers.exact(np.array([[1.0, 1.0, 0.0]]))
    assert not EXACT.argmax(tie, 1, keep=False).is_sure.any()
    compared = EXACT.compare("ge", tie, Numbers.exact(np.ones((1, 1))))
    assert compared.is_sure.tolist() == [[False, False, True]]
    assert EXACT.compare("eq", tie, Numbers.exact(np.zeros((1, 1)))).is_sure.tolist() == [
        [True] * 3
    ]


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("div", bad) for bad in (0.0, np.nan, np.inf, 1e-40, 1e39)),
        *(("rsqrt", bad) for bad in (0.0, -1.0, np.nan, 1e-40)),
        *(("sqrt", bad) for bad in (-1.0, np.inf)),
        *(("log1p", bad) for bad in (-1.0, -2.0, np.nan)),
        *(("log", bad) for bad in (0.0, -1.0, np.nan, 1e-40)),
        *(("exp", bad) for bad in (89.0, np.nan)),
        *(("sin", bad) for bad in (1e4, np.inf)),
        ("mul", 1e20),
    ],
)
def test_numbers_without_a_bound(name: str, bad: float) -> None:
    x = Numbers.exact(np.array([[bad]]))
    with np.errstate(all="ignore"):
        if name == "div":
            found = SINGLE.div(Numbers.exact(np.ones((1, 1))), x)
        else:
            found = SINGLE.mul(x, x) if name == "mul" else getattr(SINGLE, name)(x)
    assert found.radius.tolist() == [[np.inf]]


def test_rows_that_a_table_lacks_are_refused() -> None:
    table = Numbers.exact(np.ones((1, 2, 3)))
    assert EXACT.take(table, Choices.exact(np.array([[0], [1]]))).centre.shape == (2, 1, 3)
    named = EXACT.take(table, Choices.exact(np.array([[True], [False], [True]])))
    assert named.centre.shape == (3, 1, 3)
    with pytest.raises(Exception, match="a table has the rows"):
        EXACT.take(table, Choices.exact(np.array([[2]])))
