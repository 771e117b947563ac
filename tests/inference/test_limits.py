"""Limits for shares against sums over all outcomes, and shares as they are written."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.limits import (
    chance_of_at_least,
    limit_of_different,
    round_up,
    upper_limit,
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.149, "0.15"),
        (0.29, "0.29"),
        (0.0999, "0.100"),
        (0.30000000000000004, "0.31"),
        (1.0, "1.0"),
        (9.91, "10.0"),
        (12.3, "13"),
        (100.0, "100"),
        (4.2e-9, "0.0000000042"),
    ],
)
def test_two_digits_are_written(value: float, written: str) -> None:
    assert round_up(value) == written


@given(st.floats(1e-12, 100, exclude_max=True))
def test_what_is_written_is_no_less_and_next_to_it(value: float) -> None:
    """It is the least number of its digits that is no less than the float, as Python writes it."""
    written = round_up(value)
    step = Fraction(1, 10 ** len(written.partition(".")[2]))
    exact, found = Fraction(repr(value)), Fraction(written)
    assert exact <= found < exact + step
    assert 10 * step <= exact < 100 * step  # two digits


@pytest.mark.parametrize("alpha", [0.3, 0.05])
@pytest.mark.parametrize("seed", range(6))
def test_the_limit_of_different_words_is_seldom_below_the_share(seed: int, alpha: float) -> None:
    """Every outcome of seven words of any probabilities, each absent, wrong or right."""
    draw = np.random.default_rng(seed)
    chances = draw.dirichlet(10 ** draw.uniform(-1, 1, 3), size=7)
    wrong, right = chances[:, 1], chances[:, 2]
    share = wrong.sum() / (wrong.sum() + right.sum())
    by_counts = np.zeros((8, 8))
    for outcome in product(range(3), repeat=7):
        probability = math.prod(chances[word, each] for word, each in enumerate(outcome))
        by_counts[outcome.count(1), outcome.count(2)] += probability
    below = sum(
        by_counts[k, n]
        for k, n in product(range(8), repeat=2)
        if k + n and limit_of_different(k, k + n, alpha) < share
    )
    assert below <= alpha


@given(st.integers(0, 60), st.integers(1, 400), st.sampled_from([0.05, 0.001]))
def test_the_limit_of_different_words_is_an_integral(wrong: int, right: int, alpha: float) -> None:
    total, places = wrong + right, (np.arange(4_000) + 0.5) / 4_000
    limit = limit_of_different(wrong, total, alpha)
    ratio = (1 - places * limit) / (1 - limit)
    mean = np.exp(right * np.log(ratio) + wrong * np.log(places)).mean()
    none = math.exp(-total * math.log1p(-limit)) if wrong == 0 else 0.0
    assert (mean + none) / 2 * alpha == pytest.approx(1, rel=0.01)
    assert limit > upper_limit(wrong, total, alpha)
    assert limit_of_different(total, total, alpha) == 1.0


@given(st.integers(0, 30), st.integers(0, 30), st.fractions(0, Fraction(9, 10)))
def test_a_tail_is_the_sum_of_its_terms(first: int, others: int, share: Fraction) -> None:
    total = max(1, first + others)
    exact = sum(
        math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(first, total + 1)
    )
    assert chance_of_at_least(first, total, float(share)) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("wrong", "total", "share"), [(1, 20_000, 0.05), (50, 5_000, 0.2), (900, 20_000, 0.05)]
)
def test_fewer_than_expected_are_no_surprise(wrong: int, total: int, share: float) -> None:
    """The probability of so few is too small for a float, and that of so many or more is not."""
    assert chance_of_at_least(wrong, total, share) == pytest.approx(1.0, abs=1e-3)
