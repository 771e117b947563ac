"""The weights of a small decoder with pointers that adds, written down by hand.

With s the number of ones among the three bits that count, hidden units are ReLU(s - k), each for
one of the letters that are written, and the logit of 1 less that of 0 is -1/2 and

    for a carry   ReLU(s - 1)
    for a sum     ReLU(s) - 2 ReLU(s - 1) + 2 ReLU(s - 2)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.local_rule import LETTERS

_FAR = 16.0
_UNITS = (("c", 1, 1.0), ("e", 0, 1.0), ("e", 1, -2.0), ("e", 2, 2.0))
"""The letter, k, and the factor in the logit."""


def adder_weights(kind: type[np.floating[Any]] = np.float32) -> dict[str, NDArray[Any]]:
    """Return the weights, by name."""
    width = len(_UNITS)
    read = np.zeros((len(LETTERS), 2, 3, width))
    written = np.full((len(LETTERS), width), -_FAR)
    for unit, (letter, k, _) in enumerate(_UNITS):
        written[LETTERS.index(letter), unit] = -k
        for counted in "abc":  # of the number before for a carry, and of the same for a sum
            read[LETTERS.index(counted), int(letter == "e"), 1, unit] = 1.0
    factors = np.array([factor for _, _, factor in _UNITS])
    weights = {
        "read": read,
        "written": written,
        "answer.weight": 4 * np.stack([-factors, factors]),
        "answer.bias": np.array([2.0, -2.0]),
    }
    return {name: array.astype(kind) for name, array in weights.items()}
