"""Batches of a transduction: strings with placeholders after them, and their outputs.

A network reads the string and then a placeholder for each symbol of the output, and answers at the
placeholders, as in the suite of Deletang et al. (2023). The zeros after the end of an output are
learned, but not scored, as there.

Axes:
    word      strings of a batch, all of one length
    position  symbols of a string, and placeholders after them
    output    symbols of the output
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.errors import TaskError, WordError
from lengthwise.languages.validation import short
from lengthwise.messages import format_count
from lengthwise.tasks.transduction import Transduction

_PADDING, _PLACEHOLDER = "0", chr(0)


class Strings(NamedTuple):
    """Strings of one length with their outputs."""

    tokens: Int[Tensor, "word position"]
    """The placeholder has the number of symbols as its number."""
    targets: Int[Tensor, "word output"]
    is_scored: Bool[Tensor, "word output"]
    """False after the end of an output."""


def draw_strings(
    task: Transduction, length: int, count: int, generator: torch.Generator
) -> Strings:
    """Draw strings of one length.

    Args:
        task: decides strings and outputs.
        length: symbols of each string.
        count: number of strings.
        generator: decides which.

    Raises:
        TaskError: no string is that short, or `count` is below 1.
    """
    if length < task.shortest or count < 1:
        raise TaskError(
            f"strings of this task have at least {format_count(task.shortest, 'symbol')}, but "
            f"{format_count(count, 'string')} of {length} were asked for. Ask for others."
        )
    random = Random(int(torch.randint(2**62, (1,), generator=generator)))
    words = [task.draw(length, random) for _ in range(count)]
    answers = [task.answer(word) for word in words]
    size = task.output_length(length)
    ends = torch.tensor([len(answer) for answer in answers])
    return Strings(
        encode_strings(task, words),
        _codes([answer.ljust(size, _PADDING) for answer in answers], task.outputs),
        torch.arange(size) < ends[:, None],
    )


def encode_strings(task: Transduction, words: Sequence[str]) -> Int[Tensor, "word position"]:
    """Return strings of one length as numbers, with the placeholders after them.

    Raises:
        WordError: one has a symbol that is none.
    """
    for word in words:
        if stray := set(word) - set(task.symbols):
            raise WordError(
                f"{short(word)} has {min(stray)!r}, which is not one of {task.symbols!r}. Leave it "
                f"out."
            )
    placeholders = _PLACEHOLDER * task.output_length(len(words[0]))
    return _codes([word + placeholders for word in words], task.symbols + _PLACEHOLDER)


def _codes(words: Sequence[str], symbols: str) -> Int[Tensor, "word position"]:
    """Return ASCII strings of one length as the places of their symbols in `symbols`."""
    place = np.zeros(128, dtype=np.int64)
    place[np.frombuffer(symbols.encode(), dtype=np.uint8)] = np.arange(len(symbols))
    letters = np.frombuffer("".join(words).encode(), dtype=np.uint8)
    return torch.from_numpy(place[letters].reshape(len(words), -1))
