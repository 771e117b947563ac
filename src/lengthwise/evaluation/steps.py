"""Evaluation on step tasks: share of words all of whose outputs a model writes right.

Axes:
    word    words of a batch
    input   symbols that are given
    position  positions of a sequence: inputs, then written symbols
    asked   positions whose logits are returned
    symbol  the vocabulary
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from lengthwise.device_copies import send
from lengthwise.errors import TaskError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import wilson
from lengthwise.layers.right_aligned import FullWords
from lengthwise.tasks.step_tasks import Layout, StepTask


@runtime_checkable
class Completer(Protocol):
    """A model that continues a sequence."""

    def __call__(
        self, tokens: FullWords, *, first: int = 0, generator: Generator | None = None
    ) -> Float[Tensor, "word asked symbol"]:
        """Return the logits after each position from `first` on, 0 <= first < positions."""
        ...

    def complete(self, prefix: FullWords, steps: int) -> Int[Tensor, "word longer"]:
        """Return the sequences with `steps` more symbols, decoded greedily."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class StepScores:
    """Scores of the sequences that a model wrote for some inputs."""

    words: int
    exact: int
    """Number of words all of whose outputs are right."""
    right_at: dict[str, float]
    """Share of words whose symbol is right, by the name of the symbol that is written."""
    first_wrong: str | None
    """The inputs of the first word that is not exact, as `StepTask.read` reads them."""

    def summary(self) -> dict[str, Any]:
        """Return exact match with Wilson's 95 % interval, and the step most often wrong."""
        low, high = wilson(self.exact, self.words)
        worst = min(self.right_at, key=lambda name: self.right_at[name])
        return {
            "exact_match": self.exact / self.words,
            "interval_95": [low, high],
            "words": self.words,
            "worst_step": worst,
            "worst_step_accuracy": self.right_at[worst],
            "first_wrong": self.first_wrong,
        }


def exact_matches(
    model: nn.Module,
    task: StepTask,
    layout: Layout,
    inputs: Int[Tensor, "word input"],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> StepScores:
    """Write the steps of a layout after each of the inputs, greedily, and score them.

    Raises:
        TaskError: there are no inputs, or the model completes no sequences.
    """
    if not len(inputs):
        raise TaskError("there is nothing to test on. Give at least one word.")
    names = [task.names[index] for index in layout.kept]
    right = torch.zeros(len(names), dtype=torch.long)
    exact, done, first = 0, 0, None
    for part in torch.split(inputs, _AT_ONCE):
        targets = task.sequences(part, layout)[:, task.num_inputs :]
        hits = generate_steps(model, layout, part) == targets
        is_exact = hits[:, list(layout.outputs)].all(dim=1)
        right += hits.sum(dim=0)
        exact += int(is_exact.sum())
        if first is None and not is_exact.all():
            first = task.spell(part[int((~is_exact).nonzero()[0])].tolist())
        done += len(part)
        if progress:
            progress(done, len(inputs))
    shares = (right.double() / len(inputs)).tolist()
    return StepScores(
        words=len(inputs),
        exact=exact,
        right_at=dict(zip(names, shares, strict=True)),
        first_wrong=first,
    )


_AT_ONCE = 2_000
"""Number of words between two reports of progress."""


@torch.no_grad()
def generate_steps(
    model: nn.Module, layout: Layout, inputs: Int[Tensor, "word input"]
) -> Int[Tensor, "word kept"]:
    """Return the symbols that a model writes after these inputs.

    Raises:
        TaskError: the model completes no sequences.
    """
    if not isinstance(model, Completer):
        raise TaskError("this model cannot complete sequences. Use a step model.")
    words = model.complete(send(inputs, device_of(model)), len(layout.kept))
    return words[:, inputs.shape[1] :].cpu()
