"""Tests of a decoder on numbers, or words, of other sizes than it was trained on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from lengthwise.errors import TaskError
from lengthwise.evaluation.predict import device_of
from lengthwise.evaluation.scores import percent, percent_interval
from lengthwise.evaluation.steps import StepScores, exact_matches
from lengthwise.tasks.step_specs import resize

if TYPE_CHECKING:
    from lengthwise.problems.base import Run
    from lengthwise.problems.step_by_step.problem import StepByStep

WORDS = 1_000
"""Inputs of each size, unless the user gives a number."""


def resize_model(run: "Run", problem: "StepByStep") -> nn.Module:
    """Return the network of a run with its weights, for the sequences of another size.

    Raises:
        TaskError: some weights are of one size, such as learned positions.
    """
    plan = run.require_plan()
    shape = problem.shape(plan.entry, plan.objective.supervision)
    model = plan.entry.build(replace(plan.network, **shape))
    weights = run.model.state_dict()
    other = [name for name, w in model.state_dict().items() if w.shape != weights[name].shape]
    if other:
        raise TaskError(
            f"the weights {other[0]} of this run are for {run.problem.name:.80}, and no other "
            f"size. Train --model pointer-decoder, or with --set position=sinusoidal."
        )
    model.load_state_dict(weights)
    return model.to(device_of(run.model)).eval()


def score_sizes(
    run: "Run",
    sizes: Sequence[int],
    words: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> dict[int, StepScores]:
    """Return scores on fresh inputs of each size, which are not those of training by chance alone.

    Raises:
        ConfigError: a size is not possible.
        TaskError: the task, or the network, has one size.
    """
    own = cast("StepByStep", run.problem)
    scores = {}
    for done, size in enumerate(sizes):
        problem = replace(own, steps=resize(own.steps, size))
        model = resize_model(run, problem)
        generator = torch.Generator().manual_seed(seed)
        inputs = problem.steps.draw(min(words, problem.steps.num_words), generator)
        layout = problem.steps.layout(run.require_plan().objective.supervision)
        scores[size] = exact_matches(model, problem.steps, layout, inputs)
        if progress:
            progress(done + 1, len(sizes))
    return scores


def show_sizes(scores: dict[int, StepScores]) -> tuple[list[str], list[list[str]]]:
    """Return a table of scores by size."""
    columns = ["size", "exact match %", "95 % interval", "inputs"]
    rows = []
    for size, of_size in scores.items():
        summary = of_size.summary()
        interval = percent_interval(*summary["interval_95"])
        rows.append([str(size), percent(summary["exact_match"]), interval, f"{of_size.words:,}"])
    return columns, rows


def to_records(scores: dict[int, StepScores]) -> list[dict[str, Any]]:
    """Return scores by size as plain values."""
    return [
        {
            "length": size,
            "words": of_size.words,
            "correct": of_size.exact,
            "first_wrong": of_size.first_wrong,
        }
        for size, of_size in scores.items()
    ]
