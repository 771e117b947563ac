"""The node function of RegularGPT, from the weights alone, in float64.

This is an independent implementation of `models.regular_gpt.RegularGPT.compose` and `read`, on
balls (`balls.py`) and without torch, so that a proof rests neither on the order of additions nor on
the model's own code.

Axes:
    node    chunks; each becomes a node
    chunk   the C positions of a chunk; `ABSENT` (-1) stands for the pad
    width   numbers in a vector
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.check.balls import Ball, Floats
from lengthwise.proofs.check.bfloat16_balls import Precision
from lengthwise.proofs.check.layer_node import (
    LAYER_CHOICES,
    ChunkBalls,
    LayerNode,
    is_rational,
    layer_shapes,
    norm_shapes,
    quietly,
    require_choices,
    require_shapes,
)


class Node(LayerNode):
    """The node function of one trained network.

    `settings` are those of `RegularGPTConfig`; `weights` are named as in its state dictionary. The
    unit roundoff is that of the weights' type.

    Raises:
        VerificationError: the weights are of several types.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        weights: Mapping[str, NDArray[Any]],
        precision: Precision = "weights",
    ) -> None:
        super().__init__(settings, weights, precision)
        self.chunk_size = int(settings["chunk_size"])
        self.num_symbols = int(settings["vocab_size"])
        self.is_binary = settings["memory"] == "binary"
        self.num_bits = int(settings["num_bits"])
        self._learned_pad = settings["pad"] == "learned"
        self._num_layers = int(settings["num_layers"])
        _check_settings(settings, weights)
        scale = settings.get("embedding_scale")  # older certificates have none
        self._scale = sqrt(len(self._weights["pad"])) if scale is None else float(scale)

    # ---- from symbols and codes to vectors -----------------------------------------------------

    @quietly
    def leaves(self) -> Ball:
        """Return the vectors of the symbols."""
        return self._embed(self._weights["embedding.weight"])

    @quietly
    def pad(self) -> Ball:
        """Return the vector of the positions before a word."""
        return self._embed(self._weights["pad"][None])

    @quietly
    def recall(self, codes: NDArray[np.bool_]) -> Ball:
        """Return the vectors of codes, if memory is binary."""
        signs = Ball(np.where(codes, 1.0, -1.0), np.zeros(len(codes)))
        read = self.arithmetic.linear(signs, self._matrix("memory.read"))
        if self._is_rational:
            return read
        return self._layer_norm(read, "memory.norm")

    def _embed(self, vectors: Floats) -> Ball:
        exact = Ball(vectors, np.zeros(vectors.shape[:-1]))
        return self.arithmetic.scale(exact, self._scale)

    # ---- from vectors to the vector, code and class of a node -----------------------------------

    @quietly
    def gather(self, below: Ball, children: Integers) -> Ball:
        """Return the output of the block for chunks, before memory."""
        pad = self.pad()
        table = Ball(
            np.concatenate([pad.centre, below.centre]), np.concatenate([pad.radius, below.radius])
        )
        x = ChunkBalls(table, children + 1)
        present = np.ones(children.shape, dtype=np.bool_)
        if not self._learned_pad:
            present = children >= 0
            present[:, -1] = True
        for index in range(self._num_layers - 1):
            x = ChunkBalls.of(self._layer(x, present, f"layers.{index}", every=True))
        return self._last_layer(x, present, f"layers.{self._num_layers - 1}")

    def _last_layer(self, x: ChunkBalls, present: NDArray[np.bool_], name: str) -> Ball:
        return self._layer(x, present, name, every=False)[:, 0]

    @quietly
    def numbers(self, gathered: Ball) -> tuple[Floats, Floats]:
        """Return the numbers whose signs are the code, and their radii."""
        return self.arithmetic.numbers(gathered, self._matrix("memory.write"))

    @quietly
    def logits(self, vectors: Ball) -> tuple[Floats, Floats]:
        """Return the logits of the classes, and their radii."""
        if self._norm == "pre":
            vectors = self._layer_norm(vectors, "final_norm")
        return self.arithmetic.numbers(vectors, self._matrix("answer"))


_CHOICES: Mapping[str, tuple[str, ...]] = {
    **LAYER_CHOICES,
    "pad": ("learned", "absent"),
    "memory": ("continuous", "binary"),
}


def _check_settings(settings: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]) -> None:
    """Refuse invalid settings, and weights of other shapes than the settings say."""
    require_choices(settings, _CHOICES)
    width = settings["d_model"]
    shapes: dict[str, tuple[int, ...]] = {
        "embedding.weight": (settings["vocab_size"], width),
        "pad": (width,),
        "answer.weight": (settings["num_classes"], width),
        "answer.bias": (settings["num_classes"],),
        **layer_shapes(settings, settings["num_layers"], settings["chunk_size"]),
    }
    if settings["memory"] == "binary":
        bits = settings["num_bits"]
        shapes |= {
            "memory.write.weight": (bits, width),
            "memory.write.bias": (bits,),
            "memory.read.weight": (width, bits),
            "memory.read.bias": (width,),
        }
        if not is_rational(settings):
            shapes |= norm_shapes(["memory.norm"], width)
    if settings["transition_size"]:
        size = settings["transition_size"]
        shapes |= {"transition.weight": (size, width), "transition.bias": (size,)}
    require_shapes(weights, shapes)
