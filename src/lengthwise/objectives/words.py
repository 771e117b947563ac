"""The words that objectives draw: their settings, and their lengths."""

from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.errors import TaskError
from lengthwise.settings import Config, Setting, require
from lengthwise.tasks.task import Batch, Task

_MOST_SYMBOLS = 2**28
"""Greatest number of symbols of one batch; more would exceed any memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WordsConfig(Config):
    """Settings of the words that are drawn."""

    max_length: Annotated[int, Setting(unit="symbols", least=1)] = 40
    """Length of the longest words of training and validation."""
    min_length: Annotated[int, Setting(unit="symbols", least=0)] = 1
    """Length of the shortest words of training and validation."""
    batch_size: Annotated[int, Setting(unit="words", least=1)] = 128
    """Number of words of a batch, all of one length."""
    validation_words: Annotated[int, Setting(unit="words", least=1)] = 1024
    """Number of fresh words of each validation, of mixed lengths."""
    protocol: str = "audited"
    """Protocol by which words are drawn: `published`, as the authors of RegularGPT drew them, or
    `audited`, with all classes at every length, including near misses. The default is that of the
    model."""
    p_one: float = 0.5
    """P(1) of the published words of Parity; no other language has one."""

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        require(
            self.min_length <= self.max_length,
            f"min_length={self.min_length} is greater than max_length={self.max_length}. Lower it.",
        )
        for name in ("batch_size", "validation_words"):
            symbols = getattr(self, name) * self.max_length
            require(
                symbols <= _MOST_SYMBOLS,
                f"{name}={getattr(self, name)} words of max_length={self.max_length} are more than "
                f"{_MOST_SYMBOLS:,} symbols. Lower one of them.",
            )


class WordLengths:
    """Lengths that are drawn uniformly from those in a range at which there are words."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        task.require_room(words.max_length)
        self.lengths = torch.tensor(task.lengths(words.min_length, words.max_length))
        if not len(self.lengths):
            raise TaskError(
                f"{task.title} has no word of a length in "
                f"{words.min_length}..{words.max_length}. Raise max_length."
            )

    def draw(
        self, count: int, generator: torch.Generator, longest: int | None = None
    ) -> Int[Tensor, " word"]:
        """Return that many lengths, of `longest` at most, each drawn independently."""
        lengths = self.lengths if longest is None else self.lengths[self.lengths <= longest]
        return lengths[torch.randint(len(lengths), (count,), generator=generator)]


def draw_one_length(
    task: Task, lengths: WordLengths, count: int, generator: torch.Generator
) -> Batch:
    """Draw words of one length, which is drawn as well."""
    return task.draw(lengths.draw(1, generator).expand(count).clone(), generator)
