r"""The step function of a recurrence whose state is snapped, from its weights, in float64.

This is an independent implementation of `models.recurrent.Recurrent` on balls (`balls.py`), without
torch. With a the inputs, h the state before of a layer, and gates of torch:

    elman, elman-relu   $h' = f(W a + b + U h + c)$, f = tanh or ReLU
    gru                 $h' = n + z (h - n)$, $n = \tanh(W_n a + b_n + r (U_n h + c_n))$
    lstm                $s' = f s + i g$, $h' = o \tanh s'$

Axes:
    prefix          words that have been read so far
    representative  states that others are snapped to
    width           numbers in a state: h of every layer, then s of every layer
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Ball, Floats, Matrix, norm_bound
from lengthwise.proofs.check.bounded import Decided
from lengthwise.proofs.check.layer_node import arithmetic_of, require_one_type, require_shapes
from lengthwise.proofs.check.snapped_step import Reached, SnappedStep

GATES = {"elman": 1, "elman-relu": 1, "gru": 3, "lstm": 4}
"""Matrices of a cell, below each other in one."""


class SnappedNode(SnappedStep):
    """The snapped step function of one trained network and its representatives.

    `settings` are those of `RecurrentConfig`; `weights` are named as in its state dictionary. The
    first representative must be the initial state, which is zero.

    Raises:
        VerificationError: settings, weights and representatives do not fit together.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        weights: Mapping[str, NDArray[Any]],
        representatives: Floats,
    ) -> None:
        super().__init__()
        self.num_symbols = int(settings["vocab_size"])
        self._cell, self._layers = settings["cell"], int(settings["num_layers"])
        self._width = int(settings["d_model"])
        require_shapes(weights, _shapes(settings))
        numbers = self._width * self._layers * (2 if self._cell == "lstm" else 1)
        is_fit = representatives.ndim == 2 and representatives.shape[1:] == (numbers,)
        if not is_fit or not len(representatives) or not np.isfinite(representatives).all():
            raise VerificationError(
                f"representatives are states of {numbers} numbers, but their shape is "
                f"{list(representatives.shape)}, or some are not finite."
            )
        if representatives[0].any():
            raise VerificationError("the first representative is the initial state, which is zero.")
        self.arithmetic = arithmetic_of(weights, "weights")
        self.representatives = representatives.astype(np.float64)
        if not np.array_equal(
            representatives.astype(require_one_type(weights)), self.representatives
        ):
            raise VerificationError(
                "representatives are states of the network, but some are not numbers of the "
                "weights' type."
            )
        wide = {name: np.asarray(w, dtype=np.float64) for name, w in weights.items()}
        self._answer = Matrix(wide["answer.weight"], wide["answer.bias"])
        self._inputs, self._recurrent = (
            [self._gates(wide, kind, layer) for layer in range(self._layers)]
            for kind in ("ih", "hh")
        )

    def start(self) -> Decided:
        """Return the code of the empty word: the first representative, and the class of zero."""
        zero = Ball(np.zeros((1, self._width)), np.zeros(1))
        classes = self.decide(Reached(zero, *self.arithmetic.numbers(zero, self._answer)))
        codes = np.stack([np.zeros(1, dtype=np.int64), classes], axis=1)
        return Decided(codes, np.empty(0), np.empty(0))

    def after(self, states: Floats, symbols: Integers) -> Reached:
        """Return what symbols lead to from states; the last layer is read."""
        reached, read = self._after(states, symbols)
        return Reached(reached, *self.arithmetic.numbers(read, self._answer))

    def _after(self, states: Floats, symbols: Integers) -> tuple[Ball, Ball]:
        """Return the states after symbols, and the part that is read."""
        exact = np.zeros(len(states))
        parts = [Ball(part, exact) for part in np.split(states, states.shape[1] // self._width, 1)]
        below = Ball(np.eye(self.num_symbols)[symbols], exact)
        hidden, cells = [], []
        for layer in range(self._layers):
            if self._cell == "lstm":
                below, cell = self._lstm(layer, below, parts[layer], parts[self._layers + layer])
                cells.append(cell)
            elif self._cell == "gru":
                below = self._gru(layer, below, parts[layer])
            else:
                active = self.arithmetic.tanh if self._cell == "elman" else self.arithmetic.relu
                below = active(self._sum(layer, 0, below, parts[layer]))
            hidden.append(below)
        together = [*hidden, *cells]
        centre = np.concatenate([ball.centre for ball in together], axis=1)
        return Ball(centre, norm_bound(np.stack([ball.radius for ball in together], 1))), below

    def _gru(self, layer: int, below: Ball, before: Ball) -> Ball:
        arithmetic = self.arithmetic
        reset, keep = (arithmetic.sigmoid(self._sum(layer, gate, below, before)) for gate in (0, 1))
        old = arithmetic.linear(before, self._recurrent[layer][2])
        inputs, part = self._inputs[layer][2], arithmetic.product(reset, old)
        total = arithmetic.linear(below, inputs) + part
        size = _size(inputs, below) + part.bound_norms()
        new = arithmetic.tanh(self._loose(total, size, below, before))
        change = arithmetic.add(before, Ball(-new.centre, new.radius))
        after = arithmetic.add(new, arithmetic.product(keep, change))
        size = new.bound_norms() + before.bound_norms()
        return self._rounded(after, size, 4)  # as (1 - z) n + z h, too

    def _lstm(self, layer: int, below: Ball, before: Ball, cell: Ball) -> tuple[Ball, Ball]:
        arithmetic = self.arithmetic
        sums = [self._sum(layer, gate, below, before) for gate in range(4)]
        enter, forget, leave = (arithmetic.sigmoid(sums[gate]) for gate in (0, 1, 3))
        new = arithmetic.product(enter, arithmetic.tanh(sums[2]))
        cell = arithmetic.add(arithmetic.product(forget, cell), new)
        return arithmetic.product(leave, arithmetic.tanh(cell)), cell

    def _sum(self, layer: int, gate: int, below: Ball, before: Ball) -> Ball:
        """Return the sum of both linear maps."""
        inputs, recurrent = self._inputs[layer][gate], self._recurrent[layer][gate]
        total = self.arithmetic.linear(below, inputs) + self.arithmetic.linear(before, recurrent)
        return self._loose(total, _size(inputs, below) + _size(recurrent, before), below, before)

    def _loose(self, total: Ball, size: Floats, below: Ball, before: Ball) -> Ball:
        """Return a sum of two sums whose terms may be added among each other, in any order.

        Terms are then rounded as often as there are terms in all; `size` bounds the norm of the
        sums of their absolute values.
        """
        return self._rounded(total, size, below.centre.shape[-1] + before.centre.shape[-1] + 4)

    def _rounded(self, ball: Ball, size: Floats, terms: int) -> Ball:
        """Return a ball in which numbers were rounded so many times, with norms up to a size."""
        lost = sqrt(self._width) * self.arithmetic.bound_underflow(terms, size)
        fresh = self.arithmetic.safe(size, self.arithmetic.gamma(terms) * size + lost)
        return Ball(ball.centre, ball.radius + fresh)

    def _gates(self, weights: Mapping[str, Floats], kind: str, layer: int) -> list[Matrix]:
        count = GATES[self._cell]
        matrices, biases = (
            np.split(weights[f"cell.{part}_{kind}_l{layer}"], count) for part in ("weight", "bias")
        )
        return [Matrix(*pair) for pair in zip(matrices, biases, strict=True)]


def _size(matrix: Matrix, x: Ball) -> Floats:
    """Bound the norm of the sums of absolute values of a map's terms."""
    return matrix.frobenius * x.bound_norms() + matrix.bias_norm


def _shapes(settings: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights."""
    width, rows = settings["d_model"], GATES[settings["cell"]] * settings["d_model"]
    shapes: dict[str, tuple[int, ...]] = {
        "answer.weight": (settings["num_classes"], width),
        "answer.bias": (settings["num_classes"],),
    }
    for layer in range(settings["num_layers"]):
        below = width if layer else settings["vocab_size"]
        shapes |= {
            f"cell.weight_ih_l{layer}": (rows, below),
            f"cell.weight_hh_l{layer}": (rows, width),
            f"cell.bias_ih_l{layer}": (rows,),
            f"cell.bias_hh_l{layer}": (rows,),
        }
    return shapes
