"""Arrays: their types, and how JSON holds them, byte for byte."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

ABSENT = -1
"""Marks a child before the start of the word, in a chunk of elements."""

TYPES = ("float32", "float64", "int64")
"""Types of stored arrays."""


def pack(array: NDArray[Any]) -> dict[str, Any]:
    """Return type, shape, and the little-endian bytes in base 64."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return {
        "type": array.dtype.name,
        "shape": list(array.shape),
        "base64": base64.b64encode(little.tobytes()).decode(),
    }


def unpack(packed: Mapping[str, Any]) -> NDArray[Any]:
    """Return the array that `pack` wrote.

    Raises:
        ValueError: the type is not in `TYPES`, or shape and bytes do not fit together.
    """
    if packed["type"] not in TYPES or any(size < 0 for size in packed["shape"]):
        raise ValueError(f"{packed['type']!r} of shape {packed['shape']} is not a numeric array")
    dtype = np.dtype(packed["type"])
    raw = base64.b64decode(packed["base64"], validate=True)
    little = np.frombuffer(raw, dtype=dtype.newbyteorder("<"))
    return little.astype(dtype).reshape(packed["shape"])
