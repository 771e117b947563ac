"""The interval of a mean over seeds."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise_papers.seeds import interval_of_mean


@given(values=st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_the_mean_is_in_its_interval_and_the_interval_among_the_values(values: list[float]) -> None:
    low, high = interval_of_mean(values)
    mean = sum(values) / len(values)
    assert min(values) - 1e-9 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= max(values) + 1e-9
    assert (low, high) == interval_of_mean(values)


def test_two_of_ten_seeds_at_chance_leave_much_open() -> None:
    low, high = interval_of_mean([100.0] * 8 + [50.0] * 2)
    assert low == pytest.approx(75, abs=5.1)
    assert high == 100.0


def test_nine_of_ten_intervals_and_more_hold_the_true_mean() -> None:
    """Each seed learns with chance 0.7, else it stays at 50 %: the mean is 85 %."""
    draw, inside = random.Random(0), 0
    for _ in range(200):
        low, high = interval_of_mean([100.0 if draw.random() < 0.7 else 50.0 for _ in range(10)])
        inside += low <= 85 <= high
    assert 0.85 <= inside / 200 <= 0.99
