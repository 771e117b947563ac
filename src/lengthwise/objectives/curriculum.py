"""A curriculum over lengths: words are short at first, and longer once those are answered well.

Only labels of whole words are given. The longest word of a step is the *present length*, which
starts at a length that the user sets. Whenever all but `1 - GROWS_AT` of the words of a validation
are right, the present length grows by a quarter, and by 1 at least, until it is that of the longest
words.

Short words come first because the label of a word of two or three symbols tells what single symbols
do, while labels of long words look like chance to a network that gets any symbol wrong. Words that
are answered wrongly are not drawn more often: where they were, D_4 was not learned in three runs of
3,000 to 10,000 steps, and without it in two of two after 1,150.
"""

from collections.abc import Mapping
from typing import Protocol

import torch
from jaxtyping import Int
from torch import Tensor, nn

from lengthwise.objectives.answers import validate_answers
from lengthwise.objectives.learning import Labels, Learning
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Objective, Step, Validation

GROWS_AT = 0.98
"""Least accuracy of a validation after which the present length grows."""

_GROWTH = 1.25


class CurriculumWords(Protocol):
    """Labelled words from which training and validation draw."""

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        ...

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step, of at most `longest` symbols."""
        ...

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw words of training that decide whether words grow."""
        ...

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw words of validation, which are not those of training."""
        ...


class Curriculum(Objective):
    """The label of the word alone, on words that grow longer.

    While words grow, a validation reviews words of training: the shortest ones may be
    too few for a separate validation set. A validation is perfect if the present length
    is the greatest, and all words of validation are right. Weights of a longer present length are
    preferred.
    """

    def __init__(
        self, source: CurriculumWords, first: int, learning: Learning | None = None
    ) -> None:
        self._source = source
        self._learning = learning or Labels()
        lengths = source.lengths
        self._greatest = int(lengths[-1])
        self._longest = int(lengths[lengths <= max(first, int(lengths[0]))][-1])

    # ---- the state that checkpoints hold -------------------------------------------------------

    def tensors(self) -> dict[str, Tensor]:
        """Return the present length, and the state of learning."""
        return {"longest": torch.tensor(self._longest), **self._learning.tensors()}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the state from the result of `tensors`."""
        self._longest = int(tensors["longest"])
        self._learning.restore(tensors)

    # ---- training ------------------------------------------------------------------------------

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the loss of words of at most the present length."""
        return self._learning.step(model, self._source.step(self._longest, data), noise)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of at most the present length, and let it grow."""
        longest = self._longest
        judge = self._source.validation if longest == self._greatest else self._source.review
        batch = judge(longest, data)
        validation = validate_answers(model, batch)
        if longest < self._greatest and validation.accuracy >= GROWS_AT:
            self._longest = self._next()
        settled, more = self._judge_validation(
            model, validation.perfect and longest == self._greatest, batch
        )
        return Validation(
            validation.loss,
            validation.accuracy,
            settled,
            score=longest + validation.accuracy,
            more={"longest": longest, "grows_to": self._greatest, **more},
        )

    def _judge_validation(
        self, model: nn.Module, is_right: bool, batch: Batch
    ) -> tuple[bool, dict[str, int | None]]:
        """Return whether a validation counts as perfect, and figures for the records.

        `is_right`: the present length is the greatest, and all words of the batch are right.
        """
        return is_right, {}

    def _next(self) -> int:
        """Return the next present length: a length at which there are words."""
        target = max(self._longest + 1, int(self._longest * _GROWTH))
        lengths = self._source.lengths
        above, within = lengths[lengths > self._longest], lengths[lengths <= target]
        return max(int(above[0]), int(within[-1]))
