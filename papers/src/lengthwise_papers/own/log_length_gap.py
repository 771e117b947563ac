"""Scaling by log n and the length of training: what it does from short sentences to long ones.

The models of Table 1 of Chiang and Cholak (2022) that learn short sentences are trained for more
and for fewer steps than there: with attention logits as they are (`baseline`), times log n
(`scaled`), and times log n / log 32 (`matched`). Each number of steps is a training of its own,
with a learning rate that falls to 0 at its end. All are tested on long sentences, which say nothing
about when training ends or which weights are kept.

The text is that of `chiang2022/table1`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from lengthwise.analysis.figures import Picture, panels_figure
from lengthwise.data.text_corpus import TEST
from lengthwise.evaluation.bleu import Comparison, compared
from lengthwise_papers.chiang2022 import table1
from lengthwise_papers.chiang2022.table1 import (
    MATCHED,
    SCALED,
    SHORT,
    is_of_numbers,
    pairs_of,
)
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.trained import CellRun, TrainedExperiment, cells


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The sizes of Table 1, and how long is trained."""

    preset: str
    steps: Mapping[int, tuple[int, ...]]
    """Number of steps to seeds."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other settings that differ from those of the table."""


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return a run for each number of steps, scale of attention, and seed."""
    of_table, found = table1.TABLE_1.presets[sizes.preset], list[CellRun]()
    for steps, usual in sizes.steps.items():
        warmup = of_table.settings["warmup"] * steps // of_table.settings["steps"]
        settings = {**of_table.settings, "steps": steps, "warmup": warmup}
        settings |= sizes.more
        every = table1.runs(
            replace(of_table, protocols=(SHORT,), settings=settings), seeds or usual
        )
        found += [run._replace(row=_row(steps)) for run in every]
    return found


def _row(steps: int) -> str:
    return f"after {steps:,} steps"  # so that `--only "after 600 steps"` is not 9,600


def _pairs(records: Sequence[Record], column: str) -> dict[int, dict[int, tuple[Record, Record]]]:
    """Steps and seed to the tests of the baseline and of a column, fewest steps first."""
    by_row = pairs_of(records, TEST, column)
    found = {int(row.split()[1].replace(",", "")): of_seed for row, of_seed in by_row.items()}
    return dict(sorted(found.items()))


def gaps(records: Sequence[Record], column: str) -> dict[int, dict[int, Comparison]]:
    """Steps and seed to what a column has beside the baseline, fewest steps first."""
    return {
        steps: {seed: compared(*both) for seed, both in of_seed.items()}
        for steps, of_seed in _pairs(records, column).items()
    }


def table(records: Sequence[Record]) -> Table:
    """Return a row for each number of steps and each scale of attention."""
    rows = []
    for column in (SCALED, MATCHED):
        for steps, of_seed in _pairs(records, column).items():
            both = of_seed.values()
            found = [compared(*each) for each in both]
            rows.append(
                [
                    *(column, f"{steps:,}", str(len(found))),
                    *(f"{fmean(each[n]['bleu'] for each in both):.1f}" for n in (0, 1)),
                    ", ".join(f"{each.difference:+.2f}" for each in found),
                    ", ".join(f"{each.p_value:.3f}" for each in found),
                ]
            )
    columns = ["column", "steps", "seeds", "baseline BLEU", "column's BLEU"]
    return Table([*columns, "difference by seed", "p by seed"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw how far each column is above the baseline, by the number of steps."""
    lines = {
        column: {
            steps: fmean(each.difference for each in of_seed.values())
            for steps, of_seed in gaps(records, column).items()
        }
        for column in (SCALED, MATCHED)
    }
    lines = {column: line for column, line in lines.items() if line}
    if not lines:
        return {}
    label = "BLEU beside the baseline"
    return {"gap": panels_figure({"short to long": lines}, xlabel="steps", ylabel=label)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Say for each column whether it gains on the baseline as training goes on.

    The fewest and the most steps are compared by the seeds that both have. Nothing is said of
    numbers.
    """
    tested = [run["tests"][TEST] for of_cell in cells(records).values() for run in of_cell]
    if any(map(is_of_numbers, tested)):
        return []
    statements = []
    for column in (SCALED, MATCHED):
        found = gaps(records, column)
        if len(found) < 2:
            continue
        first, last = found[min(found)], found[max(found)]
        if not (seeds := sorted(first.keys() & last.keys())):
            continue
        before, after = (fmean(of[seed].difference for seed in seeds) for of in (first, last))
        statements.append(
            Statement(
                where="ours",
                says=f"from short sentences to long ones `{column}` stands better beside the "
                "baseline after the most steps than after the fewest",
                holds=after > before,
                measured=f"{min(found):,}: {before:+.2f}, {max(found):,}: {after:+.2f} BLEU, seed "
                f"{', '.join(map(str, seeds))}",
            )
        )
    return statements


_THREE, _ONE = (0, 1, 2), (0,)

LOG_LENGTH_GAP = TrainedExperiment(
    paper="lengthwise",
    item="scaling by log n and the length of training",
    claim="How far scaling by log n falls behind or gains depends on how long is trained.",
    printed="nothing: the paper has one length of training.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", steps={4: _ONE, 8: _ONE}, more={"validate_every": 2}),
        laptop=Sizes(
            preset="laptop",
            steps={600: _THREE, 1_200: _THREE, 2_400: _THREE, 4_800: _ONE, 9_600: _ONE},
        ),
        paper=Sizes(preset="paper", steps={25_000: _ONE, 50_000: _ONE, 100_000: _ONE}),
    ),
    runs=runs,
    table=table,
    figures=figures,
    judge=check,
)
