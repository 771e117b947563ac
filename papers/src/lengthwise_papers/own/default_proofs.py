"""Default training on the languages of Table 1 and on groups: how many runs end with a proof.

Model and settings are those that `train SPEC` chooses, and nothing is set by hand. Every run is
certified, and tested on audited words of 41 to 470 symbols.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.languages.named_languages import TABLE_1
from lengthwise.objectives.sizes import num_elements
from lengthwise.problems.base import evaluate_and_store
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.proofs.search.certify import certify
from lengthwise_papers.cells import span
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import (
    Part,
    PartsExperiment,
    group_records,
    route,
    train_in_folder,
    without_problem,
)

GROUPS = ("group:S3", "group:S4", "group:A5", "group:Z60", "group:S5")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, seeds and tests."""

    preset: str
    languages: tuple[str, ...] = (*TABLE_1, *GROUPS)
    seeds: tuple[int, ...] = (0, 1, 2)
    lengths: str = "41:470:39"
    words: int = 256


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language and seed."""
    return [
        Part(
            f"{spec}, seed {seed}",
            {
                "language": spec,
                "plan": make_plan(spec, preset=sizes.preset, settings={"seed": seed}).to_dict(),
                "lengths": sizes.lengths,
                "words": sizes.words,
            },
        )
        for spec in sizes.languages
        for seed in seeds or sizes.seeds
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on a language, certify the model and test it."""
    run, record = train_in_folder(plan_from_dict(settings["plan"]), folder)
    certificate = certify(run.model, run.language)
    options = {"lengths": settings["lengths"], "words": settings["words"]}
    values = evaluate_and_store(run, options, stored=False).values
    return [
        {
            **record,
            "settings": without_problem(settings["plan"]),
            "language": settings["language"],
            "elements": num_elements(run.language),
            "model": run.plan.model,
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            "reason": certificate.reason,
            **{name: values[name] for name in ("worst_accuracy", "interval_95", "protocol")},
            "environment": values["environment"],
            "lengths": settings["lengths"],
            "words_per_length": settings["words"],
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language: how many runs were proved, with what, and how fast."""
    rows = []
    for (language,), runs in group_records(records, "language").items():
        proved = [run for run in runs if run["verdict"] == "equivalent"]
        spans = [span(proved, key) for key in ("steps", "processor_seconds")]
        rows.append(
            [
                language,
                f"{runs[0]['elements']:,}" if runs[0]["elements"] else "more than 5,000",
                "; ".join(sorted({route(run) for run in runs})),
                f"{len(proved)} of {len(runs)}",
                *spans,
            ]
        )
    header = ["language", "elements", "model, supervision", "proved", "steps"]
    return Table([*header, "processor seconds"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all are proved, and whether one that is proved was wrong."""
    proved = [record for record in records if record["verdict"] == "equivalent"]
    missed = [record for record in proved if record["worst_accuracy"] < 1]
    return [
        Statement(
            "ours",
            "every run is proved by default",
            len(proved) == len(records),
            f"{len(proved)} of {len(records)}",
        ),
        Statement(
            "ours",
            "no run that is proved misses a word",
            not missed,
            f"{len(proved)} runs proved, of which {len(missed)} missed a word",
        ),
    ]


DEFAULT_PROOFS = PartsExperiment(
    item="default proofs",
    claim="Default training ends with a proof on all languages of Table 1 and on groups up to S5.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", languages=("parity",), seeds=(0,), lengths="5", words=8),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
