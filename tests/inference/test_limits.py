"""Shares as they are written: never less than what holds."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.limits import rounded_up


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
    assert rounded_up(value) == written


@given(st.floats(1e-12, 100, exclude_max=True))
def test_what_is_written_is_no_less_and_next_to_it(value: float) -> None:
    """It is the least number of its digits that is no less than the float, as Python writes it."""
    written = rounded_up(value)
    step = Fraction(1, 10 ** len(written.partition(".")[2]))
    exact, found = Fraction(repr(value)), Fraction(written)
    assert exact <= found < exact + step
    assert 10 * step <= exact < 100 * step  # two digits
