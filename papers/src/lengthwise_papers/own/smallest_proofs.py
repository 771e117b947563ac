"""The smallest networks that training ends with a proof: Table 1, groups, and `first`.

For each language and model the width is lowered, from one that is ample, until no seed is proved at
a width; the last one that was is kept. Where none is proved at the two greatest widths, the search
ends without a network. A width is given up, and a seed chosen, by the proof alone: no test word is
looked at before. Supervision is by codes (`codebook`), and trees have one head.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.board.entries import ADDERS
from lengthwise.errors import LengthwiseError
from lengthwise.languages.named_languages import TABLE_1
from lengthwise.languages.spec import parse
from lengthwise.objectives.sizes import num_elements
from lengthwise.problems.base import Plan, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import (
    Part,
    PartsExperiment,
    group_records,
    train_in_folder,
    without_problem,
)

TREE = "regular-gpt-binary"
MODELS = ("relu-binary", "elman-binary", "gru-binary", TREE)

GROUPS = tuple(f"group:{name}" for name in ("S3", "A5", "Z60", "S5"))

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    TREE: {
        **{"objective": "codebook", "noise": 0.0, "precision": "double", "batch_size": 512},
        **{"learning_rate": 1e-2, "schedule": "cosine", "steps": 2_000, "validate_every": 250},
        **{"num_heads": 1, "ff_factor": 2},
    },
}
"""Settings that differ from those of the model; recurrent networks have their own."""

MOST_ELEMENTS = 120
"""Elements of the monoid above which no tree is trained, whose table has a row for each pair."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, widths and seeds."""

    preset: str = "laptop"
    languages: tuple[str, ...] = (*TABLE_1, *GROUPS, *ADDERS.values())
    models: tuple[str, ...] = MODELS
    widths: tuple[int, ...] = (64, 32, 16, 12, 8, 6, 5, 4, 3, 2, 1)
    seeds: Mapping[str, int] | None = None
    """Seeds that a width gets, by model; None for 5, and 3 for trees."""
    lengths: str = "41:470:39"
    words: int = 256


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language and model; the seeds are those of the search."""
    all_parts = []
    for spec in sizes.languages:
        count = num_elements(parse(spec))
        for model in sizes.models:
            if model == TREE and (count is None or count > MOST_ELEMENTS):
                continue
            usual = {TREE: 3}.get(model, 5)
            settings = {
                "language": spec,
                "model": model,
                "preset": sizes.preset,
                "widths": list(sizes.widths),
                "seeds": list(seeds or range((sizes.seeds or {}).get(model, usual))),
                "settings": dict(SETTINGS.get(model, {})),
                "lengths": sizes.lengths,
                "words": sizes.words,
            }
            all_parts.append(Part(f"{spec}, {model}", settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Search, train the smallest once more, certify and test it."""
    best, trials = None, []
    for width in settings["widths"]:
        proved = next(_find_proved(settings, width), None)
        failed = proved.training.seed if proved else len(settings["seeds"])
        trials.append({"d_model": width, "seeds_without_proof": failed, "proved": bool(proved)})
        if proved is not None:
            best = proved
        elif best is not None or len(trials) > 1:
            break
    common: Record = {"language": settings["language"], "model": settings["model"], "tried": trials}
    untested = {"words_per_length": settings["words"], "protocol": None, "interval_95": None}
    if best is None:
        return [{**common, **untested, "seed": None, "verdict": None}]
    run, record = train_in_folder(best, folder)
    certificate = certify(run.model, run.language)
    options = {"lengths": settings["lengths"], "words": settings["words"]}
    values = evaluate_and_store(run, options, stored=False).values
    return [
        {
            **common,
            **record,
            "settings": without_problem(best.to_dict()),
            "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
            "bits": best.network.to_dict()["num_bits"],
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            **{name: values[name] for name in ("worst_accuracy", "interval_95", "protocol")},
            "environment": values["environment"],
            "lengths": settings["lengths"],
            "words_per_length": settings["words"],
        }
    ]


def _find_proved(settings: Mapping[str, Any], width: int) -> Iterator[Plan]:
    """Yield the plans of this width whose training ends with a proof, in the order of seeds."""
    for seed in settings["seeds"]:
        training = {**settings["settings"], "d_model": width, "seed": seed}
        plan = make_plan(
            settings["language"], settings["model"], preset=settings["preset"], settings=training
        )
        try:
            run = train(plan, device="cpu")
            if run.metrics[-1].get("proved") and certify(run.model, run.language).verdict == (
                "equivalent"
            ):
                yield plan
        except LengthwiseError:  # a loss that is not finite
            continue


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language: the smallest proved network of each model."""
    rows = []
    for (language,), runs in group_records(records, "language").items():
        cells = {run["model"]: _cell(run) for run in runs}
        rows.append([language, *(cells.get(model, "not tried") for model in MODELS)])
    return Table(["language", *(f"`{model}`" for model in MODELS)], rows)


def _cell(record: Record) -> str:
    if record["verdict"] != "equivalent":
        return "none"
    return (
        f"{record['parameters']:,} ({record['settings']['network']['d_model']}, {record['bits']})"
    )


def note(records: Sequence[Record]) -> str:
    """Say what the numbers are."""
    return (
        "Parameters of the smallest network that was proved, with its width and bits. A width was "
        "given up when no seed of 5 (3 of trees) was proved. Supervision: codes of states, and of "
        f"chunks for trees, which were tried for up to {MOST_ELEMENTS} elements.{_without(records)}"
    )


def _without(records: Sequence[Record]) -> str:
    """Name the languages whose search is not done."""
    done = {record["language"] for record in records}
    without = [spec for spec in Sizes().languages if spec not in done]
    return f" Not measured yet: {', '.join(without)}." if without else ""


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether each language has a proof, and whether one that is proved was wrong."""
    proved = [record for record in records if record["verdict"] == "equivalent"]
    languages, done = ({record["language"] for record in group} for group in (records, proved))
    missed = [record for record in proved if record["worst_accuracy"] < 1]
    return [
        Statement(
            "ours",
            "every language has a network that is proved",
            languages == done,
            f"{len(done)} of {len(languages)}",
        ),
        Statement(
            "ours",
            "no network that is proved misses a word",
            not missed,
            f"{len(proved)} networks proved, of which {len(missed)} missed a word",
        ),
    ]


SMALLEST_PROOFS = PartsExperiment(
    item="smallest proofs",
    claim="Networks of tens to thousands of parameters are trained to a proof on every language.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            languages=("parity",),
            models=("gru-binary",),
            widths=(8, 4),
            seeds={"gru-binary": 2},
            lengths="5",
            words=8,
        ),
        laptop=Sizes(),
        paper=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
