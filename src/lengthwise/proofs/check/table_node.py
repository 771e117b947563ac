"""The step function of a table, for networks whose own code alone can compute it again.

An element is a pair (representative, class) of a recurrence with a snapped state. The table says to
which element each symbol leads. The checker follows it like a network, and so decides about the
table. It says nothing about where the table comes from.

Axes:
    prefix   words that have been read so far
    element  pairs of a representative and a class
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Floats
from lengthwise.proofs.check.bounded import Codes, Decided
from lengthwise.proofs.check.schema import require

UNUSED = -1
"""Entry of a step that no word of the domain takes."""

_CERTAIN = np.empty(0)


class TableNode:
    """The table of a snapped network; a code is the number of an element.

    Raises:
        CertificateError: the table leads out of itself, or its parts do not fit together.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        representatives: Floats,
        pairs: Sequence[Sequence[int]],
        transitions: Sequence[Sequence[int]],
    ) -> None:
        self.num_symbols, count = int(settings["vocab_size"]), len(pairs)
        require(representatives.ndim == 2, "representatives are rows of numbers")
        require(bool(np.isfinite(representatives).all()), "representatives are numbers")
        self.pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        limits = [len(representatives), settings["num_classes"]]
        inside = ((self.pairs >= 0) & (self.pairs < limits)).all()
        require(bool(inside), "pairs are of representatives and classes")
        require(len({tuple(pair) for pair in pairs}) == count > 0, "every pair occurs once")
        require(self.pairs[0, 0] == 0, "the empty word leads to the first representative")
        whole = len(transitions) == count and all(len(r) == self.num_symbols for r in transitions)
        require(whole, "the table has a row for each pair, and an entry for each symbol")
        self.transitions = np.array(transitions, dtype=np.int64).reshape(count, self.num_symbols)
        leads = ((self.transitions >= UNUSED) & (self.transitions < count)).all()
        require(bool(leads), "entries of the table are numbers of pairs")

    def start(self) -> Decided:
        """Return the code of the empty word: the first element."""
        return Decided(np.zeros((1, 1), dtype=np.int64), _CERTAIN, _CERTAIN)

    def step(self, codes: Codes, symbols: Integers) -> Decided:
        """Return the codes after symbols."""
        return Decided(self.transitions[codes[:, 0], symbols][:, None], _CERTAIN, _CERTAIN)

    def classes(self, codes: Codes) -> Decided:
        """Return the classes of the words that led to codes."""
        return Decided(self.pairs[codes[:, 0], 1], _CERTAIN, _CERTAIN)
