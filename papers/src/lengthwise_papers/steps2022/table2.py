"""Guiding transformers to process in steps (2022), Table 2: a frozen pretrained transformer adds.

The body of a GPT-2 with everything frozen but its layer norms and a new input and output layer; the
carries alone are the intermediates. That is what the paper says; Lu et al. (2021), whose method it
is, train the embeddings of positions, too. Both are here, a row for each.

The paper uses OpenAI's GPT-2. `laptop` uses a small body that `pretrain` makes from the English
that ships with Python, and controls: the same body with random weights, and with all of its weights
trained. Examples and test are the same for all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.models.meta_networks import undrawn
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.step_by_step.problem import select_test_inputs
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.sweep import Progress
from lengthwise.text.models.backbones import BACKBONES
from lengthwise.text.models.gpt2 import Backbone, BackboneConfig
from lengthwise.text.problems.language_modelling.pretrain import make_named, pretraining
from lengthwise_papers.cells import best_and_mean, cells
from lengthwise_papers.experiment import (
    Record,
    Statement,
    Table,
    TrainingWatch,
    decide,
    preset_catalogue,
)
from lengthwise_papers.steps2022.table1 import (
    REGIMES,
    STRONG,
    UNSEEN,
    WEAK,
    exact_match_figure,
    schedule,
    weak_suffices,
)
from lengthwise_papers.trained_experiment import CellRun, TrainedExperiment

PUBLISHED: dict[tuple[str, int], float] = {
    (regime, n): value
    for regime, row in {
        "weak": (1.0000, 0.0005, 0.0000, 0.0000, 0.0000),
        "medium": (0.0357, 0.0000, 0.0000, 0.0000, 0.0000),
        "strong": (1.0000, 1.0000, 1.0000, 1.0000, 1.0000),
    }.items()
    for n, value in zip((8, 16, 32, 64, 128), row, strict=True)
}
"""Regime and n to exact match."""

FROZEN, POSITIONS = "pretrained, frozen", "pretrained, positions trained"

BODY_KINDS: dict[str, dict[str, str]] = {
    FROZEN: {},
    POSITIONS: {"trained": "positions"},
    "random, frozen": {"weights": "random"},
    "random, positions trained": {"weights": "random", "trained": "positions"},
    "pretrained, all trained": {"trained": "all"},
}
"""Kind of body to its settings of `BackboneConfig`: the weights it begins with, what is trained."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The body, the numbers of bits for each kind, and how long is trained on what."""

    preset: str
    body: str
    bits: dict[str, tuple[int, ...]]
    trials: tuple[int, ...] = (0,)
    steps: int = 3_000
    settings: tuple[tuple[str, Any], ...] = ()


def prepare(sizes: Sizes, jobs: Sequence[Job], progress: Progress) -> None:
    """Make the body, if one of the runs begins with its weights and it is missing."""
    make_bodies(jobs, progress)


def make_bodies(jobs: Sequence[Job], progress: Progress, corpus: Path | None = None) -> None:
    """Make the bodies whose weights these runs begin with, of a corpus or of Python's English.

    It is pretrained in the precision in which it is trained. A body that is there already is taken
    as it is; runs of random weights need none.
    """
    begins = {
        job.plan.network.body: job.plan.training.autocast
        for job in jobs
        if isinstance(job.plan.network, BackboneConfig) and job.plan.network.weights != "random"
    }
    for body, half in begins.items():
        _, loop = pretraining(BACKBONES[body].pretraining())
        watch = TrainingWatch(progress, 0, loop.steps)
        make_named(body, corpus=corpus, half=half, progress=watch)


def runs(sizes: Sizes, seeds: Sequence[int]) -> list[CellRun]:
    """Return all runs of the table."""
    cell_runs = []
    for kind, bits in sizes.bits.items():
        for regime in REGIMES:
            for n in bits:
                settings = {"bits": n, "supervision": regime, **dict(sizes.settings)}
                plan = plan_of(sizes.preset, sizes.body, kind, sizes.steps, settings)
                jobs = jobs_over_seeds(plan, seeds or sizes.trials, select_test_inputs(plan))
                cell_runs += [
                    CellRun(f"{regime}, n = {n}", f"{kind}: {sizes.body}", j) for j in jobs
                ]
    return cell_runs


def plan_of(preset: str, body: str, kind: str, steps: int, settings: Mapping[str, Any]) -> Plan:
    """Return the plan of a body of a kind that learns addition, the carries first."""
    pupil_settings = {"order": "carries", "body": body, **schedule(steps), **BODY_KINDS[kind]}
    return make_plan(
        "steps:addition", "gpt2", preset=preset, settings={**pupil_settings, **settings}
    )


def _find_best(records: Sequence[Record]) -> dict[tuple[str, str, int], float]:
    """Return the best exact match over seeds by kind with body, regime and n."""
    exact = {}
    for (row, column), of_cell in cells(records).items():
        regime, _, n = row.partition(", n = ")
        exact[column, regime, int(n)] = best_and_mean(of_cell, UNSEEN)[0] / 100
    return exact


def table(records: Sequence[Record]) -> Table:
    """Return the paper's layout, a line for each kind of body."""
    exact, rows = _find_best(records), []
    columns = sorted({n for _, n in PUBLISHED} | {n for _, _, n in exact})
    for regime in REGIMES:
        line = [PUBLISHED.get((regime, n)) for n in columns]
        printed = ["" if p is None else f"{p:.4f}" for p in line]
        rows.append([regime, "printed: frozen gpt2", *printed])
        for column in dict.fromkeys(column for column, _, _ in exact):
            line = [exact.get((column, regime, n)) for n in columns]
            rows.append([regime, column, *("not run" if p is None else f"{p:.4f}" for p in line)])
    return Table(["supervision", "body", *(f"n = {n}" for n in columns)], rows)


