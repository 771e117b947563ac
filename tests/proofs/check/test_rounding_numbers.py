"""Numbers of the bounds on rounding that stand alone: their values, and what each must cover."""

from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest

from lengthwise.proofs.check import balls, bfloat16_balls, layer_node
from lengthwise.proofs.check.balls import Arithmetic, Ball
from lengthwise.proofs.check.bfloat16_balls import Narrow
from proofs.rounding_needs import SIZES, gamma
from proofs.traced import root

FLOAT32 = Arithmetic.of("float32")
NARROW = Narrow.bfloat16()

PINNED: dict[tuple[ModuleType, str], float] = {
    (balls, "OWN"): 2.0**-53,
    (balls, "_OWN_TINY"): 2.0**-1022,
    (balls, "_ULPS"): 8,
    (balls, "_ROOT_ULPS"): 2,
    (balls, "_EXP_ULPS"): 20,
    (balls, "_LEAST"): 1e-90,
    (balls, "_OUTWARD"): 1 + 1e-9,
    (balls, "_INWARD"): 1 - 1e-9,
    (balls, "_MOST_TERMS"): 4 * 10**6,
    (balls, "_SQUARINGS"): 11,
    (bfloat16_balls, "_RESULT_AND_BIAS"): 2,
    (bfloat16_balls, "_OF_SOFTMAX"): 4,
    (layer_node, "LAYER_NORM_EPSILON"): 1e-5,
}


@pytest.mark.parametrize(("module", "name"), PINNED)
def test_constants_have_their_values(module: ModuleType, name: str) -> None:
    assert getattr(module, name) == PINNED[module, name]


def test_arithmetics_have_the_numbers_of_their_types() -> None:
    assert (FLOAT32.unit, FLOAT32.tiny) == (2.0**-24, 2.0**-126)
    assert FLOAT32.largest == (2 - 2.0**-23) * 2.0**127
    double = Arithmetic.of("float64")
    assert (double.unit, double.tiny) == (2.0**-53, 2.0**-1022)
    assert (NARROW.unit, NARROW.tiny, NARROW.wide) == (2.0**-8, 2.0**-126, FLOAT32)


def test_what_is_outward_is_more_than_roundings_lose() -> None:
    """Radii are made of sums of up to `_MOST_TERMS` products, twice, and a few factors more."""
    own, roundings = Fraction(1, 2**53), 2 * balls._MOST_TERMS + 1000
    least = 1 + gamma(roundings, own)
    assert Fraction(balls._OUTWARD) >= least
    assert Fraction(balls._INWARD) <= 1 / least
    assert balls._LEAST**3 >= 2.0**-1022  # products of three are normal
    assert Fraction(balls._LEAST) ** 2 >= balls._MOST_TERMS * Fraction(10) ** -240


def test_small_numbers_lose_no_more_than_is_said() -> None:
    """Of n products: a factor each, the product, and arguments and result of n additions."""
    tiny = Fraction(FLOAT32.tiny) + Fraction(2) ** -1022
    for n in SIZES:
        stretched = 3 * root(Fraction(n))
        lost = Fraction(FLOAT32.bound_underflow(n, 3.0))
        assert lost >= 2 * tiny * (n + 3 * n + stretched)
        assert abs(lost / (8 * tiny * (n + 1 + stretched)) - 1) < Fraction(1, 10**12)


def test_slopes_are_at_least_those_of_their_functions() -> None:
    x = np.linspace(-6.0, 6.0, 4001)
    point = np.sqrt(2.0)
    peak = 0.5 * (1 + float(balls._erf(np.array(1.0)))) + point * np.exp(-1) / np.sqrt(2 * np.pi)
    assert peak < 1.13
    for name, slope in {"gelu": 1.13, "tanh": 1.0, "sigmoid": 0.25, "relu": 1.0}.items():
        far = getattr(FLOAT32, name)(Ball(x[:, None], np.full(len(x), 2.0**-4)))
        near = getattr(FLOAT32, name)(Ball(x[:, None], np.zeros(len(x))))
        moved = far.radius - near.radius
        steepest = np.abs(np.diff(near.centre[:, 0]) / np.diff(x)).max()
        assert np.allclose(moved, slope * 2.0**-4, rtol=1e-4)
        assert steepest <= slope


def test_numbers_past_a_millionth_of_the_largest_have_no_radius() -> None:
    """A sum that rounds is at most twice its size, and stays finite."""
    limit = 1e-6 * FLOAT32.largest
    sizes = np.array([limit * (1 - 1e-9), limit * (1 + 1e-9)])
    assert np.isfinite(FLOAT32.safe(sizes, np.zeros(2))).tolist() == [True, False]
