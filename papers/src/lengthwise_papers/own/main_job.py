"""The three languages of the demo, learned with both memories from at most 40 symbols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from lengthwise.evaluation.scores import percent
from lengthwise.languages.spec import parse
from lengthwise.problems.base import evaluate_and_store
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise_papers.chi2023.published import PUBLISHED
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder

LANGUAGES = ("parity", "even-pairs", "cycle-navigation")
TEST_LENGTHS = range(41, 501)
MODELS = ("regular-gpt", "regular-gpt-binary")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Preset of training, languages, seeds and tests."""

    preset: str
    languages: tuple[str, ...] = LANGUAGES
    seeds: tuple[int, ...] = (0, 1, 2)
    lengths: tuple[int, int] = (TEST_LENGTHS[0], TEST_LENGTHS[-1])
    words: int = 512


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each model, language and seed."""
    all_parts = []
    for model, spec, seed in product(MODELS, sizes.languages, seeds or sizes.seeds):
        plan = make_plan(parse(spec), model, preset=sizes.preset, settings={"seed": seed})
        settings = {"plan": plan.to_dict(), "lengths": sizes.lengths, "words": sizes.words}
        all_parts.append(Part(f"{spec}, {model}, seed {seed}", settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run and test it at all lengths."""
    first, last = settings["lengths"]
    run, record = train_in_folder(plan_from_dict(settings["plan"]), folder)
    options = {"lengths": range(first, last + 1), "words": settings["words"]}
    evaluation = evaluate_and_store(run, options)
    assert evaluation.printed is not None
    by_length = {str(n): share for n, share in evaluation.printed["accuracy_by_length"].items()}
    model = {"model": run.plan.model, "accuracy_by_length": by_length}
    return [{**record, **evaluation.values, **model, "seed": record["seed"]}]


def table(records: Sequence[Record]) -> Table:
    """Return mean and worst length over seeds, beside the paper, by language and model."""
    rows = []
    for (language, model), runs in group_records(records, "language", "model").items():
        means = [percent(pick(run["mean_accuracy"] for run in runs)) for pick in (min, max)]
        printed = PUBLISHED[language, "regular-gpt C=2"]
        rows.append(
            [
                language,
                f"`{model}`",
                f"{runs[0]['supervision']}, {runs[0]['protocol']}",
                " to ".join(dict.fromkeys(means)),
                percent(min(run["worst_accuracy"] for run in runs)),
                f"{max(100 * max(run['shortcuts'].values()) for run in runs):.1f}",
                f"{printed.best} / {printed.mean}",
            ]
        )
    columns = ["language", "model", "supervision, words", "mean %", "worst length %"]
    return Table([*columns, "shortcut %", "paper %"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether binary memory is always right."""
    worst = min((r["worst_accuracy"] for r in records if r["model"] == MODELS[1]), default=1.0)
    says = "with binary memory every word is right, for every language and seed"
    return [Statement("ours", says, worst == 1, f"{percent(worst)} % at the worst length")]


MAIN_JOB = PartsExperiment(
    item="main job",
    claim="Three languages, learned from at most 40 symbols, are right at 41 to 500.",
    printed="Table 1 of Chi et al. (2023), best and mean over seeds.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", languages=("parity",), seeds=(0,), lengths=(41, 44), words=4),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
