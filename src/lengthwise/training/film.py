"""A film of training: what a network holds for some words at its validations.

A frame has a number from -1 to 1 for each word and place, stored in 127ths. Films are bounded: of
n validations those are kept whose number is a multiple of the smallest power of two that leaves at
most `MOST_FRAMES`, and the last. So a run that is killed and started again has the same film.

Axes:
    word    words of the film
    time    positions of a row; a word takes the last ones
    place   numbers that a network holds for a word
    frame   frames
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.errors import RunError
from lengthwise.models.eval_mode import in_eval_mode

MOST_FRAMES = 64
MOST_NUMBERS = 8_192
"""Largest number of numbers in a frame: a film has half a megabyte at most."""

_SCALE = 127


@dataclass(frozen=True, slots=True)
class Frame:
    """What the network held at one validation; number 0 is before the first step."""

    number: int
    step: int
    accuracy: float
    """In validation; not a number before the first one."""
    codes: Int[Tensor, "word place"]
    """In 127ths."""

    @property
    def values(self) -> Float[Tensor, "word place"]:
        """The numbers from -1 to 1."""
        return self.codes.float() / _SCALE


@dataclass(slots=True)
class Film:
    """The frames so far, and the words that they are about."""

    tokens: Int[Tensor, "word time"]
    lengths: Int[Tensor, " word"]
    look: Callable[[nn.Module], Float[Tensor, "word place"]] | None = None
    """What a network holds for the words; None in a film that is shown."""
    frames: list[Frame] = field(default_factory=list)

    def shoot(self, model: nn.Module, number: int, step: int, accuracy: float) -> None:
        """Add a frame, and drop those that are too many."""
        assert self.look is not None
        with in_eval_mode(model), torch.no_grad():
            held = self.look(model).clamp(-1, 1).cpu()
        codes = (held * _SCALE).round().to(torch.int8)
        stride = 1
        while number // stride >= MOST_FRAMES:
            stride *= 2
        earlier = [frame for frame in self.frames if frame.number % stride == 0]
        self.frames = [*earlier, Frame(number, step, accuracy, codes)]

    def tensors(self) -> dict[str, Tensor]:
        """Return the film as named tensors."""
        frames = self.frames
        return {
            "tokens": self.tokens,
            "lengths": self.lengths,
            "numbers": torch.tensor([frame.number for frame in frames]),
            "steps": torch.tensor([frame.step for frame in frames]),
            "accuracies": torch.tensor([frame.accuracy for frame in frames], dtype=torch.float64),
            "codes": torch.stack([frame.codes for frame in frames]),
        }

    def restore(self, frames: Sequence[Frame], step: int) -> None:
        """Continue the film of an interrupted run after the step from which the run continues."""
        shape = (len(self.tokens),)
        self.frames = [
            frame for frame in frames if frame.step <= step and frame.codes.shape[:1] == shape
        ]


def read_film(tensors: Mapping[str, Tensor]) -> Film:
    """Return the film that `Film.tensors` stored.

    Raises:
        RunError: a tensor is missing, or of another shape.
    """
    try:
        names = ("tokens", "lengths", "numbers", "steps", "accuracies", "codes")
        tokens, lengths, numbers, steps, accuracies, codes = (tensors[name] for name in names)
    except KeyError as error:
        raise RunError(f"the film lacks {error}. Delete film.safetensors.") from None
    fits = (
        codes.ndim == 3
        and codes.dtype == torch.int8
        and len(codes) > 0
        and numbers.shape == steps.shape == accuracies.shape == codes.shape[:1]
        and tokens.ndim == 2
        and lengths.shape == tokens.shape[:1] == codes.shape[1:2]
    )
    if not fits:
        raise RunError("the film has parts that do not fit together. Delete film.safetensors.")
    rows = zip(numbers.tolist(), steps.tolist(), accuracies.tolist(), codes, strict=True)
    return Film(tokens, lengths, frames=[Frame(*row) for row in rows])
