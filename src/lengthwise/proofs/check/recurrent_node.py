"""The step function of a recurrent network with binary memory, from its weights, in float64.

This is an independent implementation of `models.binary_recurrent.BinaryRecurrent`, on balls
(`balls.py`) and without torch, so that a proof rests neither on the order of additions nor on the
model's own code. It implements `BoundedCoded`: a code has the bits of memory.

Axes:
    prefix  words that have been read so far
    bit     bits of a code
    width   numbers in a vector
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.balls import Ball, Floats, Matrix
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.bounded import Codes, Decided, largest, signs
from lengthwise.proofs.check.layer_node import (
    LAYER_NORM_EPSILON,
    arithmetic_of,
    norm_shapes,
    quietly,
    require_shapes,
)

_GATES = {"elman": 1, "relu": 1, "gru": 3}
"""Matrices of a cell, below each other in one."""


class RecurrentNode:
    """The step function of one trained network.

    `settings` are those of `BinaryRecurrentConfig`; `weights` are named as in its state dictionary.
    The unit roundoff is that of the weights' type.

    Raises:
        VerificationError: settings and weights do not fit together, or weights are of several
            types.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        weights: Mapping[str, NDArray[Any]],
        precision: Precision = "weights",
    ) -> None:
        self.num_symbols = int(settings["vocab_size"])
        self.num_bits = int(settings["num_bits"])
        self._width = int(settings["d_model"])
        self._cell = settings["cell"]
        self._has_norm = has_norm(settings)
        self._weights = {name: np.asarray(w, dtype=np.float64) for name, w in weights.items()}
        _check_shapes(settings, weights)
        self.arithmetic = arithmetic_of(weights, precision)
        recurrent = self._weights["cell.recurrent.weight"], self._weights["cell.recurrent.bias"]
        parts = zip(*(np.split(matrix, _GATES[self._cell]) for matrix in recurrent), strict=True)
        self._recurrent = [Matrix(weight, bias) for weight, bias in parts]
        self._symbols = np.split(self._weights["cell.symbols.weight"], _GATES[self._cell], axis=1)
        self._write, self._read, self._answer = (
            Matrix(self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])
            for name in ("memory.write", "memory.read", "answer")
        )

    def start(self) -> Decided:
        """Return the code of the empty word, and the distances of its numbers from 0."""
        return signs(*self.start_numbers())

    def step(self, codes: Codes, symbols: Integers) -> Decided:
        """Return the codes after symbols, and the distances of their numbers from 0."""
        return signs(*self.numbers(self.recall(codes.astype(np.bool_)), symbols))

    def classes(self, codes: Codes) -> Decided:
        """Return the classes of words that led to codes, and the margins of their logits."""
        return largest(*self.logits(self.recall(codes.astype(np.bool_))))

    @quietly
    def recall(self, codes: Booleans) -> Ball:
        """Return the vectors that memory recalls from codes `[prefix, bit]`."""
        bits = Ball(np.where(codes, 1.0, 0.0), np.zeros(len(codes)))
        read = self.arithmetic.linear(bits, self._read)
        if not self._has_norm:
            return read
        weight, bias = (self._weights[f"memory.norm.{name}"] for name in ("weight", "bias"))
        return self.arithmetic.layer_norm(read, weight, bias, LAYER_NORM_EPSILON)

    @quietly
    def start_numbers(self) -> tuple[Floats, Floats]:
        """Return the numbers `[1, bit]` whose signs are the code of the empty word, and radii."""
        start = self._weights["start"][None]
        return self.arithmetic.numbers(Ball(start, np.zeros(1)), self._write)

    @quietly
    def numbers(self, before: Ball, symbols: Integers) -> tuple[Floats, Floats]:
        """Return the numbers `[prefix, bit]` whose signs are the codes after symbols, and radii."""
        after = self._apply_gate if self._cell == "gru" else self._simple
        return self.arithmetic.numbers(after(before, symbols), self._write)

    @quietly
    def logits(self, vectors: Ball) -> tuple[Floats, Floats]:
        """Return the logits of the classes, and their radii."""
        return self.arithmetic.numbers(vectors, self._answer)

    def _simple(self, before: Ball, symbols: Integers) -> Ball:
        active = self.arithmetic.tanh if self._cell == "elman" else self.arithmetic.relu
        return active(self._add_symbols(0, self._apply_map(0, before), symbols))

    def _apply_gate(self, before: Ball, symbols: Integers) -> Ball:
        arithmetic = self.arithmetic
        reset, keep = (
            arithmetic.sigmoid(self._add_symbols(gate, self._apply_map(gate, before), symbols))
            for gate in (0, 1)
        )
        new = arithmetic.product(reset, self._apply_map(2, before))
        new = arithmetic.tanh(self._add_symbols(2, new, symbols))
        change = arithmetic.add(before, Ball(-new.centre, new.radius))
        return arithmetic.add(new, arithmetic.product(keep, change))

    def _apply_map(self, gate: int, before: Ball) -> Ball:
        return self.arithmetic.linear(before, self._recurrent[gate])

    def _add_symbols(self, gate: int, x: Ball, symbols: Integers) -> Ball:
        """Return the sum with the symbols' rows."""
        rows = self._symbols[gate][symbols]
        return self.arithmetic.add(Ball(rows, np.zeros(len(rows))), x)


def has_norm(settings: Mapping[str, Any]) -> bool:
    """Return whether what memory recalls is normalised."""
    return bool(settings["cell"] != "relu")


def _check_shapes(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
    """Refuse an unknown cell, and weights of other shapes than the settings say."""
    if settings["cell"] not in _GATES:
        raise VerificationError(f"cell={settings['cell']!r} is none of {', '.join(_GATES)}.")
    width, bits = settings["d_model"], settings["num_bits"]
    gates = _GATES[settings["cell"]] * width
    shapes: dict[str, tuple[int, ...]] = {
        "start": (width,),
        "cell.symbols.weight": (settings["vocab_size"], gates),
        "cell.recurrent.weight": (gates, width),
        "cell.recurrent.bias": (gates,),
        "memory.write.weight": (bits, width),
        "memory.write.bias": (bits,),
        "memory.read.weight": (width, bits),
        "memory.read.bias": (width,),
        "answer.weight": (settings["num_classes"], width),
        "answer.bias": (settings["num_classes"],),
    }
    if has_norm(settings):
        shapes |= norm_shapes(["memory.norm"], width)
    require_shapes(weights, shapes)
