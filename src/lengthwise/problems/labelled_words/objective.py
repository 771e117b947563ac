"""The objective of labelled words: the label of each word of a batch of mixed lengths."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.parts import TRAIN, VALID
from lengthwise.data.word_parts import WordParts, rows_of_part
from lengthwise.objectives.answers import (
    class_step,
    on_device,
    validate_answers,
    words_for,
)
from lengthwise.problems.labelled_words.settings import WordsOfFileConfig
from lengthwise.settings import require
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Objective, Step, Validation

_MOST_SYMBOLS = 2**28
"""Greatest number of symbols of one batch; more would exceed any memory."""


class LabelsOfFile(Objective):
    """The labels of words that are drawn uniformly from the training part of a file.

    Validation draws from words that are never trained on. All random numbers come from the
    generators of the run, so that a run that is continued draws the same words.

    Raises:
        TextError: there is no word to train or to validate on.
        ConfigError: a batch would be too large.
    """

    def __init__(self, words: LabelledWords, config: WordsOfFileConfig, name: str) -> None:
        self._words = words
        self._config = config
        self._train = part_of(words, TRAIN, config, name)
        self._valid = part_of(words, VALID, config, name)
        lengths = words.lengths(torch.cat([self._train, self._valid]).numpy())
        self.shortest, self.longest = int(lengths.min()), int(lengths.max())
        for setting in ("batch_size", "validation_words"):
            count = getattr(config, setting)
            require(
                count * self.longest <= _MOST_SYMBOLS,
                f"{setting}={count} words of up to {self.longest} symbols are more than "
                f"{_MOST_SYMBOLS:,} symbols. Lower it, or set max_length.",
            )

    def draw(self, data: torch.Generator) -> Batch:
        """Draw the words of one step."""
        rows = torch.randint(len(self._train), (self._config.batch_size,), generator=data)
        return batch_of(self._words, self._train[rows])

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the labels of words of mixed lengths."""
        batch = self.draw(data)
        tokens, lengths = words_for(model, batch.tokens, batch.lengths)
        (classes,) = on_device(model, batch.classes)
        return class_step(model(tokens, lengths, generator=noise), classes)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of validation; perfect if all are right."""
        order = torch.randperm(len(self._valid), generator=data)
        rows = self._valid[order[: self._config.validation_words]]
        return validate_answers(model, batch_of(self._words, rows))


class WordsOfFile:
    """The words of a file for a curriculum: those of a step have mixed lengths.

    Raises:
        TextError: there is no word to train or to validate on.
        ConfigError: a batch would be too large.
    """

    def __init__(self, words: LabelledWords, config: WordsOfFileConfig, name: str) -> None:
        LabelsOfFile(words, config, name)  # refuses batches that are too large
        self._words, self._config = words, config
        self._rows = {part: part_of(words, part, config, name) for part in (TRAIN, VALID)}
        self._lengths = {
            part: torch.from_numpy(words.lengths(rows.numpy())) for part, rows in self._rows.items()
        }
        least = max(
            int(length.min()) for length in self._lengths.values()
        )  # both parts have words then
        every = torch.unique(torch.cat([*self._lengths.values()]))
        self._every = every[every >= least]

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending, from the first at which both parts have words."""
        return self._every

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw words of training uniformly, of at most `longest` symbols."""
        rows = self._rows[TRAIN][self._lengths[TRAIN] <= longest]
        drawn_rows = torch.randint(len(rows), (self._config.batch_size,), generator=generator)
        return batch_of(self._words, rows[drawn_rows])

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw different words of training, of at most `longest` symbols."""
        return self._different(TRAIN, longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw different words of validation, of at most `longest` symbols."""
        return self._different(VALID, longest, generator)

    def _different(self, part: str, longest: int, generator: torch.Generator) -> Batch:
        rows = self._rows[part][self._lengths[part] <= longest]
        order = torch.randperm(len(rows), generator=generator)
        return batch_of(self._words, rows[order[: self._config.validation_words]])


def part_of(words: LabelledWords, part: str, config: WordParts, name: str) -> torch.Tensor:
    """Return the numbers of the words of a part (`rows_of`) as a tensor.

    Raises:
        TextError: there are none.
    """
    return torch.from_numpy(rows_of_part(words, part, config, name))


def batch_of(words: LabelledWords, rows: torch.Tensor) -> Batch:
    """Return some words as a batch."""
    return Batch(
        tokens=torch.from_numpy(words.tokens(rows.numpy(), PAD)),
        lengths=torch.from_numpy(words.lengths(rows.numpy())),
        classes=classes_of(words, rows),
    )


def classes_of(words: LabelledWords, rows: torch.Tensor) -> torch.Tensor:
    """Return the classes of some words."""
    return torch.from_numpy(words.classes[rows.numpy()].astype("int64"))
