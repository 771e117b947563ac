"""The weights of a recurrent network as plain values, by which the page runs it symbol by symbol.

Weights are numbers of 32 bits, so the page has those of the network themselves. It computes in 64
bits. The page draws the vector from which the answer is read in a plane that is fixed for the run:
that of the two principal components of such vectors after some words.

Axes:
    word   words
    width  numbers in a vector
"""

import base64
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from lengthwise.analysis.clusters import principal_axes
from lengthwise.errors import VerificationError
from lengthwise.models.binary_recurrent import BinaryRecurrent
from lengthwise.models.recurrent import Recurrent
from lengthwise.tasks.task import Task

Values = dict[str, Any]

MOST_WEIGHTS = 480_000
"""Largest number of weights in the page: about 2.6 MB of it."""

_WORDS = 400
_LONGEST = 40


def recurrent_values(model: nn.Module, task: Task) -> Values:
    """Return the weights of a recurrent network, and the plane in which its vectors are drawn.

    Raises:
        VerificationError: it is not a recurrent network, has too many weights, or weights that need
            more than 32 bits.
    """
    if not isinstance(model, Recurrent | BinaryRecurrent):
        raise VerificationError(
            f"a page runs recurrent networks, and {type(model).__name__} is none."
        )
    count = sum(parameter.numel() for parameter in model.parameters())
    if count > MOST_WEIGHTS:
        raise VerificationError(
            f"a page has room for {MOST_WEIGHTS:,} weights, but this network has {count:,}."
        )
    weights = {name: parameter.detach().cpu() for name, parameter in model.named_parameters()}
    if any(not torch.equal(weight, weight.float().to(weight.dtype)) for weight in weights.values()):
        raise VerificationError(
            "a page has weights of 32 bits, but those of this network need more."
        )
    return {
        "cell": model.config.cell,
        "layers": getattr(model.config, "num_layers", 1),
        "width": model.config.d_model,
        "bits": model.config.num_bits if isinstance(model, BinaryRecurrent) else 0,
        "weights": {name: pack_floats(rows) for name, rows in _as_rows(weights).items()},
        "plane": plane_of(model, task),
    }


def _as_rows(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights with a row for each symbol, as torch's own cells have a column."""
    return {
        name: weight.T if name == "cell.weight_ih_l0" else weight
        for name, weight in weights.items()
    }


def pack_floats(weight: Tensor) -> str:
    """Return numbers as the page reads them: 32 bits each, in base 64."""
    return base64.b64encode(weight.contiguous().numpy().astype(np.dtype("<f4")).tobytes()).decode()


def plane_of(model: Recurrent | BinaryRecurrent, task: Task) -> Values:
    """Return the middle and the axes of the plane, with the points of some words and their states.

    `scale` is the largest coordinate of a point, from the middle of the picture.
    """
    lengths = torch.tensor(task.lengths(0, _LONGEST))
    some_lengths = lengths[torch.linspace(0, len(lengths) - 1, _WORDS).round().long()]
    words = task.draw(some_lengths, torch.Generator().manual_seed(0))
    vectors = read_vectors(model, words.tokens, words.lengths)
    middle = vectors.mean(dim=0)
    axes, shares = principal_axes(vectors - middle)
    if len(axes) == 1:
        axes = torch.cat([axes, torch.zeros_like(axes)])
    points = (vectors - middle) @ axes[:2].T
    shift = (points.amin(dim=0) + points.amax(dim=0)) / 2
    points, middle = points - shift, middle + shift @ axes[:2]
    machine = task.language.total().minimise()
    rows = zip(words.tokens.tolist(), words.lengths.tolist(), strict=True)
    return {
        "middle": middle.tolist(),
        "axes": axes[:2].tolist(),
        "scale": float(points.abs().max().clamp(min=1e-9)),
        "explained": float(shares[:2].sum()),
        "points": [[round(value, 6) for value in point] for point in points.tolist()],
        "states": [machine.run(row[len(row) - length :]) for row, length in rows],
    }


@torch.no_grad()
def read_vectors(
    model: Recurrent | BinaryRecurrent, tokens: Tensor, lengths: Tensor
) -> Float[Tensor, "word width"]:
    """Return the vectors, in float64, from which the answers about right-aligned words are read."""
    copy, vectors = deepcopy(model).cpu().double().eval(), list[Tensor]()
    copy.answer.register_forward_pre_hook(lambda _, inputs: vectors.append(inputs[0]))
    copy(tokens, lengths)
    return torch.cat(vectors)
