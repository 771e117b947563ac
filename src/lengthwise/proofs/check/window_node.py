"""The step function of a scratchpad with sliding-window attention, from its weights, in float64.

This is an independent implementation of `models.window_scratchpad.WindowScratchpad`, on balls
(`balls.py`) and without torch, so that a proof rests neither on the order of additions nor on the
model's own code. It implements `BoundedCoded`: a code has the last tokens that the next step sees.
The last of them is the state that was written.

Axes:
    prefix  words that have been read so far
    token   tokens of a context, or of a code, which has one less
    digit   digits of a state
    value   values of a digit
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import ABSENT, Integers
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.bounded import Codes, Decided, largest
from lengthwise.proofs.check.layer_node import (
    LAYER_CHOICES,
    ChunkBalls,
    LayerNode,
    layer_shapes,
    quietly,
    require_choices,
    require_shapes,
)
from lengthwise.proofs.check.networks import base_of, window_length


class WindowNode(LayerNode):
    """The step function of one trained network.

    `settings` are those of a "WindowScratchpad" (`networks.py`); `weights` are named as in its
    state dictionary.

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
        super().__init__(settings, weights, precision)
        self._num_symbols = int(settings["vocab_size"])
        self.base, self._num_digits = base_of(settings), int(settings["num_digits"])
        self._num_layers, self._window = int(settings["num_layers"]), int(settings["window"])
        self.receptive_field = window_length(settings)
        _check_shapes(settings, weights)
        self._write, self._answer = (self._matrix(name) for name in ("write", "answer"))

    @property
    def num_symbols(self) -> int:
        """Number of different symbols."""
        return self._num_symbols

    @property
    def first_token(self) -> int:
        """The token of state 0; before it are those of the symbols and the start."""
        return self._num_symbols + 1

    def start(self) -> Decided:
        """Return the code of the empty word, and the margins of its state."""
        context = np.full((1, self.receptive_field), ABSENT)
        context[:, -1] = self.first_token - 1
        return self._decide(context)

    def step(self, codes: Codes, symbols: Integers) -> Decided:
        """Return the codes after symbols, and the margins of the states that are written."""
        return self._decide(np.concatenate([codes.astype(np.int64), symbols[:, None]], axis=1))

    @quietly
    def classes(self, codes: Codes) -> Decided:
        """Return the classes of words that led to codes, and the margins of their logits."""
        embedded = self._embed(codes[:, -1].astype(np.int64))
        return largest(*self.arithmetic.numbers(embedded, self._answer))

    @quietly
    def logits(self, contexts: Integers) -> tuple[Floats, Floats]:
        """Return the logits `[prefix, digit, value]` of what is written after contexts, and radii.

        `contexts` are `[prefix, token]`, with `ABSENT` before the start.
        """
        window = self._window
        tokens, rows = np.unique(contexts, return_inverse=True)
        x = ChunkBalls(self._embed(np.maximum(tokens, 0)), rows.reshape(contexts.shape))
        present = contexts != ABSENT
        for index in range(self._num_layers):
            windows = sliding_window_view(x.rows, window, axis=1)
            seen = sliding_window_view(present, window, axis=1).reshape(-1, window).copy()
            seen[:, -1] = True  # what is computed where no token is, no token sees
            chunks = ChunkBalls(x.table, windows.reshape(-1, window))
            after = self._layer(chunks, seen, f"layers.{index}", every=False)[:, 0]
            x = ChunkBalls(after, np.arange(len(seen)).reshape(windows.shape[:2]))
            present = present[:, window - 1 :]
        last = x.balls[:, -1]
        if self._norm == "pre":
            last = self._layer_norm(last, "final_norm")
        numbers, radius = self.arithmetic.numbers(last, self._write)
        digits = (len(contexts), self._num_digits, self.base)
        return numbers.reshape(digits), radius.reshape(digits)

    def _decide(self, contexts: Integers) -> Decided:
        digits = largest(*self.logits(contexts))
        places = self.base ** np.arange(self._num_digits)
        tokens = self.first_token + (digits.values * places).sum(axis=1)
        codes = np.concatenate([contexts[:, 2:], tokens[:, None]], axis=1)
        return Decided(codes, digits.distance, digits.radius)

    def _embed(self, tokens: Integers) -> Ball:
        return Ball(self._weights["embedding.weight"][tokens], np.zeros(len(tokens)))


def _check_shapes(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
    """Refuse unknown choices, and weights of other shapes than the settings say."""
    require_choices(settings, LAYER_CHOICES)
    width, symbols, digits = settings["d_model"], settings["vocab_size"], settings["num_digits"]
    base, classes = base_of(settings), settings["num_classes"]
    require_shapes(
        weights,
        {
            "embedding.weight": (symbols + 1 + base**digits, width),
            "write.weight": (digits * base, width),
            "write.bias": (digits * base,),
            "answer.weight": (classes, width),
            "answer.bias": (classes,),
            **layer_shapes(settings, settings["num_layers"], settings["window"]),
        },
    )
