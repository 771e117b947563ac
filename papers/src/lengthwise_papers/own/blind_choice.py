"""Settings of the tables of Chi et al. (2023), chosen without sight of the tested lengths.

Three settings of ours had been chosen by what the tests showed, and a fourth, that of the rows that
C = 3 learns slowly, by validation: beta2 = 0.95, dropout twice, and more steps at half the rate.
Here each is chosen again, and the tables have what was chosen: networks are trained on the shorter
of the training lengths, and their answers on the longer ones, on which the tables train as well,
decide. The seeds are others than those of the tables. The candidate that is right on most words is
chosen; of two that are equal there, the one with the lower cross-entropy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch

from lengthwise.evaluation.scores import percent, wilson
from lengthwise.languages.spec import parse
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise_papers.chi2023.table1 import trained_and_tested
from lengthwise_papers.chi2023.training import (
    DRIFTING,
    GROWING_BY_MUON,
    LAPTOP,
    LONGER,
    NOISIER,
    SLOW,
)
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, grouped, trained


class Question(NamedTuple):
    """A setting of a table, with the values that it could have."""

    model: str
    rows: Mapping[str, tuple[str, Mapping[str, Any]]]
    """Rows of the table: the language and the settings of each."""
    candidates: Mapping[str, Mapping[str, Any]]
    before: str
    """The candidate that the table had before."""
    in_table: str
    """The candidate with which the records of the table are made."""
    short: int
    """Longest word of training here."""


QUESTIONS: Mapping[str, Question] = {
    "Table 1, RNN": Question(
        "elman",
        {
            row: (row, {"patience": 0})
            for row in ("even-pairs", "parity", "cycle-navigation", "tomita-5", "tomita-6")
        },
        {f"beta2 = {beta2}": {**LAPTOP["rnn"], "beta2": beta2} for beta2 in (0.999, 0.95)},
        before="beta2 = 0.95",
        in_table="beta2 = 0.95",
        short=20,
    ),
    "Table 1, RegularGPT C = 3": Question(
        "regular-gpt",
        {row: (row, {"chunk": 3}) for row in DRIFTING},
        {"usual": {}, "longer, dropout": NOISIER, "growing words": GROWING_BY_MUON},
        before="longer, dropout",
        in_table="longer, dropout",
        short=10,
    ),
    "Table 1, RegularGPT C = 3, slow rows": Question(
        "regular-gpt",
        {row: (row, {"chunk": 3}) for row in SLOW},
        {"longer, half the rate": LONGER, "growing words": GROWING_BY_MUON},
        before="longer, half the rate",
        in_table="longer, half the rate",
        short=10,
    ),
    "Table 2, RegularGPT C = 2": Question(
        "regular-gpt",
        {
            f"P(1) = {share}": ("parity", {"chunk": 2, "p_one": share})
            for share in (0.1, 0.3, 0.5, 0.7, 0.9)
        },
        {
            **{"usual": {}, "longer": {"steps": 10_000}},
            **{"dropout": {"dropout": 0.1}, "growing words": GROWING_BY_MUON},
        },
        before="dropout",
        in_table="growing words",
        short=10,
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Questions, seeds, and how many words decide."""

    preset: str
    questions: tuple[str, ...] = tuple(QUESTIONS)
    seeds: tuple[int, ...] = (10, 11, 12)
    words: int = 16_384
    more: Mapping[str, Any] | None = None
    """Settings of all runs."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each seed, question, candidate and row."""
    found = []
    for seed in seeds or sizes.seeds:
        for asked in sizes.questions:
            question = QUESTIONS[asked]
            for candidate, own in question.candidates.items():
                for row, (language, of_row) in question.rows.items():
                    longest, _ = trained_and_tested(row)
                    settings = {**of_row, **own, "max_length": question.short, "seed": seed}
                    plan = make_plan(
                        parse(language),
                        question.model,
                        preset=sizes.preset,
                        options={"protocol": "published"},
                        settings={**settings, **(sizes.more or {})},
                    )
                    about = {
                        **{"question": asked, "candidate": candidate, "row": row},
                        **{"plan": plan.to_dict(), "words": sizes.words, "longest": longest},
                    }
                    found.append(Part(f"{asked}, {candidate}, {row}, seed {seed}", about))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a network on short words, and try it on the longer words of training."""
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    plan = run.require_plan()
    lengths = {"min_length": plan.data.max_length + 1, "max_length": settings["longest"]}
    at_once = {"curriculum": 0, "order": "as-drawn", "validation_words": settings["words"]}
    longer = replace(plan.data, **lengths, **at_once)  # all lengths, of a curriculum's learner, too
    objective = plan.problem.objective(replace(plan, data=longer))
    with torch.no_grad():
        found = objective.validate(run.model, torch.Generator().manual_seed(record["seed"]))
    told = {name: settings[name] for name in ("question", "candidate", "row", "words")}
    tried = {"accuracy": found.accuracy, "loss": found.loss, "lengths": list(lengths.values())}
    how = {
        "protocol": longer.protocol,
        "interval_95": list(wilson(round(found.accuracy * settings["words"]), settings["words"])),
        "words_per_length": None,  # lengths are mixed
    }
    return [{**record, **told, **tried, **how}]


def _mean(runs: Sequence[Record], name: str) -> float:
    return fmean(one[name] for one in runs)


def chosen(records: Sequence[Record]) -> dict[str, str]:
    """Return the candidate that is chosen for each question, if all of them were tried alike."""
    found = {}
    for (asked,), of_question in grouped(records, "question").items():
        tried = {name: runs for (name,), runs in grouped(of_question, "candidate").items()}
        alike = {tuple(sorted((one["row"], one["seed"]) for one in of)) for of in tried.values()}
        ranks = {name: (_mean(of, "accuracy"), -_mean(of, "loss")) for name, of in tried.items()}
        if len(alike) == 1 and tried.keys() == QUESTIONS[asked].candidates.keys():
            found[asked] = max(ranks, key=lambda name: ranks[name])
    return found


def table(records: Sequence[Record]) -> Table:
    """Return a row for each candidate."""
    picked, rows = chosen(records), []
    for (asked, candidate), runs in grouped(records, "question", "candidate").items():
        by_row = grouped(runs, "row")
        worst = min(by_row, key=lambda row: _mean(by_row[row], "accuracy"))
        first = min(one["lengths"][0] for one in runs)
        last = max(one["lengths"][1] for one in runs)
        rows.append(
            [
                asked,
                candidate,
                f"{first} to {last}",
                str(len(runs)),
                percent(_mean(runs, "accuracy")),
                f"{_mean(runs, 'loss'):.2g}",
                f"{worst[0]}: {percent(_mean(by_row[worst], 'accuracy'))}",
                "yes" if QUESTIONS[asked].before == candidate else "",
                "yes" if picked.get(asked) == candidate else "",
                "yes" if QUESTIONS[asked].in_table == candidate else "",
            ]
        )
    columns = ["question", "candidate", "lengths that decide", "runs", "% right", "cross-entropy"]
    return Table([*columns, "worst row %", "before", "chosen", "in the table"], rows)


def note(records: Sequence[Record]) -> str:
    """Say on how many words a choice rests."""
    seeds = sorted({one["seed"] for one in records})
    return (
        f"Each run is tried on {records[0]['words']:,} words; means are over rows and the seeds "
        f"{', '.join(map(str, seeds))}. Told: labels of whole words, `published`."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say of each question that is decided whether the table has the setting that is chosen."""
    return [
        Statement(
            asked,
            "the table has the setting that training lengths alone choose",
            QUESTIONS[asked].in_table == name,
            f"{name}; the table has {QUESTIONS[asked].in_table}",
        )
        for asked, name in chosen(records).items()
    ]


BLIND_CHOICE = PartsExperiment(
    item="settings chosen blindly",
    claim="Longer words of training tell which settings carry.",
    printed="Nothing: the papers do not say how settings were chosen.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            questions=("Table 1, RNN",),
            seeds=(10,),
            words=16,
            more={"steps": 4, "validate_every": 2},
        ),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="laptop"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
