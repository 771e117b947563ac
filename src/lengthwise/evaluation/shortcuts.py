"""Shortcuts: accuracy that rules reach on a task without recognising its language.

Each shortcut uses very little of a word (its features) and answers with the class that was most
frequent among words with the same features. It learns from words drawn from the same task at the
same lengths as the words that it is scored on, but from other words: an estimate of the greatest
accuracy of such a rule.

- majority: no features; one answer for all words
- length only: the length
- symbol counts: the length, which symbols occur, and of each two which occurs more often
- first and last symbol: the length, and these two symbols

Axes:
    word    words of a batch
    time    positions of a batch; words stand at the right end
"""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from lengthwise.errors import TaskError
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.task import Batch, Task

SHORTCUTS = ("majority", "length only", "symbol counts", "first and last symbol")
"""Names of the shortcuts, from the least informed to the best informed."""

Feature = Callable[[Tensor, int], Tensor]
"""Returns the features of words `[word, feature]`, from their tokens and the number of symbols."""

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
    asked = torch.zeros(classes, dtype=torch.int64)
    right = dict.fromkeys(SHORTCUTS[1:], 0)
    for part in _parts(task, lengths, words):
        each = torch.tensor(part).repeat_interleave(words)
        seen, new = task.draw(each, generator), task.draw(each, generator)
        learnt += torch.bincount(seen.classes, minlength=classes)
        asked += torch.bincount(new.classes, minlength=classes)
        for name, number in right_answers([seen], [new], symbols, classes).items():
            right[name] += number
        if progress is not None:
            progress(int(asked.sum()), len(lengths) * words)
    hits = {"majority": int(asked[learnt.argmax()]), **right}
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


def right_answers(
    seen: Sequence[Batch], asked: Sequence[Batch], num_symbols: int, num_classes: int
) -> dict[str, int]:
    """Return the number of right answers of each shortcut but `majority`, learnt from other words.

    A rule answers for features that it has not seen by the length, and for a length that it has not
    seen with the most frequent class.
    """
    classes, true = (torch.cat([each.classes for each in part]) for part in (seen, asked))

    def answered(feature: Feature | None, otherwise: Tensor) -> Tensor:
        keys = (
            torch.cat([_with_length(each, feature, num_symbols) for each in part])
            for part in (seen, asked)
        )
        return _most_frequent(next(keys), classes, next(keys), otherwise, num_classes)

    majority = torch.bincount(classes, minlength=num_classes).argmax()
    by_length = answered(None, majority.expand(len(true)))
    answers = {
        "length only": by_length,
        "symbol counts": answered(compared_counts, by_length),
        "first and last symbol": answered(ends, by_length),
    }
    return {name: int((found == true).sum()) for name, found in answers.items()}


def compared_counts(
    tokens: Int[Tensor, "word time"], num_symbols: int
) -> Int[Tensor, "word feature"]:
    """Return which symbols occur, and for each two symbols which occurs more often."""
    flat = torch.where(tokens == PAD, num_symbols, tokens)
    counts = torch.zeros(len(tokens), num_symbols + 1, dtype=torch.int64)
    counts.scatter_add_(1, flat, torch.ones_like(flat))
    counts = counts[:, :num_symbols]
    left, right = torch.combinations(torch.arange(num_symbols)).reshape(-1, 2).T
    return torch.cat([(counts > 0).long(), (counts[:, left] - counts[:, right]).sign()], dim=1)


def ends(tokens: Int[Tensor, "word time"], num_symbols: int) -> Int[Tensor, "word feature"]:
    """Return the first and the last symbol."""
    if tokens.shape[1] == 0:
        return torch.zeros(len(tokens), 2, dtype=torch.int64)
    first = (tokens != PAD).long().argmax(dim=1)
    return torch.stack([tokens.gather(1, first[:, None])[:, 0], tokens[:, -1]], dim=1)


def _parts(task: Task, lengths: Sequence[int], words: int) -> list[list[int]]:
    """Divide the lengths into parts that are small enough to be drawn together."""
    features = task.language.num_symbols**2
    parts: list[list[int]] = [[]]
    for length in sorted(lengths):
        if (len(parts[-1]) + 1) * words * max(length, features) > _MAX_SYMBOLS and parts[-1]:
            parts.append([])
        parts[-1].append(length)
    return parts


def _with_length(batch: Batch, feature: Feature | None, num_symbols: int) -> Int[Tensor, " word"]:
    """Return one integer for each combination of length and features (a hash of 64 bits)."""
    values = batch.lengths[:, None]
    if feature is not None:
        values = torch.cat([values, feature(batch.tokens, num_symbols)], dim=1)
    factors = torch.randint(
        -(2**62), 2**62, (values.shape[1],), generator=torch.Generator().manual_seed(0)
    )
    return (values * factors).sum(dim=1)


def _most_frequent(
    seen: Int[Tensor, " word"],
    classes: Int[Tensor, " word"],
    asked: Int[Tensor, " word"],
    otherwise: Int[Tensor, " word"],
    num_classes: int,
) -> Int[Tensor, " word"]:
    """Return the most frequent class of the words seen with the same key, or `otherwise`."""
    keys, which = torch.unique(seen, return_inverse=True)
    pairs, counts = torch.unique(which * num_classes + classes, return_counts=True)
    ranked = counts * num_classes + num_classes - 1 - pairs % num_classes  # the lower on a tie
    best = torch.zeros(len(keys), dtype=torch.int64)
    best.scatter_reduce_(0, pairs // num_classes, ranked, "amax")
    best = num_classes - 1 - best % num_classes
    place = torch.searchsorted(keys, asked).clamp(max=len(keys) - 1)
    return torch.where(keys[place] == asked, best[place], otherwise)
