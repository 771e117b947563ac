"""Chiang & Cholak (2022), section 5.1: the encoder that can express PARITY, trained on it.

The encoder has the shape of the exact one (two layers, two heads, its positions), width 16, 64
hidden units, post-norm, torch's initial weights and Adam with rate 3e-4. The paper says that it
could not learn PARITY, with these settings and with many others; its code trains on words of 1 to
100 symbols, one at a step, and both layers begin alike. We draw each layer, take 32 words at a
step, and shorter ones, too, and train an Elman network on the same words beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.spec import parse
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import jobs_over_seeds
from lengthwise_papers.cells import best_and_mean, cells, curves, one_digit, scores
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

TRAINED, FARTHER = "trained lengths", "farther"

_ENCODER = {"num_heads": 2, "position": "fraction", "learning_rate": 3e-4, "clip": 1e30}

MODELS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "standard": ("encoder", "encoder-cls", _ENCODER),
    "log-length": ("encoder, scaled by log n", "encoder-cls", {**_ENCODER, "scale": "log-length"}),
    "rnn": ("RNN", "elman", {"d_model": 64}),
}
"""Title, model and settings of each column; the paper does not clip gradients."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Seeds, how long is trained on what, and on how many words is tested."""

    seeds: tuple[int, ...] = (0, 1, 2)
    longest: tuple[int, ...] = (10, 30, 100)
    """Rows: the words of training have from 1 symbol to this number."""
    steps: int = 10_000
    batch_size: int = 32
    words: int = 128
    """At each length of the tests."""


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    for longest in sizes.longest:
        for key, (_, model, settings) in MODELS.items():
            plan = make_plan(
                parse("parity"),
                model,
                options={"protocol": "published"},
                settings={
                    "max_length": longest,
                    "batch_size": sizes.batch_size,
                    "steps": sizes.steps,
                    "validate_every": min(500, sizes.steps),
                    "patience": 0,
                    **settings,
                },
            )
            tests = [
                Test(name=name, lengths=tuple(lengths), words_per_length=sizes.words)
                for name, lengths in (
                    (TRAINED, range(1, longest + 1)),
                    (FARTHER, parse_lengths("101:500:21")),
                )
            ]
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, tests)
            cell_runs += [CellRun(f"1..{longest} symbols", key, job) for job in jobs]
    return cell_runs


def table(records: Sequence[Record]) -> Table:
    """Return the best and the mean over seeds, at the lengths of training and beyond."""
    of_cells = cells(records)
    rows = [
        [
            row,
            test,
            *(scores(of_cells[row, key], test) if (row, key) in of_cells else "" for key in MODELS),
        ]
        for row in dict.fromkeys(row for row, _ in of_cells)
        for test in (TRAINED, FARTHER)
    ]
    return Table(["trained on", "tested at", *(title for title, _, _ in MODELS.values())], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw accuracy by length, the mean over seeds: a panel for each row, a line for each model."""
    return curves(
        records, [TRAINED, FARTHER], lambda row, key: (f"trained on {row}", MODELS[key][0])
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5.1 says, on the words of the paper's code, if the RNN learns them."""
    bests = {
        key: best_and_mean(of_cell, TRAINED)[0]
        for (row, key), of_cell in cells(records).items()
        if row == "1..100 symbols"
    }
    fewest = min(map(len, cells(records).values()), default=0)
    learned = bests.pop("rnn", 0.0)
    if not bests or learned < 99:  # then nothing is known of what there is to learn
        return []
    return [
        Statement(
            where="section 5.1",
            says="a transformer with these settings is unable to learn PARITY",
            holds=max(bests.values()) < 60,
            runs=fewest,
            measured="best of the seeds, at the lengths of training: "
            + ", ".join(f"{MODELS[key][0]} {one_digit(best)} %" for key, best in bests.items())
            + f"; RNN on the same words {one_digit(learned)} %",
        )
    ]


PARITY: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Chiang & Cholak (2022)",
    item="Section 5.1, PARITY",
    claim="An encoder of the exact network's shape can express PARITY, but does not learn it.",
    printed="A transformer was unable to learn PARITY, with these settings and many others.",
    presets=preset_catalogue(
        smoke=Sizes(seeds=(0,), longest=(100,), steps=2, batch_size=4, words=2),
        laptop=Sizes(),
        paper=Sizes(seeds=(0, 1, 2, 3, 4), steps=100_000, words=512),
    ),
    runs=runs,
    table=table,
    figures=figures,
    judge=check,
)