def bodies_table(records: Sequence[Record]) -> Table:
    """Return the bodies, the origin of their weights, and how many of them are trained."""
    kinds: dict[tuple[str, str, str], set[int]] = {}
    for (_, column), of_cell in cells(records).items():
        for record in of_cell:
            shape = f"{shape_of(record)}, {size_of(record):,} parameters"
            kind = (column, shape, record["environment"].get("body", "unknown"))
            kinds.setdefault(kind, set()).add(record["parameters"])
    rows = [
        [*kind, ", ".join(f"{count:,}" for count in sorted(counts))]
        for kind, counts in kinds.items()
    ]
    return Table(["body", "layers", "weights", "parameters trained"], rows)


def shape_of(record: Record) -> str:
    """Return the layers of a run's body, and their width."""
    network = record["settings"]["network"]
    return f"{network['num_layers']} x {network['d_model']} wide"


def size_of(record: Record) -> int:
    """Return the number of parameters of a run's body and of its two layers."""
    network = BackboneConfig.from_dict(record["settings"]["network"])
    with undrawn():  # counted, not made
        return sum(parameter.numel() for parameter in Backbone(network).parameters())


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw exact match by n: a panel for each regime, a line for each body."""
    panels: dict[str, dict[str, dict[int, float]]] = {}
    for (column, regime, n), value in _find_best(records).items():
        curves = panels.setdefault(f"{regime} supervision", {})
        curves.setdefault(column, {})[n] = value
    return exact_match_figure(panels)


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 6 says, of the pretrained body, with and without positions frozen."""
    measured, runs_ = _find_best(records), min(map(len, cells(records).values()), default=0)
    return [
        statement._replace(variant=kind, runs=runs_)
        for kind in (FROZEN, POSITIONS)
        for statement in _of_body(
            {
                (regime, n): value
                for (column, regime, n), value in measured.items()
                if column.startswith(f"{kind}:")
            },
        )
    ]


def _of_body(exact: Mapping[tuple[str, int], float]) -> list[Statement]:
    """Check one kind of body, from exact match by regime and n."""
    supervised = {key: value for key, value in exact.items() if _is_told(key)}
    untold = {key: value for key, value in exact.items() if _is_untold(key)}
    statements = []
    if supervised:
        statements.append(
            Statement(
                where="Table 2",
                says="the body learns addition if it is given the carries first",
                holds=decide(
                    min(supervised.values()) >= 0.999, missing=bool(_not_run(supervised, _is_told))
                ),
                measured=f"{_list(supervised)}{_not_run(supervised, _is_told)}",
            )
        )
    if (short := exact.get((WEAK, 8))) is not None:
        statements.append(weak_suffices("Table 2", short, 1))
    if untold:
        statements.append(
            Statement(
                where="Table 2",
                says="from n = 16 on the body learns addition from no other supervision",
                holds=decide(
                    max(untold.values()) < 0.05, missing=bool(_not_run(untold, _is_untold))
                ),
                measured=f"{_list(untold)}{_not_run(untold, _is_untold)}",
            )
        )
    return statements


def _is_told(cell: tuple[str, int]) -> bool:
    """Return whether a regime tells the steps."""
    return cell[0] == STRONG


def _is_untold(cell: tuple[str, int]) -> bool:
    """Return whether a regime leaves the steps unsupervised, with 16 bits or more."""
    regime, bits = cell
    return regime != STRONG and bits >= 16


def _not_run(
    exact: Mapping[tuple[str, int], float], of_kind: Callable[[tuple[str, int]], bool]
) -> str:
    """Say if some of the paper's cells of a kind are not among these."""
    missing = set(filter(of_kind, PUBLISHED)) - set(exact)
    return f"; {len(missing)} of the paper's cells were not run" if missing else ""


def _list(exact: Mapping[tuple[str, int], float]) -> str:
    return ", ".join(f"{regime} n = {n}: {value:.4f}" for (regime, n), value in exact.items())


TABLE_2: TrainedExperiment[Sizes] = TrainedExperiment(
    paper="Guiding transformers to process in steps (2022)",
    item="Table 2",
    claim="A frozen pretrained transformer adds if it is given the carries; from 16 bits on it "
    "needs them.",
    printed="Exact match of a frozen GPT-2 on 10,000 unseen pairs.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            body="python-tiny",
            bits={FROZEN: (3,)},
            steps=4,
            settings=(("examples", 40), ("validation_words", 8)),
        ),
        laptop=Sizes(
            preset="laptop",
            body="python-small",
            bits={**dict.fromkeys(BODY_KINDS, (8,)), POSITIONS: (8, 16)},
        ),
        paper=Sizes(
            preset="paper",
            body="gpt2",
            bits=dict.fromkeys((FROZEN, POSITIONS), (8, 16, 32, 64, 128)),
            trials=(0, 1, 2, 3),
            steps=31_250,  # 100 epochs of 10,000 examples
        ),
    ),
    runs=runs,
    prepare=prepare,
    table=table,
    more={"Bodies": bodies_table},
    figures=figures,
    judge=check,
)
