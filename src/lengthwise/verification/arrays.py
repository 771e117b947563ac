"""Arrays as JSON can hold them, byte for byte."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = ("float32", "float64", "int64")
"""Numbers that an array on disk may hold."""


def pack(array: NDArray[Any]) -> dict[str, Any]:
    """Type, shape, and the bytes (the lowest first) in base 64."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return {
        "type": array.dtype.name,
        "shape": list(array.shape),
        "base64": base64.b64encode(little.tobytes()).decode(),
    }


def unpack(packed: Mapping[str, Any]) -> NDArray[Any]:
    """Return the array that `pack` wrote.

    Raises:
        ValueError: the type is none of numbers, or shape and bytes do not fit together.
    """
    if packed["type"] not in TYPES or any(size < 0 for size in packed["shape"]):
        raise ValueError(f"{packed['type']!r} of shape {packed['shape']} is no array of numbers")
    dtype = np.dtype(packed["type"])
    raw = base64.b64decode(packed["base64"], validate=True)
    little = np.frombuffer(raw, dtype=dtype.newbyteorder("<"))
    return little.astype(dtype).reshape(packed["shape"])
