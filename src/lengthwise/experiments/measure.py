"""One trained run, tested: scores by length, shortcuts beside them, stored in the run's folder."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import torch

from lengthwise.evaluation.evaluate import evaluate
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores
from lengthwise.evaluation.shortcuts import shortcut_accuracies
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.task import Task
from lengthwise.training.train import Run, environment

_RUN, _RUNS = 12, 5
"""Shortcuts are computed at five runs of twelve neighbouring lengths, since what a language does
can depend on the length modulo 2, 3, 4 or 6, and a stride would see one remainder only."""


def measure(
    run: Run,
    lengths: Sequence[int],
    *,
    protocol: str | None = None,
    words_per_length: int = 512,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scores, dict[str, Any]]:
    """Test a run and return its scores and their summary, with what made them.

    The words are drawn with the run's own protocol unless another is asked for.

    Raises:
        TaskError: none of the lengths has a word, or there would be too many symbols.
    """
    task = run.task
    if protocol is not None and protocol != task.protocol:
        task = Task(language=task.language, protocol=protocol)
    device = device_of(run.model)
    with processor_threads(run.plan.threads):
        scores = evaluate(
            run.model,
            task,
            lengths,
            name=run.plan.model,
            words_per_length=words_per_length,
            seed=seed,
            device=device,
            progress=progress,
        )
        some = spread_lengths(scores.lengths)
        rules = shortcut_accuracies(
            task, some, words_per_length, torch.Generator().manual_seed(seed + 1)
        )
    summary = {
        **scores.summary(),
        "task": task.id,
        "protocol": task.protocol,
        "words_per_length": words_per_length,
        "seed": seed,
        "missing_lengths": list(scores.missing),
        "shortcuts": rules,
        "shortcut_lengths": some,
        "environment": environment(str(device)),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(scores.to_records(), summary)
    return scores, summary


def spread_lengths(lengths: Sequence[int]) -> list[int]:
    """Runs of neighbours, evenly spread over the lengths; all of them if there are few."""
    if len(lengths) <= _RUN * _RUNS:
        return list(lengths)
    step = (len(lengths) - _RUN) / (_RUNS - 1)
    firsts = [round(index * step) for index in range(_RUNS)]
    return sorted({n for first in firsts for n in lengths[first : first + _RUN]})
