"""The distinct rows of an array of integers or truth values, by one number for each row.

`numpy.unique(rows, axis=0)` compares rows column by column, and takes ten times as long.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_END = 2**62
"""Keys stay below this, so that none overflows."""

_MOST_VALUES = 2**30
"""Number of values between the least and the greatest from which ranks stand for entries."""


class Distinct(NamedTuple):
    """The distinct rows of an array, and where each row is among them."""

    rows: NDArray[Any]
    """Sorted as `numpy.unique` does: by the first column, then by the next."""
    inverse: Integers
    """The place of each row among them."""


def distinct_rows(rows: NDArray[Any]) -> Distinct:
    """Return the distinct rows, sorted, and the place of each row among them."""
    _, first, inverse = np.unique(row_keys(rows), return_index=True, return_inverse=True)
    return Distinct(rows[first], inverse.reshape(-1))


def row_keys(rows: NDArray[Any]) -> Integers:
    """Return a number for each row: equal for equal rows, and ordered as the rows are.

    The entries of a row are its digits. Where a number cannot hold more of them, its rank takes its
    place.
    """
    keys = np.zeros(len(rows), dtype=np.int64)
    if not rows.size:
        return keys
    least, greatest = int(rows.min()), int(rows.max())
    if greatest - least >= _MOST_VALUES:
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
        least, greatest = 0, int(rows.max())
    base, end = greatest - least + 1, 1
    for column in rows.T:
        if end * base > _END:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            end = len(keys)
        keys = keys * base + (column.astype(np.int64) - least)
        end *= base
    return keys
