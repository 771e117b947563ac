"""Distinct rows are those of numpy, in the same order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lengthwise.languages.distinct_rows import distinct_rows, row_keys

INT64 = np.iinfo(np.int64)


@st.composite
def tables(draw: st.DrawFn) -> NDArray[np.int64]:
    """Rows of few values, near each other or at the ends of the range, some of them repeated."""
    width, count = draw(st.integers(0, 80)), draw(st.integers(0, 40))
    low, high = draw(
        st.sampled_from(
            [(0, 1), (-1, 3), (0, 10_000), (-(2**31), 2**31), (INT64.min, INT64.max), (5, 5)]
        )
    )
    seed = draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    values = generator.integers(low, high, size=draw(st.integers(1, 4)), endpoint=True)
    rows = generator.choice(values, size=(count, width))
    return rows[generator.integers(0, count, count)] if count else rows


def judge(rows: NDArray[Any]) -> None:
    expected, inverse = np.unique(rows, axis=0, return_inverse=True)
    found = distinct_rows(rows)
    assert found.rows.dtype == rows.dtype
    assert found.rows.shape == expected.shape
    assert (found.rows == expected).all()
    assert (found.inverse == inverse.reshape(-1)).all()
    keys = row_keys(rows)
    assert len(np.unique(keys)) == len(expected)


@given(tables())
@settings(max_examples=300)
def test_rows_and_their_places_are_those_of_numpy(rows: NDArray[np.int64]) -> None:
    judge(rows)
    judge(rows > 0)


@pytest.mark.parametrize(
    ("base", "width"), [(2, 62), (2, 63), (2, 200), (3, 39), (3, 40), (20, 50)]
)
def test_rows_that_no_number_holds_are_told_apart_by_every_column(base: int, width: int) -> None:
    """The last column that a number holds, and the first of the next, are among them."""
    rows = np.zeros((2 * width + 1, width), dtype=np.int64)
    rows[np.arange(width), np.arange(width)] = base - 1
    rows[width + np.arange(width), np.arange(width)] = 1
    judge(rows)
    judge(np.concatenate([rows, rows[::-1]]))
