"""The codebook of networks that read symbol by symbol: the table of an automaton's steps.

A step of such a network is a function of what it has kept and a symbol. Every state of the
language's minimal automaton has a code, of bits or a token, so the network learns one table
(`tasks.state_codes`), and no word is ever drawn. Steps that a validation finds wrong or unsure are
drawn more often until the next one.

Validation is perfect when exploration (`proofs.search.prefixes`) proves the model right on words
of every length.
"""

from abc import abstractmethod
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.languages.language import Language
from lengthwise.objectives.answers import SURE, in_precision, validate_answers
from lengthwise.objectives.words import WordLengths, WordsConfig
from lengthwise.proofs.check.bounded import BoundedCoded
from lengthwise.proofs.search.codes import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.prefixes import PrefixClosure, explore_prefixes
from lengthwise.tasks.state_codes import MAX_STEPS, make_state_codes
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Objective, Step, Validation

_SHARE = 2
"""One of this many steps is drawn from those that were found wrong or unsure."""

_TOGETHER = 4096
"""Number of steps that are computed at once."""


class StepTable(Objective):
    """Base: `batch_size` steps of the automaton are drawn, or all of them if there are no more.

    `longest` is the length of the longest words whose steps are in the table; None for all words. A
    proof is about the model in its final precision.
    """

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        *,
        longest: int | None,
        replay: bool = True,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        self._task = task
        self._words = words
        self._replays = replay
        self._precision = precision
        self._lengths = WordLengths(task, words)
        self._table = make_state_codes(task.language, longest)
        self._replay: Int[Tensor, " step"] | None = None

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the loss of what follows from some steps, and of their classes."""
        if self._replay is None:  # depends on the weights only, so a resumed run has the same
            self._replay = self._judge(model)[1]
        count, size = len(self._table.states), self._words.batch_size
        rows = torch.arange(count)
        if count > size:
            rows = torch.randint(count, (size,), generator=data)
            if len(self._replay):
                again = torch.randint(len(self._replay), (size // _SHARE,), generator=data)
                rows[: size // _SHARE] = self._replay[again]
        return self._learned(model, rows, data, noise)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        """Return loss and accuracy on words of mixed lengths; perfect if exploration closes."""
        lengths = self._lengths.draw(self._words.validation_words, data)
        answers = validate_answers(model, self._task.draw(lengths, data))
        figures, self._replay = self._judge(model)
        kept = in_precision(model, self._precision)
        figures["proved"] = (
            not figures["wrong"] and explored(self._bounded(kept), self._task.language)[1]
        )
        return Validation(answers.loss, answers.accuracy, figures["proved"], more=figures)

    @torch.no_grad()
    def _judge(self, model: nn.Module) -> tuple[dict[str, Any], Int[Tensor, " step"]]:
        """Return the errors in the whole table, and the steps that are to be drawn more often."""
        nearest = [
            self._sides(model, rows).cpu()
            for rows in torch.split(torch.arange(len(self._table.states)), _TOGETHER)
        ]
        sides = torch.cat([self._start_side(model).cpu(), *nearest])
        figures = {
            "chunks": len(sides),
            "wrong": int((sides <= 0).sum()),
            "room": round(sides.min().item(), 4),
        }
        replayed = (sides[1:] < SURE).nonzero()[:, 0]
        return figures, replayed if self._replays else replayed[:0]

    @abstractmethod
    def _learned(
        self,
        model: nn.Module,
        rows: Int[Tensor, " row"],
        data: torch.Generator,
        noise: torch.Generator,
    ) -> Step:
        """Return the loss of these steps of the table."""

    @abstractmethod
    def _sides(self, model: nn.Module, rows: Int[Tensor, " row"]) -> Float[Tensor, " row"]:
        """Return how far these steps are from a wrong result at least; 0 or less if it is wrong."""

    @abstractmethod
    def _start_side(self, model: nn.Module) -> Float[Tensor, "1"]:
        """Return the same of the code of the empty word."""

    @abstractmethod
    def _bounded(self, model: nn.Module) -> BoundedCoded:
        """Return the model as proofs see it."""


def explored(bounded: BoundedCoded, language: Language) -> tuple[PrefixClosure, bool]:
    """Return the exploration of a network, and whether it is a proof whatever rounding does."""
    codes = TrackedCodes(bounded)
    closure = explore_prefixes(CodeRecurrence(codes), language, max_chunks=4 * MAX_STEPS)
    return closure, closure.is_closed and codes.is_certain
