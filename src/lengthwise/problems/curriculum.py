"""A curriculum over lengths: words are short at first, and longer once those are answered well.

Only labels of whole words are told. The longest word of a step is the *present length*, which
starts at a length that the user sets. Whenever all but `1 - GROWS_AT` of the words of a validation
are right, the present length grows by a quarter, and by 1 at least, until it is that of the longest
words. Words that are answered wrongly are replayed until the next validation: hard-example replay.

Short words come first because the label of a word of two or three symbols tells what single symbols
do, while labels of long words look like chance to a network that gets any symbol wrong.
"""

from collections.abc import Mapping
from typing import Protocol

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.evaluation.evaluate import answer_of
from lengthwise.problems.classification import class_step, on_device, validate_answers
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.task import Batch
from lengthwise.training.loop import Objective, Step, Validation

GROWS_AT = 0.98
"""Least accuracy of a validation after which the present length grows."""

_GROWTH = 1.25

_REPLAYED = 4
"""At most one word is replayed for this many that are drawn."""


class WordSource(Protocol):
    """Labelled words from which training, replay and validation draw."""

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        ...

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step, of at most `longest` symbols."""
        ...

    def examined(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw words of training of which the wrong ones are to be replayed."""
        ...

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw words of validation, which are never trained on."""
        ...


class Curriculum(Objective):
    """The label of the word alone, on words that grow longer.

    Validation is on words of at most the present length; it is perfect if that is the greatest
    length, and all words are right. The weights of a longer present length are preferred to others.
    """

    def __init__(self, source: WordSource, first: int, *, replays: bool) -> None:
        self._source = source
        self._replays = replays
        lengths = source.lengths
        self._greatest = int(lengths[-1])
        self._longest = int(lengths[lengths <= max(first, int(lengths[0]))][-1])
        none = torch.zeros(0, dtype=torch.int64)
        self._wrong = Batch(tokens=none[:, None], lengths=none, classes=none)

    # ---- the state that checkpoints hold -------------------------------------------------------

    def tensors(self) -> dict[str, Tensor]:
        """Return the present length and the words that are replayed."""
        return {
            "longest": torch.tensor(self._longest),
            "wrong/tokens": self._wrong.tokens.contiguous(),
            "wrong/lengths": self._wrong.lengths,
            "wrong/classes": self._wrong.classes,
        }

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the state from the result of `tensors`."""
        self._longest = int(tensors["longest"])
        tokens, lengths, classes = (
            tensors[f"wrong/{name}"] for name in ("tokens", "lengths", "classes")
        )
        self._wrong = Batch(tokens=tokens, lengths=lengths, classes=classes)

    # ---- training ------------------------------------------------------------------------------

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the cross-entropy of the labels of drawn and replayed words."""
        batch = self._source.step(self._longest, data)
        count = min(len(self._wrong.lengths), len(batch.lengths) // _REPLAYED)
        if count:
            rows = torch.randint(len(self._wrong.lengths), (count,), generator=data)
            batch = _joined(batch, _rows(self._wrong, rows))
        tokens, lengths, classes = on_device(model, batch.tokens, batch.lengths, batch.classes)
        return class_step(model(tokens, lengths, generator=noise), classes)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of at most the present length, and let it grow."""
        longest = self._longest
        batch = self._source.validation(longest, data)
        found = validate_answers(model, batch)
        if self._replays:
            self._wrong = _wrong(model, self._source.examined(longest, data))
        if longest < self._greatest and found.accuracy >= GROWS_AT:
            self._longest = self._next()
        settled, more = self._settled(model, found.perfect and longest == self._greatest, batch)
        return Validation(
            found.loss,
            found.accuracy,
            settled,
            score=longest + found.accuracy,
            more={"longest": longest, **more},
        )

    def _settled(
        self, model: nn.Module, is_right: bool, batch: Batch
    ) -> tuple[bool, dict[str, int | None]]:
        """Return whether a validation counts as perfect, and figures for the records.

        `is_right`: the present length is the greatest, and all words of the batch are right.
        """
        return is_right, {}

    def _next(self) -> int:
        """Return the next present length: a length at which there are words."""
        wanted = max(self._longest + 1, int(self._longest * _GROWTH))
        lengths = self._source.lengths
        above, within = lengths[lengths > self._longest], lengths[lengths <= wanted]
        return max(int(above[0]), int(within[-1]))


@torch.no_grad()
def _wrong(model: nn.Module, batch: Batch) -> Batch:
    """Return the words of a batch that a model answers wrongly."""
    tokens, lengths = on_device(model, batch.tokens, batch.lengths)
    answers = answer_of(model(tokens, lengths)).cpu()
    return _rows(batch, (answers != batch.classes).nonzero()[:, 0])


def _rows(batch: Batch, rows: Int[Tensor, " row"]) -> Batch:
    """Return some words of a batch, in rows as long as the longest of them."""
    lengths = batch.lengths[rows]
    longest = int(lengths.max()) if len(lengths) else 0
    tokens = batch.tokens[rows][:, batch.tokens.shape[1] - longest :]
    return Batch(tokens=tokens, lengths=lengths, classes=batch.classes[rows])


def _joined(*batches: Batch) -> Batch:
    """Return the words of several batches as one."""
    time = max(batch.tokens.shape[1] for batch in batches)
    return Batch(
        tokens=torch.cat(
            [F.pad(each.tokens, (time - each.tokens.shape[1], 0), value=PAD) for each in batches]
        ),
        lengths=torch.cat([each.lengths for each in batches]),
        classes=torch.cat([each.classes for each in batches]),
    )
