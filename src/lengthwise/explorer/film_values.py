"""Values of a film of training for the page: codes of words as points that move.

All frames are projected to the same two axes, the principal components of all of them together, so
that a movement in the picture is one of the codes.

Axes:
    frame  frames of the film
    word   words of the film
    place  numbers that the network holds for a word
"""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lengthwise.analysis.clusters import principal_components
from lengthwise.errors import RunError
from lengthwise.languages.language import Language
from lengthwise.training.film import Film, Frame

SIDE = 1_000
"""Points have coordinates from 0 to this number."""


def film_values(film: Film, language: Language) -> dict[str, Any]:
    """Return the words with their states and classes, and the frames with the words' points.

    States are those of the minimal automaton over all words, as the page numbers them. A frame has
    the number of different codes, and of those that hold words of several classes. A network gives
    one answer for a code, so with these it is wrong; states, though, it may merge where no word
    tells them apart that can follow in its tree.

    Raises:
        RunError: the words are not those of the language.
    """
    machine = language.total().minimise()
    words = [
        tuple(row[len(row) - length :])
        for row, length in zip(film.tokens.tolist(), film.lengths.tolist(), strict=True)
    ]
    if any(not 0 <= symbol < machine.num_symbols for word in words for symbol in word):
        raise RunError(
            "the film is about other symbols than the language. Delete film.safetensors."
        )
    states = torch.tensor([machine.run(word) for word in words])
    classes = torch.tensor(machine.classes)[states]
    held = torch.stack([frame.values for frame in film.frames])
    points, shares = project(held)
    return {
        "words": [machine.decode(word) for word in words],
        "states": states.tolist(),
        "explained": round(float(shares[:2].sum()), 4),
        "frames": [
            {**_figures(frame, classes), "points": placed.tolist()}
            for frame, placed in zip(film.frames, points, strict=True)
        ],
    }


def project(
    held: Float[Tensor, "frame word place"],
) -> tuple[Int[Tensor, "frame word 2"], Float[Tensor, " component"]]:
    """Return the points of all frames on two axes, scaled alike to 0..`SIDE`, and the shares of
    variance of all axes."""
    components, shares = principal_components(held.flatten(0, 1).double())
    plane = components[:, :2]
    low, high = plane.amin(dim=0), plane.amax(dim=0)
    size = (high - low).max().clamp(min=1e-12)
    middle = (low + high) / 2
    placed = ((plane - middle) / size + 0.5) * SIDE
    return placed.round().int().view(*held.shape[:2], 2), shares


def _figures(frame: Frame, classes: Int[Tensor, " word"]) -> dict[str, Any]:
    codes, number = torch.unique(frame.codes >= 0, dim=0, return_inverse=True)
    pairs = torch.unique(torch.stack([number, classes], dim=1), dim=0)
    return {
        "step": frame.step,
        "accuracy": None if math.isnan(frame.accuracy) else frame.accuracy,
        "codes": len(codes),
        "mixed": int((torch.bincount(pairs[:, 0]) > 1).sum()),
    }
