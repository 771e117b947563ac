"""The step function of a recurrence that a program computes, with its state snapped.

The program is that of any network (`program.py`): the file names the class that it is said to be
of. Representatives are states of the network, all parts of a state in a row.

Axes:
    prefix          words that have been read so far
    representative  states that others are snapped to
    width           numbers in a state
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Arithmetic, Ball, Floats, norm_bound, outward
from lengthwise.proofs.check.bounded import Decided
from lengthwise.proofs.check.layer_node import quietly, require_one_type
from lengthwise.proofs.check.numbers import Numbers
from lengthwise.proofs.check.program import TracedProgram
from lengthwise.proofs.check.schema import require
from lengthwise.proofs.check.snapped_step import Reached, SnappedStep


class ProgramNode(SnappedStep):
    """The snapped step function of a program, its weights and its representatives.

    Raises:
        CertificateError: program, weights and representatives do not fit together.
    """

    @quietly
    def __init__(
        self,
        settings: Mapping[str, Any],
        weights: Mapping[str, NDArray[Any]],
        representatives: Floats,
    ) -> None:
        super().__init__()
        self.num_symbols, self._num_classes = (
            int(settings[k]) for k in ("vocab_size", "num_classes")
        )
        floats = {name: array for name, array in weights.items() if array.dtype.kind == "f"}
        type_ = require_one_type(floats)
        self.arithmetic = Arithmetic.of(type_)
        self._program = TracedProgram(settings["program"], weights, self.arithmetic)
        fits = representatives.shape[1:] == (self._program.width,)
        require(fits and len(representatives) > 0, "representatives are states of the program")
        self.representatives = representatives
        exact = np.array_equal(representatives.astype(type_), representatives)
        require(exact, "representatives are numbers of the weights' type")

    def start(self) -> Decided:
        """Return the code of the empty word: the representative nearest to the first state."""
        decided = self.snap(self._reached(*self._program.first, 1))
        require(decided.values[0, 0] == 0, "the first representative is the first state")
        return decided

    def after(self, states: Floats, symbols: Integers) -> Reached:
        """Return what symbols lead to from states."""
        return self._reached(*self._program.step(states, symbols), len(states))

    def _reached(self, logits: Numbers, state: tuple[Numbers, ...], count: int) -> Reached:
        require(logits.centre.shape[1:] == (1, self._num_classes), "logits are one for each class")
        parts = [part.spread((count, *part.centre.shape[1:])) for part in state]
        centre, radius = (
            np.concatenate([getattr(part, name).reshape(count, -1) for part in parts], axis=1)
            for name in ("centre", "radius")
        )
        total = np.sqrt(sum(part.total**2 for part in parts))
        whole = np.minimum(norm_bound(radius), outward(total))
        lanes = logits.move(lambda a: np.broadcast_to(a[:, 0], (count, self._num_classes)))
        return Reached(Ball(centre, whole), lanes.centre, lanes.radius)
