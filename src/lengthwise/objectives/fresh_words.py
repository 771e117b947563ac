"""Fresh words of a task for a curriculum over lengths."""

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.objectives.words import WordLengths, WordsConfig
from lengthwise.tasks.task import Batch, Task

_DRAWN = 4
"""Number of words that are drawn for each that is kept, where those with few symbols are."""


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
        return self.of_one_length(longest, self._words.batch_size, generator)

    def of_one_length(self, longest: int, count: int, generator: torch.Generator) -> Batch:
        """Draw `count` words of one length, of `longest` symbols at most."""
        length = self._lengths.draw(1, generator, longest)
        return self._task.draw(length.expand(count).clone(), generator)

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self.validation(longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        lengths = self._lengths.draw(self._words.validation_words, generator, longest)
        return self._task.draw(lengths, generator)


class OperatorsFirst:
    """Fresh words for a curriculum; while words grow, half of them have few different symbols.

    A symbol is an operator on states, so words with one symbol show what it does, and words with
    many how operators compose. For half of a step `_DRAWN` times as many words are drawn, and those
    with the fewest different symbols are kept. At the greatest length words are as they are drawn.
    """

    def __init__(self, words: FreshWords, batch_size: int, num_symbols: int) -> None:
        self._words = words
        self._batch_size = batch_size
        self._num_symbols = num_symbols

    @property
    def lengths(self) -> Int[Tensor, " length"]:
        """The lengths of words, ascending."""
        return self._words.lengths

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw the words of a step."""
        if longest >= int(self.lengths[-1]):
            return self._words.step(longest, generator)
        few = self._batch_size // 2
        rest = self._batch_size - few
        words = self._words.of_one_length(longest, rest + _DRAWN * few, generator)
        seen = torch.zeros(len(words.tokens), self._num_symbols, dtype=torch.int64)
        different = seen.scatter_(1, words.tokens, 1).sum(dim=1)
        ranked = rest + different[rest:].argsort(stable=True)
        rows = torch.cat([torch.arange(rest), ranked[:few]])
        return Batch(
            tokens=words.tokens[rows], lengths=words.lengths[rows], classes=words.classes[rows]
        )

    def review(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self._words.review(longest, generator)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        """Draw fresh words of mixed lengths."""
        return self._words.validation(longest, generator)
