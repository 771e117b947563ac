"""8-bit addition learned from outputs alone, with one setting otherwise.

The step decoder with its own settings, and with one changed; three seeds of each, all steps taken.
Exact match is that of the best weights on the 10,000 inputs that no run has seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from lengthwise.problems.base import evaluated
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise_papers.experiment import Record, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, grouped, trained

PLAIN = "as it is"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    PLAIN: {},
    "initial=xavier": {"initial": "xavier"},
    "beta2=0.999": {"beta2": 0.999},
    "learning_rate=1e-3": {"learning_rate": 1e-3},
    "position=sinusoidal": {"position": "sinusoidal"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Settings of training, and seeds."""

    preset: str = "laptop"
    seeds: tuple[int, ...] = (0, 1, 2)
    training: Mapping[str, Any] = field(
        default_factory=lambda: {"steps": 3_000, "warmup": 150, "patience": 0}
    )


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each seed and variant."""
    found = []
    for seed, (name, change) in product(seeds or sizes.seeds, VARIANTS.items()):
        settings = {"supervision": "weak", **sizes.training, **change, "seed": seed}
        plan = make_plan("steps:addition", preset=sizes.preset, settings=settings)
        found.append(Part(f"{name}, seed {seed}", {"plan": plan.to_dict(), "variant": name}))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run and test it on the inputs that it has not seen."""
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    found = evaluated(run, {}).values
    return [
        {
            **record,
            **found,
            "variant": settings["variant"],
            "validation_loss": run.metrics[-1]["validation_loss"],
            "words_per_length": found["words"],
            "protocol": "unseen inputs",
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each setting: exact match of the seeds, and the mean loss at the end."""
    seeds = sorted({one["seed"] for one in records})
    rows = []
    for (name,), runs in grouped(records, "variant").items():
        of_name = {one["seed"]: one for one in runs}
        exact = [f"{of_name[seed]['exact_match']:.4f}" if seed in of_name else "" for seed in seeds]
        loss = fmean(one["validation_loss"] for one in of_name.values())
        rows.append([name if name == PLAIN else f"`{name}`", *exact, f"{loss:.3f}"])
    seed_columns = [f"seed {seed}" for seed in seeds]
    return Table(["settings", *seed_columns, "validation loss, mean"], rows)


def note(records: Sequence[Record]) -> str:
    """Say on how many inputs, and after how many steps."""
    words = min(one["words"] for one in records)
    return f"Exact match on {words:,} unseen inputs, after {records[0]['steps']:,} steps."


_SMOKE: Mapping[str, Any] = {
    "steps": 4,
    "warmup": 1,
    "validate_every": 2,
    "bits": 3,
    "examples": 40,
    "validation_words": 8,
    "d_model": 16,
}

WEAK_SUPERVISION = PartsExperiment(
    item="weak supervision",
    claim="Initial weights, positions and rate decide whether addition is learned from outputs.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", seeds=(0,), training=_SMOKE),
        laptop=Sizes(),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
)
