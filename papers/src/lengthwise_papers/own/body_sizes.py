"""Weak supervision and the size of a pretrained body: does one come with the other?

"Guiding transformers to process in steps" (2022, Table 2) has GPT-2's frozen body add 8-bit numbers
without supervision of the carries. The bodies of `steps2022/table2` are much smaller. Here are
bodies of several sizes, pretrained alike, with the body frozen and with its positions trained,
beside bodies of random weights. Each is trained for three times as many steps as there; only the
outputs are supervised (weak supervision). The largest that is pretrained has its
matrix products computed in bfloat16, in pretraining and after it.

The text of pretraining is the training part of the corpus in `runs/corpora/laptop` (or `paper`), as
in `chi2023/table3`, or, if there is none, the English that ships with Python. A body that is there
already is taken as it is; a table says what each was made of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.problems.step_by_step.problem import select_test_inputs
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.cells import best_and_mean, cells
from lengthwise_papers.experiment import (
    CORPORA,
    Record,
    Statement,
    Table,
    preset_catalogue,
)
from lengthwise_papers.figures import lines_figure
from lengthwise_papers.steps2022.table1 import UNSEEN, WEAK
from lengthwise_papers.steps2022.table2 import (
    FROZEN,
    POSITIONS,
    bodies_table,
    make_bodies,
    plan_of,
    shape_of,
    size_of,
)
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

KINDS = (FROZEN, POSITIONS, "random, frozen", "random, positions trained")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The bodies, from small to large, and how long is trained."""

    preset: str
    bodies: tuple[str, ...]
    corpus: Path | None
    """The text of bodies that are missing, if it is there; if not, Python's English."""
    half: tuple[str, ...] = ()
    """Bodies that are pretrained in bfloat16, and trained in it from there: the largest ones, for
    which a processor takes hours."""
    bits: int = 8
    steps: int = 9_000
    seeds: tuple[int, ...] = (0,)
    settings: Mapping[str, Any] = field(default_factory=dict)


def prepare(sizes: Sizes, jobs: Sequence[Job], progress: Progress) -> None:
    """Make the bodies that are missing, of the corpus if it is there."""
    corpus = sizes.corpus
    if corpus is not None and not (corpus / "index.json").exists():
        corpus = None
    make_bodies(jobs, progress, corpus)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return a run for each body, kind and seed."""
    cell_runs = []
    for body in sizes.bodies:
        for kind in KINDS:
            settings = {"bits": sizes.bits, "supervision": WEAK, **sizes.settings}
            if body in sizes.half and kind in (FROZEN, POSITIONS):
                settings["autocast"] = "bfloat16"
            plan = plan_of(sizes.preset, body, kind, sizes.steps, settings)
            jobs = jobs_over_seeds(plan, seeds or sizes.seeds, select_test_inputs(plan))
            cell_runs += [CellRun(body, kind, job) for job in jobs]
    return cell_runs


def exact(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Return the best exact match of the seeds by kind and body."""
    shares: dict[str, dict[str, float]] = {}
    for (body, kind), of_cell in cells(records).items():
        shares.setdefault(kind, {})[body] = best_and_mean(of_cell, UNSEEN)[0] / 100
    return shares


def table(records: Sequence[Record]) -> Table:
    """Return a row for each body."""
    shares, rows = exact(records), []
    for body in dict.fromkeys(record["row"] for record in records):
        first = next(record for record in records if record["row"] == body)
        values = [shares.get(kind, {}).get(body) for kind in KINDS]
        values_shown = ["no record" if value is None else f"{value:.4f}" for value in values]
        rows.append([body, shape_of(first), f"{size_of(first):,}", *values_shown])
    return Table(["body", "layers", "parameters", *KINDS], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw exact match by the size of the body, a line for each kind."""
    sizes = {record["row"]: size_of(record) for record in records}
    lines = {
        kind: {sizes[body]: value for body, value in of_kind.items()}
        for kind, of_kind in exact(records).items()
    }
    if not lines:
        return {}
    label = "exact match on unseen pairs"
    return {"exact-match": lines_figure(lines, xlabel="parameters of the body", ylabel=label)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether the largest body of a kind does better than the smallest."""
    sizes = {record["row"]: size_of(record) for record in records}
    statements = []
    for kind, of_kind in exact(records).items():
        small, large = min(of_kind, key=sizes.__getitem__), max(of_kind, key=sizes.__getitem__)
        if small != large:
            listed = ", ".join(f"{body} {of_kind[body]:.4f}" for body in of_kind)
            statements.append(
                Statement(
                    where="ours",
                    says=f"{large} ({kind}) learns more from outputs alone than {small}",
                    holds=of_kind[large] > of_kind[small],
                    measured=listed,
                )
            )
    return statements


BODY_SIZES = TrainedExperiment(
    paper="lengthwise",
    item="weak supervision and the size of a body",
    claim="Whether a body learns addition from outputs alone depends on its size.",
    printed="nothing: the paper has one body, GPT-2, with 1.0000 at n = 8.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            bodies=("python-tiny",),
            corpus=None,
            bits=3,
            steps=4,
            seeds=(0, 1),
            settings={"examples": 40, "validation_words": 8},
        ),
        laptop=Sizes(
            preset="laptop",
            bodies=("text-small", "text-medium", "text-large"),
            corpus=CORPORA / "laptop",
            half=("text-large",),
        ),
        paper=Sizes(
            preset="paper",
            bodies=("text-small", "text-medium", "text-large", "gpt2"),
            corpus=CORPORA / "paper",
            steps=31_250,
            seeds=(0, 1, 2, 3),
        ),
    ),
    runs=runs,
    prepare=prepare,
    table=table,
    more={"Bodies": bodies_table},
    figures=figures,
    judge=check,
)
