"""Labels of whole words alone: the words of a language as those of a curriculum over lengths."""

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.problems.base import Plan
from lengthwise.problems.own_automaton import curriculum
from lengthwise.problems.recognition.objectives import Final, WordLengths
from lengthwise.problems.recognition.settings import WordsConfig
from lengthwise.settings import require
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective


class FreshWords:
    """Fresh words of a task for a curriculum; those of one step have one length."""

    def __init__(self, task: Task, words: WordsConfig) -> None:
        self._task = task
        self._words = words
        self._lengths = WordLengths(task, words)

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        return self._lengths.lengths

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step."""
        length = self._lengths.draw(1, generator, longest)
        return self._task.draw(length.expand(self._words.batch_size).clone(), generator)

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self.validation(longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        lengths = self._lengths.draw(self._words.validation_words, generator, longest)
        return self._task.draw(lengths, generator)


def labels_alone(task: Task, plan: Plan) -> Objective:
    """Return the objective of `final`: with a curriculum, or on words of all lengths from the
    start. A network that keeps codes is trained until its own automaton has settled."""
    words, first = plan.data, plan.data.curriculum
    if not first:
        return Final(task, words)
    precision = plan.training.precision
    return curriculum(FreshWords(task, words), first, plan.network, precision=precision)


def require_labels_alone(words: WordsConfig, supervision: str) -> None:
    """Refuse a curriculum for other supervisions than `final`.

    Raises:
        ConfigError: there is one.
    """
    require(
        supervision == "final" or not words.curriculum,
        f"curriculum={words.curriculum} is for supervision='final', but supervision="
        f"{supervision!r}. Use final, or curriculum=0.",
    )
