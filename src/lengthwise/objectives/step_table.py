"""The codebook of networks that read symbol by symbol: the table of an automaton's steps.

A step of such a network is a function of what it has kept and a symbol. Every state of the
language's minimal automaton has a code, of bits or a token, so the network learns one table
(`tasks.state_codes`), as `replayed_table` does. The proof is that of `proofs.search.prefixes`.
"""

from abc import abstractmethod
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lengthwise.languages.language import Language
from lengthwise.objectives.answers import in_precision
from lengthwise.objectives.replayed_table import ReplayedTable
from lengthwise.objectives.words import WordsConfig
from lengthwise.proofs.check.bounded import BoundedCoded
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.prefixes import PrefixClosure, explore_prefixes
from lengthwise.tasks.state_codes import MAX_STEPS, make_state_codes
from lengthwise.tasks.task import Task
from lengthwise.training.loop import Step

_TOGETHER = 4096
"""Number of steps that are computed at once."""


class StepTable(ReplayedTable):
    """Base: `batch_size` steps of the automaton are drawn, or all of them if there are no more.

    `longest` is the length of the longest words whose steps are in the table; None for all words.
    """

    share = 2
    few = 0

    def __init__(
        self,
        task: Task,
        words: WordsConfig,
        *,
        longest: int | None,
        replay: bool = True,
        precision: Literal["single", "double"] = "single",
    ) -> None:
        super().__init__(task, words, replay=replay, precision=precision)
        self._table = make_state_codes(task.language, longest)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        """Return the loss of what follows from some steps, and of their classes."""
        count, size = len(self._table.states), self._words.batch_size
        rows = torch.arange(count) if count <= size else self._draw(model, count, size, data)
        return self._compute_loss(model, rows, data, noise)

    def _is_proved(self, model: nn.Module) -> bool:
        rounded = in_precision(model, self._precision)
        return explore_network(self._make_node(rounded), self._task.language)[1]

    def _sides_of_all(self, model: nn.Module) -> tuple[Float[Tensor, "1"], Float[Tensor, " step"]]:
        rows = torch.split(torch.arange(len(self._table.states)), _TOGETHER)
        return self._start_side(model).cpu(), torch.cat([self._sides(model, r).cpu() for r in rows])

    @abstractmethod
    def _compute_loss(
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
    def _make_node(self, model: nn.Module) -> BoundedCoded:
        """Return the model as proofs see it."""


def explore_network(bounded: BoundedCoded, language: Language) -> tuple[PrefixClosure, bool]:
    """Return the exploration of a network, and whether it is a proof whatever rounding does."""
    codes = TrackedCodes(bounded)
    closure = explore_prefixes(CodeRecurrence(codes), language, max_chunks=4 * MAX_STEPS)
    return closure, closure.is_closed and codes.is_certain
