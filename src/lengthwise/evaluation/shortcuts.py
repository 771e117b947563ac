"""Shortcuts: accuracy that rules reach on a task without recognising its language.

What the shortcuts are is in `inference.shortcuts`. Here they learn from words drawn from the same
task at the same lengths as the words that they are scored on, but from other words: an estimate of
the greatest accuracy of such a rule.
"""

from collections.abc import Callable, Sequence

import torch

from lengthwise.deadline import require_time
from lengthwise.errors import TaskError
from lengthwise.inference import shortcuts as rules
from lengthwise.inference.shortcuts import SHORTCUTS, ClassedWords
from lengthwise.tasks.task import Batch, Task

_NEIGHBOURS, _PLACES = 12, 5
"""Shortcuts are computed at five runs of twelve neighbouring lengths, since what a language does
can depend on the length modulo 2, 3, 4 or 6, and a stride would see one remainder only."""

_MAX_SYMBOLS = 2**21
"""Greatest number of symbols, and of features, that are held at once."""


def shortcut_accuracies(
    task: Task,
    lengths: Sequence[int],
    words: int,
    generator: torch.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, float]:
    """Return the mean over lengths of the share of right answers, for each shortcut.

    At each length, `words` words are drawn to learn from, and as many to be scored on. `progress`
    is called with the number of words scored on so far and of all.

    Raises:
        TaskError: there is no length, or no word of a length.
    """
    if not lengths or words < 1:
        raise TaskError("shortcuts need at least one length and one word of each.")
    symbols, classes = task.language.num_symbols, task.language.num_classes
    learnt = torch.zeros(classes, dtype=torch.int64)
    class_counts = torch.zeros(classes, dtype=torch.int64)
    right = dict.fromkeys(SHORTCUTS, 0)
    for part in _parts(task, lengths, words):
        require_time()
        labels = torch.tensor(part).repeat_interleave(words)
        seen, new = task.draw(labels, generator), task.draw(labels, generator)
        learnt += torch.bincount(seen.classes, minlength=classes)
        class_counts += torch.bincount(new.classes, minlength=classes)
        for name, number in right_on_batches([seen], [new], symbols, classes).items():
            right[name] += number
        if progress is not None:
            progress(int(class_counts.sum()), len(lengths) * words)
    hits = {**right, "majority": int(class_counts[learnt.argmax()])}  # of all lengths together
    return {name: number / (len(lengths) * words) for name, number in hits.items()}


def shortcuts_beside(
    task: Task,
    lengths: Sequence[int],
    words: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, float]:
    """Return the accuracy of shortcuts on words like those of a test with this seed."""
    draws = torch.Generator().manual_seed(seed + 1)
    return shortcut_accuracies(task, lengths, words, draws, progress)


def spread_lengths(lengths: Sequence[int]) -> list[int]:
    """Return runs of neighbouring lengths, evenly spread; all lengths if there are few."""
    if len(lengths) <= _NEIGHBOURS * _PLACES:
        return list(lengths)
    step = (len(lengths) - _NEIGHBOURS) / (_PLACES - 1)
    firsts = [round(index * step) for index in range(_PLACES)]
    return sorted({n for first in firsts for n in lengths[first : first + _NEIGHBOURS]})


def right_on_batches(
    seen: Sequence[Batch], tested: Sequence[Batch], num_symbols: int, num_classes: int
) -> dict[str, int]:
    """Return the number of right answers of each shortcut, learnt from other words."""
    return rules.right_answers(_words(seen), _words(tested), num_symbols, num_classes)


def _words(batches: Sequence[Batch]) -> list[ClassedWords]:
    arrays = ((batch.tokens, batch.lengths, batch.classes) for batch in batches)
    return [ClassedWords(*(array.numpy() for array in batch_arrays)) for batch_arrays in arrays]


def _parts(task: Task, lengths: Sequence[int], words: int) -> list[list[int]]:
    """Divide the lengths into parts that are small enough to be drawn together."""
    features = task.language.num_symbols**2
    parts: list[list[int]] = [[]]
    for length in sorted(lengths):
        if (len(parts[-1]) + 1) * words * max(length, features) > _MAX_SYMBOLS and parts[-1]:
            parts.append([])
        parts[-1].append(length)
    return parts
