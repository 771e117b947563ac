"""Step supervision beyond addition: multiplication, and the word problem of S5.

The same decoder, regimes and test as in Table 1 of "Guiding transformers to process in steps"
(2022), on tasks that the paper does not have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lengthwise.problems.planning import make_plan
from lengthwise.problems.step_by_step.problem import select_test_inputs
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import best_and_mean, cells, one_digit
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.steps2022.table1 import REGIMES, STRONG, UNSEEN, schedule
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "multiplication of 4-bit numbers": (
        "steps:multiplication",
        {"bits": 4, "examples": 200, "validation_words": 20},
    ),
    "multiplication of 8-bit numbers": ("steps:multiplication", {"bits": 8}),
    "S5 from 2 generators, 16 symbols": ("steps:group:S5,generators=2,seed=0", {"length": 16}),
    "parity of 16 symbols": ("steps:parity", {"length": 16}),
}
"""Name of a row to the task and its settings."""

LEARNED = 99.0
"""Per cent: exact match of a task that is learned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Tasks, seeds, and how long is trained."""

    preset: str
    rows: tuple[str, ...] = tuple(TASKS)
    seeds: tuple[int, ...] = (0,)
    steps: int = 6_000
    settings: dict[str, Any] = field(default_factory=dict)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    for row in sizes.rows:
        spec, of_task = TASKS[row]
        for regime in REGIMES:
            plan = make_plan(
                spec,
                preset=sizes.preset,
                settings={
                    **of_task,
                    "supervision": regime,
                    **schedule(sizes.steps),
                    **sizes.settings,
                },
            )
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, select_test_inputs(plan))
            cell_runs += [CellRun(row, regime, job) for job in jobs]
    return cell_runs


def table(records: Sequence[Record]) -> Table:
    """Return a row for each task: exact match, the best over seeds, for each regime."""
    of_cells, rows = cells(records), []
    for row in dict.fromkeys(row for row, _ in of_cells):
        of_row = [of_cells.get((row, regime)) for regime in REGIMES]
        tested = next(
            of_cell[0]["tests"][UNSEEN]["words_per_length"] for of_cell in of_row if of_cell
        )
        exact = [
            f"{best_and_mean(of_cell, UNSEEN)[0] / 100:.4f}" if of_cell else ""
            for of_cell in of_row
        ]
        rows.append([row, *exact, f"{tested:,}"])
    return Table(["task", *(f"{regime} supervision" for regime in REGIMES), "unseen words"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Check the paper's claim, on other tasks."""
    of_cells = cells(records)
    gains = {}
    for row in dict.fromkeys(row for row, _ in of_cells):
        exact = {
            regime: best_and_mean(of_cells[row, regime], UNSEEN)[0]
            for regime in REGIMES
            if (row, regime) in of_cells
        }
        if STRONG in exact and len(exact) > 1:
            strong = exact.pop(STRONG)
            gains[row] = (strong, max(exact.values()))
    if not gains:
        return []
    measured = "; ".join(
        f"{row} {one_digit(strong)} % and {one_digit(untold)} %"
        for row, (strong, untold) in gains.items()
    )
    return [
        Statement(
            where="ours",
            says=f"a decoder that is given the steps learns the task (to {LEARNED:.0f} %)",
            holds=all(strong >= LEARNED for strong, _ in gains.values()),
            measured=measured,
        ),
        Statement(
            where="ours",
            says="without the steps it does worse, unless it learns the task, too",
            holds=all(untold < strong or untold >= LEARNED for strong, untold in gains.values()),
            measured=measured,
        ),
    ]


OTHER_TASKS: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Guiding transformers to process in steps (2022)",
    item="Section 5, on other tasks",
    claim="Steps also help with algorithms other than addition.",
    printed="Nothing: the paper has only addition.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", rows=("parity of 16 symbols",), steps=4),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper", seeds=(0, 1, 2, 3), steps=30_000),
    ),
    runs=runs,
    table=table,
    judge=check,
)
