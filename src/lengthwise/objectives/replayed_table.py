"""Tables of a language's algebra that a network learns entry by entry, the hard ones more often.

No word is drawn for a step: the entries of the table are its examples. Those that a validation
finds wrong or unsure are drawn more often until the next one.

Validation is perfect when exploration proves the model right on words of every length, also of
those that were not drawn.
"""

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.objectives.answers import SURE, validate_answers
from lengthwise.objectives.words import WordLengths, WordsConfig
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Validation


class ReplayedTable(Objective):
    """Base: draws entries of a table, judges all of them, and tries a proof.

    A proof is about the model in its final precision.
    """

    share: ClassVar[int]
    """One of this many entries is drawn from those that were found wrong or unsure."""
    few: ClassVar[int]
    """Greatest number of wrong entries at which a proof is tried."""

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        *,
        replay: bool = True,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        self._task = task
        self._words = words
        self._replays = replay
        self._precision = precision
        self._lengths = WordLengths(task, words)
        self._replay: Int[Tensor, " entry"] | None = None

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if exploration closes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        figures, self._replay = self._judge(model)
        figures["proved"] = figures["wrong"] <= self.few and self._is_proved(model)
        return Validation(answers.loss, answers.accuracy, figures["proved"], more=figures)

    def _draw(
        self, model: nn.Module, entries: int, count: int, data: torch.Generator
    ) -> Int[Tensor, " row"]:
        """Draw `count` entries, some of them from those to replay."""
        replay = self._choose_replayed(model)
        rows = torch.randint(entries, (count,), generator=data)
        if len(replay):
            again = torch.randint(len(replay), (count // self.share,), generator=data)
            rows[: count // self.share] = replay[again]
        return rows

    def _choose_replayed(self, model: nn.Module) -> Int[Tensor, " entry"]:
        """Return the entries to replay, judged now if no validation was before: they depend on the
        weights only, so a resumed run has the same.
        """
        if self._replay is None:
            self._replay = self._judge(model)[1]
        return self._replay

    @torch.no_grad()
    def _judge(self, model: nn.Module) -> tuple[dict[str, Any], Int[Tensor, " entry"]]:
        """Return the errors in the whole table, and the entries that are to be replayed."""
        always, entries = self._sides_of_all(model)
        sides = torch.cat([always, entries])
        figures = {
            "chunks": len(sides),
            "wrong": int((sides <= 0).sum()),
            "room": round(sides.min().item(), 4),
        }
        replayed = (entries < SURE).nonzero()[:, 0]
        return figures, replayed if self._replays else replayed[:0]

    @abstractmethod
    def _sides_of_all(
        self, model: nn.Module
    ) -> tuple[Float[Tensor, " always"], Float[Tensor, " entry"]]:
        """Return how far each result is from a wrong one at least, 0 or less if it is wrong: of
        what every step has, and of the entries that are drawn.
        """

    @abstractmethod
    def _is_proved(self, model: nn.Module) -> bool:
        """Return whether exploration proves the model right on words of every length."""
