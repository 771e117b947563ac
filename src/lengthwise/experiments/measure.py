"""One trained run, tested: scores by length, shortcuts beside them, stored in the run's folder."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import torch

from lengthwise.errors import TaskError
from lengthwise.evaluation.evaluate import evaluate
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import Scores
from lengthwise.evaluation.shortcuts import shortcut_accuracies
from lengthwise.evaluation.steps import evaluate_steps
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.task import Task
from lengthwise.training.guided import split
from lengthwise.training.step_plan import StepPlan
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
        start = time.perf_counter()
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
        seconds = time.perf_counter() - start
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
        "seconds": round(seconds, 3),
        "environment": environment(str(device)),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation(scores.to_records(), summary)
    return scores, summary


def measure_steps(
    run: Run, *, words: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Test a run on a step task, on inputs that it was neither trained nor validated on.

    `words` of them, or all that are set apart for the test.

    Raises:
        TaskError: more are asked for than are set apart.
    """
    plan = run.plan
    assert isinstance(plan, StepPlan)
    inputs, layout = split(plan.steps, plan.guided).test, plan.steps.layout(plan.guided.supervision)
    if words is not None and words > len(inputs):
        raise TaskError(
            f"{len(inputs):,} inputs are set apart for the test of this run, but {words:,} are "
            f"asked for. Use fewer, or train with a greater test_words."
        )
    with processor_threads(plan.threads):
        scores = evaluate_steps(run.model, plan.steps, layout, inputs[:words], progress=progress)
    summary = {
        "task": plan.steps.name,
        "model": plan.model,
        "body": plan.body,
        "supervision": plan.guided.supervision,
        **scores.summary(),
        "right_at": scores.right_at,
        "environment": environment(str(device_of(run.model))),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if run.folder:
        run.folder.save_evaluation([], summary)
    return summary


def spread_lengths(lengths: Sequence[int]) -> list[int]:
    """Runs of neighbours, evenly spread over the lengths; all of them if there are few."""
    if len(lengths) <= _RUN * _RUNS:
        return list(lengths)
    step = (len(lengths) - _RUN) / (_RUNS - 1)
    firsts = [round(index * step) for index in range(_RUNS)]
    return sorted({n for first in firsts for n in lengths[first : first + _RUN]})
