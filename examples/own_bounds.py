"""A network of your own that keeps bits, explored with bounds on rounding.

Where a sum of n terms is computed in another order, its value moves by at most

    n u / (1 - n u) * (sum of the absolute values of the terms),   u = 2^-53 in float64,

for each of the two orders (Higham 2002, section 4.2). A network that gives this radius beside each
number implements `BoundedCoded`, and the search then says whether another order of additions could
change a bit or an answer of any word.

    python examples/own_bounds.py
"""

import numpy as np

import lengthwise as lw
from lengthwise.proofs.check.bounded import Decided, largest, signs
from lengthwise.proofs.search.code_recurrence import TrackedCodes

TERMS = 4
"""Terms of the longest sum: two bits, the symbol and the threshold."""

ROUNDING = 2 * TERMS * 2.0**-53 / (1 - TERMS * 2.0**-53)


class Thresholds:
    """Two units that are on where a sum of the units before and the symbol is above a threshold."""

    num_symbols = 2

    def __init__(self, threshold: float = 0.5) -> None:
        self.units = np.array([[1.0, 1.0], [-1.0, -1.0]])
        self.symbols = np.array([[0.0, -1.0], [0.0, 1.0]])
        self.threshold = threshold

    def start(self) -> Decided:
        """Return the code of the empty word, which nothing can change."""
        return Decided(np.zeros((1, 2), dtype=np.bool_), np.ones(2), np.zeros(2))

    def step(self, codes: np.ndarray, symbols: np.ndarray) -> Decided:
        """Return the codes after symbols, with the distances of all sums from 0 and their radii."""
        bits, given = codes.astype(np.float64), self.symbols.T[symbols]
        sums = bits @ self.units.T + given - self.threshold
        sizes = bits @ np.abs(self.units.T) + np.abs(given) + abs(self.threshold)
        return signs(sums, ROUNDING * sizes)

    def classes(self, codes: np.ndarray) -> Decided:
        """Return the class with the larger logit."""
        ones = codes.sum(axis=1).astype(np.float64)
        logits = np.stack([0.5 - ones, ones - 0.5], axis=1)
        return largest(logits, ROUNDING * (np.abs(logits) + 2 * ones[:, None]))


for threshold in (0.5, 1.0 - 1e-16):
    codes = TrackedCodes(Thresholds(threshold))
    found = lw.interpret.decide(lw.interpret.CodeRecurrence(codes), "parity")
    print(f"threshold {threshold}: right at every length {found.is_closed},", end=" ")
    print(f"whatever the order of additions {codes.is_certain}")
