"""Training until a proof: how often it succeeds, and how long it takes.

All languages of Table 1 of Chi et al. (2023), five seeds each, with the default training of
`regular-gpt-binary`, and some of them without one of its parts. Every run is certified, and tested
on words of 41 to 500 symbols that it was neither trained nor selected on.
"""

import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.errors import LanguageError
from lengthwise.evaluation.scores import parse_lengths
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.spec import parse
from lengthwise.problems.base import evaluate_and_store
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.proofs.search.certify import certify
from lengthwise_papers.cells import from_to
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder

MODEL = "regular-gpt-binary"
LANGUAGES = (
    *("even-pairs", "parity", "cycle-navigation", "d-2", "d-3", "d-4"),
    *("tomita-3", "tomita-4", "tomita-5", "tomita-6"),
)

DEFAULT = "default"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "without lessons": {"replay": False},
    "without pull": {"code_consistency": 0.0},
    "without noise": {"noise": 0.0},
    "more noise": {"noise": 0.5},
    "fewer bits": {"num_bits": 12},
    "words, transition supervision": {
        "objective": "transition",
        "patience": 2,
        "noise": 0.5,
        "num_bits": 16,
    },
}
"""The default without each of its parts, or with other numbers."""

COMPARED = ("cycle-navigation", "tomita-5", "d-2", "tomita-3")
"""Languages on which the variants are compared, over at most `MOST_STEPS` steps."""

MOST_STEPS = 4_000

TESTED = ("mean_accuracy", "worst_accuracy", "interval_95", "words_per_length", "protocol")
"""Figures that are kept of the test of each run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, variants, seeds and tests."""

    preset: str
    languages: tuple[str, ...] = LANGUAGES
    compared: tuple[str, ...] = COMPARED
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    seeds_of_variants: int = 3
    lengths: str = "41:481:20"


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each run: the default first."""
    seeds = seeds or sizes.seeds
    planned: list[tuple[str, str, int, Mapping[str, Any]]] = [
        (spec, DEFAULT, seed, {"objective": "composition"})
        for seed in seeds
        for spec in sizes.languages
    ]
    planned += [
        (spec, variant, seed, {**change, "steps": MOST_STEPS})
        for variant, change in VARIANTS.items()
        for seed in seeds[: sizes.seeds_of_variants]
        for spec in sizes.compared
    ]
    all_parts = []
    for spec, variant, seed, change in planned:
        values = {**change, "seed": seed}
        plan = make_plan(parse(spec), MODEL, preset=sizes.preset, settings=values).to_dict()
        settings = {"plan": plan, "variant": variant, "lengths": sizes.lengths}
        all_parts.append(Part(f"{spec}, {variant}, seed {seed}", settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run, certify it and test it."""
    run, record = train_in_folder(plan_from_dict(settings["plan"]), folder)
    start = time.perf_counter()
    certificate = certify(run.model, run.language)
    seconds = time.perf_counter() - start
    certificate.save(folder / "certificate.json")
    summary = evaluate_and_store(run, {"lengths": settings["lengths"]}).values
    proof = {k: v for k, v in certificate.summary().items() if k != "counterexample"}
    return [
        {
            **record,
            **proof,
            **{name: summary[name] for name in ("language", "environment", *TESTED)},
            "variant": settings["variant"],
            "seconds_to_certify": round(seconds, 2),
            "monoid": monoid_size(run.language),
            "lengths": settings["lengths"],
        }
    ]


def monoid_size(language: Language) -> int | None:
    """Count the elements of the transition monoid of the minimised machine over all words."""
    try:
        return transition_monoid(language.total().minimise()).size
    except LanguageError:
        return None


def _select_proved(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record["verdict"] == "equivalent"]


def _default(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record["variant"] == DEFAULT]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language: how many runs were proved, and what that took."""
    rows = []
    for (language,), runs in group_records(_default(records), "language").items():
        proved = _select_proved(runs)
        least = min((run["margins"]["sign_distance"] for run in proved), default=0)
        counts = [_counts(proved, key) for key in ("steps", "seconds_to_train", "elements")]
        of_all = f"{len(proved)} of {len(runs)}"
        rows.append([language, of_all, *counts, str(runs[0]["monoid"]), f"{least:.2g}"])
    columns = ["language", "proved", "steps", "seconds", "codes", "monoid", "distance"]
    return Table(columns, rows)


def _counts(runs: Sequence[Record], key: str) -> str:
    values = [round(run[key]) for run in runs]
    if len(set(values)) == 1:
        return str(values[0])
    return from_to(values) if values else ""


def note(records: Sequence[Record]) -> str:
    """Say how many of the proved runs missed a word."""
    default = _default(records)
    missed = sum(record["worst_accuracy"] < 1 for record in _select_proved(default))
    lengths = parse_lengths(default[0]["lengths"])
    return (
        f"Of the proved runs {missed or 'none'} missed a word of lengths {lengths[0]}.."
        f"{lengths[-1]} (512 words at each of {len(lengths)} lengths)."
    )


def variants_table(records: Sequence[Record]) -> Table:
    """Return a row for each variant: runs proved within the steps, of all, and steps (median)."""
    names = list(
        dict.fromkeys(record["language"] for record in records if record["variant"] != DEFAULT)
    )
    seeds = {record["seed"] for record in records if record["variant"] != DEFAULT}
    rows = []
    for (variant,), runs in group_records(records, "variant").items():
        cells = []
        for name in names:
            of_variant = [r for r in runs if r["language"] == name and r["seed"] in seeds]
            steps = [
                record["steps"]
                for record in _select_proved(of_variant)
                if record["steps"] <= MOST_STEPS
            ]
            median = f", {statistics.median(steps):.0f} steps" if steps else ""
            cells.append(f"{len(steps)} of {len(of_variant)}{median}")
        rows.append([variant, *cells])
    return Table(["training", *names], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether a run that was proved right gave a wrong answer."""
    missed = [record for record in _select_proved(records) if record["worst_accuracy"] < 1]
    measured = f"{len(_select_proved(records))} runs proved, of which {len(missed)} missed a word"
    return [Statement("ours", "no run that is proved misses a word", not missed, measured)]


CERTIFICATES = PartsExperiment(
    item="certificates",
    claim="Training with binary memory ends with a proof that holds at every length.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke", languages=("even-pairs",), compared=(), seeds=(0,), lengths="41:43:2"
        ),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Variants": variants_table},
    note=note,
    check=check,
)
