r"""Mean attention weights of a decoder on earlier symbols, for each predicted gate.

Figures 1 and 2 of "Guiding transformers to process in steps" (2022): row i is the prediction of the
i-th symbol after the inputs, and has a weight for every symbol before it. A decoder that computes
its gates as they are defined attends to their sources:

$$A_{i, j} = 1/2 \text{ if } j \in \{j_i, k_i\}, \quad 0 \text{ otherwise.}$$

Axes:
    word    sequences
    input   symbols that are given
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lengthwise.circuits.gate_sequence import GateSequence
from lengthwise.models.decoder import Decoder


def step_attention(
    model: Decoder, sequence: GateSequence, inputs: NDArray[np.bool_]
) -> dict[str, Any]:
    """Record the attention weights on the correct sequences for these inputs [word, input].

    `weights[gate][symbol]` are means over words, and over the heads of the last layer. `targets`
    are the weights of a decoder that attends to the sources alone, all equally. `on_sources` is the
    mean weight on the sources, over the rows of gates that have some, `gates_with_sources`.

    Raises:
        CircuitError: the inputs do not fit the sequence.
        WordError: the sequence is longer than the model reads.
    """
    words = torch.from_numpy(sequence.complete_many(inputs))[:, :-1]
    weights = model.attention_weights(words)[-1].double().mean(dim=(0, 1))
    weights = weights[sequence.num_inputs - 1 :]
    targets = torch.zeros_like(weights)
    for row, step in enumerate(sequence.steps):
        for source in set(step.sources):
            targets[row, source] = 1 / len(set(step.sources))
    rows = [row for row, step in enumerate(sequence.steps) if step.sources]
    shares = (weights * (targets > 0)).sum(dim=-1)[rows]
    return {
        "symbols": list(sequence.names[:-1]),
        "gates": list(sequence.names[sequence.num_inputs :]),
        "gates_with_sources": rows,
        "words": len(words),
        "on_sources": round(float(shares.mean()), 6),
        "weights": _round(weights),
        "targets": _round(targets),
    }


def _round(matrix: torch.Tensor) -> list[list[float]]:
    return [[round(value, 6) for value in row] for row in matrix.tolist()]
