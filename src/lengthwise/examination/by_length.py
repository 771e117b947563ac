"""Accuracy, agreement and drift of a network by length, as far as the time lasts.

Axes:
    word  words of a batch
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lengthwise.device_copies import send
from lengthwise.errors import TaskError
from lengthwise.evaluation.evaluate import (
    answer_of,
    answers,
    neighbours,
    require_classes,
    scores_of,
)
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Score, Scores
from lengthwise.evaluation.shortcuts import spread_lengths
from lengthwise.examination.wrong_words import Word, not_finite
from lengthwise.models.stepping import StateError, Steps
from lengthwise.proofs.search.snapped_states import SnappedStates
from lengthwise.tasks.task import Task

LONG = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_SHORT = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40)
_NEXT = 6
"""A long length without words is replaced by one of those after it."""
_SYMBOLS = 400_000
"""Symbols that are read at each long length, at most."""
_SQUARES = 2**24
_LEAST = 4
_DRIFTING = 16
"""Words on which drift is measured."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredWords:
    """The scores of sampled words, and what was seen on them."""

    scores: Scores
    wrong: Word | None
    """A shortest wrong word among them."""
    agreeing: int | None
    """Number of words to which the snapped network gives the network's class."""
    stopped: str
    """Reason why longer words were not tested, if so."""


def choose_lengths(lengths: Sequence[int] | None, longest: int) -> list[int]:
    """Return the lengths to test: a few short ones, 41 to 500 spread out, and long ones."""
    if lengths is not None:
        return sorted(set(lengths))
    spread = [*_SHORT, *spread_lengths(range(41, 501)), *LONG]
    return [length for length in spread if length <= longest]


def score_by_length(
    model: nn.Module,
    task: Task,
    lengths: Sequence[int],
    *,
    words_per_length: int,
    seed: int,
    end: float,
    reads_symbols: bool,
    snapped: SnappedStates | None = None,
) -> ScoredWords:
    """Test a network on sampled words, from short to long, until the time is up.

    Of a network that is not read symbol by symbol, fewer long words are asked at once, since memory
    may grow with the square of their length.

    Raises:
        ConfigError: the logits are of other classes, or not finite.
        TaskError: none of the lengths has a word.
    """
    generator, device = torch.Generator().manual_seed(seed), device_of(model)
    records: list[Score] = []
    wrong: Word | None = None
    agreeing, stopped = 0, ""
    known = [length for length in lengths if length <= 500]
    groups = [known[group] for group in neighbours(known, words_per_length)]
    groups += [[length] for length in lengths if length > 500]
    spent, before, length_before = 0.0, 0, 1
    for group in groups:
        count = words_per_length
        if group[0] > 500:
            count = max(_LEAST, min(words_per_length, _SYMBOLS // group[0]))
            growth = group[0] * count / max(1, before) * max(1.0, group[0] / length_before)
            if time.monotonic() + spent * growth > end:
                stopped = f"words of {group[0]:,} symbols would take longer than the budget"
                break
        elif records and time.monotonic() > end:
            stopped = f"words of {group[0]:,} symbols would take longer than the budget"
            break
        start = time.monotonic()
        try:
            drawable = [_with_words(task, length) for length in group]
            labels = torch.tensor([n for n in drawable if n is not None])
            batch = task.draw(labels.repeat_interleave(count), generator)
        except TaskError as error:
            stopped = str(error)
            break
        if not len(labels):
            continue
        at_once = len(batch.lengths)
        if not reads_symbols:
            at_once = min(at_once, max(1, _SQUARES // max(group) ** 2))
        parts = zip(
            torch.split(batch.tokens, at_once), torch.split(batch.lengths, at_once), strict=True
        )
        logits = torch.cat(
            [answers(model, send(part, device), send(of, device)).cpu() for part, of in parts]
        )
        require_classes(logits, task.language, task.id)
        given = answer_of(logits)
        names = task.language.class_names
        records.extend(
            scores_of(logits, batch.lengths, batch.classes, names, task=task.id, model="network")
        )
        if snapped is not None:
            same = answer_of(snapped(batch.tokens, batch.lengths)) == given
            agreeing += int(same.sum())
        for row in (given != batch.classes).nonzero()[:, 0].tolist():
            length = int(batch.lengths[row])
            if wrong is None or length < len(wrong):
                wrong = tuple(batch.tokens[row, batch.tokens.shape[1] - length :].tolist())
        spent, before = time.monotonic() - start, len(batch.lengths) * max(group)
        length_before = max(group)
    if not records:
        raise TaskError(f"{task.id} has no word of the lengths {list(lengths)[:5]}. Use others.")
    return ScoredWords(
        scores=Scores(tuple(records)),
        wrong=wrong,
        agreeing=None if snapped is None else agreeing,
        stopped=stopped,
    )


def _with_words(task: Task, length: int) -> int | None:
    """Return a length, or for a long one the next after it, that has words."""
    following = range(length, length + (_NEXT if length > 500 else 1))
    task.require_room(following[-1])
    return next((n for n in following if task.classes_at(n)), None)


# ---- drift -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """The distance of states from the nearest representatives, after words of one length."""

    length: int
    median: float | None
    largest: float | None
    """None, like the median, where nothing was snapped."""
    norm: float
    """Largest absolute number of a state."""


def measure_drift(
    steps: Steps, snapped: SnappedStates | None, task: Task, *, longest: int, seed: int, end: float
) -> list[Drift]:
    """Follow the states of a few sampled words, and measure them at lengths that double."""
    generator = torch.Generator().manual_seed(seed)
    while longest > 10 and _with_words(task, longest) != longest:
        longest -= 1
    if not task.classes_at(longest):
        return []
    words = task.draw(torch.full((_DRIFTING,), longest), generator).tokens
    _, rows = steps.start()
    rows = rows.repeat(_DRIFTING, 1)
    found: list[Drift] = []
    wanted = 10
    for length, column in enumerate(words.unbind(dim=1), start=1):
        try:
            _, rows = steps.step(rows, column)
        except StateError as error:
            word = tuple(words[error.row, :length].tolist())
            raise not_finite(error, task.language, word) from None
        is_last = length == longest or time.monotonic() > end
        if length == wanted or is_last:
            wanted *= 2
            away: Any = None if snapped is None else snapped.snaps.distance_from(rows)[0]
            found.append(
                Drift(
                    length=length,
                    median=None if away is None else float(away.median()),
                    largest=None if away is None else float(away.max()),
                    norm=float(rows.abs().max()),
                )
            )
        if is_last:
            break
    return found
