"""The objective and the score of transductions: the symbols of the output, all at once.

Axes:
    word    strings of a batch, all of one length
    output  symbols of the output
    symbol  symbols of outputs
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.errors import TaskError
from lengthwise.objectives.answers import on_device
from lengthwise.objectives.prefix import prefix_reader
from lengthwise.problems.transduction.strings import Strings, draw_strings
from lengthwise.settings import Config, Setting, require
from lengthwise.tasks.transduction import Transduction
from lengthwise.training.loop import Objective, Step, Validation

_POSITIONS_AT_ONCE = 2**14
"""About how many positions are computed together, so that long strings need little memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StringsConfig(Config):
    """Settings of the strings that are drawn."""

    max_length: Annotated[int, Setting(unit="symbols", least=1, most=2**16)] = 40
    """Length of the longest strings of training and validation."""
    batch_size: Annotated[int, Setting(unit="words", least=1, most=2**16)] = 128
    """Number of strings of a batch, all of one length."""
    validation_words: Annotated[int, Setting(unit="words", least=1, most=2**20)] = 512
    """Number of fresh strings of each validation; there is one of each length at least."""


class OutputTally(NamedTuple):
    """Output symbols of strings of one length."""

    length: int
    total: int
    right: int
    most_frequent: int
    """How many are the most frequent symbol of all lengths together."""
    loss: float


class OutputLoss(Objective):
    """The cross-entropy of all output symbols; for models that answer at every position."""

    def __init__(self, task: Transduction, strings: StringsConfig) -> None:
        require(
            strings.max_length >= task.shortest,
            f"strings of this task have {task.shortest} symbols or more, but "
            f"max_length={strings.max_length}. Set a greater one.",
        )
        self._task, self._strings = task, strings
        self._lengths = range(task.shortest, strings.max_length + 1)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the mean loss of a batch of strings of one length, and the share of symbols that
        are right."""
        place = int(torch.randint(len(self._lengths), (1,), generator=data))
        drawn = draw_strings(self._task, self._lengths[place], self._strings.batch_size, data)
        logits = read_outputs(model, drawn, noise)
        targets, is_scored = on_device(model, drawn.targets, drawn.is_scored)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        right = (logits.argmax(dim=2) == targets)[is_scored].double().mean()
        return Step(loss, right, len(targets))

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return the loss, and the mean over lengths of the share of symbols that are right."""
        words = max(1, self._strings.validation_words // len(self._lengths))
        tallies = score_outputs(model, self._task, self._lengths, words, data)
        accuracy = mean_share(tallies)
        loss = sum(tally.loss for tally in tallies) / len(tallies)
        return Validation(loss=loss, accuracy=accuracy, perfect=accuracy == 1.0)


def read_outputs(
    model: nn.Module, drawn: Strings, generator: torch.Generator | None = None
) -> Float[Tensor, "word output symbol"]:
    """Return the logits of the output symbols, at the placeholders.

    Raises:
        ConfigError: the network answers at the end of a word only.
    """
    (tokens,) = on_device(model, drawn.tokens)
    return prefix_reader(model)(tokens, generator=generator)[:, -drawn.targets.shape[1] :]


@torch.no_grad()
def score_outputs(
    model: nn.Module,
    task: Transduction,
    lengths: Sequence[int],
    words: int,
    generator: torch.Generator,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[OutputTally]:
    """Return how many output symbols are right, for fresh strings of each length.

    Args:
        model: a network in eval mode.
        task: what it is to write.
        lengths: those of the strings.
        words: strings of each length.
        generator: decides which strings.
        progress: is called with the number of lengths that are done, and of all.

    Raises:
        TaskError: no string is that short, or there is no length.
        ConfigError: the network answers at the end of a word only.
    """
    if not lengths:
        raise TaskError("a test needs strings of one length or more, but got none. Give a length.")
    counts = torch.zeros(len(lengths), len(task.outputs), dtype=torch.long)
    right, losses = [0] * len(lengths), [0.0] * len(lengths)
    for place, length in enumerate(lengths):
        drawn = draw_strings(task, length, words, generator)
        at_once = max(1, _POSITIONS_AT_ONCE // drawn.tokens.shape[1])
        for part in zip(*(torch.split(tensor, at_once) for tensor in drawn), strict=True):
            few = Strings(*part)
            logits = read_outputs(model, few).cpu()
            loss = F.cross_entropy(logits.flatten(0, 1), few.targets.flatten())
            losses[place] += loss.item() * len(few.tokens) / words
            right[place] += int((logits.argmax(dim=2) == few.targets)[few.is_scored].sum())
        scored = drawn.targets[drawn.is_scored]
        counts[place] = torch.bincount(scored, minlength=len(task.outputs))
        if progress:
            progress(place + 1, len(lengths))
    totals = counts.sum(dim=1)
    best = int((counts / totals[:, None]).sum(dim=0).argmax())
    columns = (lengths, totals.tolist(), right, counts[:, best].tolist(), losses)
    return [OutputTally(*row) for row in zip(*columns, strict=True)]


def mean_share(tallies: Sequence[OutputTally]) -> float:
    """Return the mean over lengths of the share of symbols that are right."""
    return sum(tally.right / tally.total for tally in tallies) / len(tallies)
