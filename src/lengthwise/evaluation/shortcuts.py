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

_MAX_SYMBOLS = 2**21
"""Greatest number of symbols, and of features, that are held at once."""


def shortcut_accuracies(
    task: Task, lengths: Sequence[int], words: int, generator: torch.Generator
) -> dict[str, float]:
    """Return the mean over lengths of the share of right answers, for each shortcut.

    At each length, `words` words are drawn to learn from, and as many to be scored on.

    Raises:
        TaskError: there is no length, or no word of a length.
    """
    if not lengths or words < 1:
        raise TaskError("shortcuts need at least one length and one word of each.")
    num_classes = task.language.num_classes
    learnt, asked = [], []
    right = dict.fromkeys(SHORTCUTS[1:], 0.0)
    features = {"symbol counts": compared_counts, "first and last symbol": ends}
    for part in _parts(task, lengths, words):
        each = torch.tensor(part).repeat_interleave(words)
        seen, new = task.draw(each, generator), task.draw(each, generator)
        seen_counts = seen.classes.reshape(-1, words)
        counts = torch.nn.functional.one_hot(seen_counts, num_classes).sum(dim=1)
        by_length = counts.argmax(dim=1).repeat_interleave(words)
        learnt.append(counts)
        asked.append(
            torch.nn.functional.one_hot(new.classes.reshape(-1, words), num_classes).sum(1)
        )
        right["length only"] += int((by_length == new.classes).sum())
        for name, feature in features.items():
            answers = _most_frequent(
                _with_length(seen, feature, task), seen.classes,
                _with_length(new, feature, task), by_length,
                num_classes,
            )  # fmt: skip
            right[name] += int((answers == new.classes).sum())
    majority = int(torch.cat(learnt).sum(dim=0).argmax())
    total = len(lengths) * words
    hits = int(torch.cat(asked)[:, majority].sum())
    return {"majority": hits / total} | {name: number / total for name, number in right.items()}


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


def _with_length(
    batch: Batch, feature: Callable[[Tensor, int], Tensor], task: Task
) -> Int[Tensor, " word"]:
    """Return one integer for each combination of length and features (a hash of 64 bits)."""
    values = feature(batch.tokens, task.language.num_symbols)
    values = torch.cat([batch.lengths[:, None], values], dim=1)
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
