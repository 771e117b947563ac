"""Networks trained on the paper's words, tested on five kinds of words.

The RNN and RegularGPT of Table 1 of Chi et al. (2023), trained on `published` words of three
languages, with fewer steps where these will do. Then five kinds of words, at every length that has
members and non-members: both as either protocol draws them, and words one edit from a published
member, which neither has. Beside each kind stands how many neighbours are alike in its words, which
a network can see without following the word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lengthwise.evaluation.evaluate import answers
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.spec import parse
from lengthwise.models.threads import processor_threads
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise.tasks.audited import one_edit_into
from lengthwise.tasks.task import Task
from lengthwise_papers.chi2023.table1 import MEASURED, trained_and_tested
from lengthwise_papers.chi2023.training import LAPTOP
from lengthwise_papers.experiment import Record, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, trained
from lengthwise_papers.trained import one_digit

COLUMNS = ("rnn", "regular-gpt C=2")
OUTSIDE, INSIDE = 0, 1

Draw = Callable[[Task, Tensor, torch.Generator], Tensor]
"""Words of the wanted lengths, from the task of `published` words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Networks, training, and number of words of the tests."""

    preset: str = "laptop"
    languages: tuple[str, ...] = ("d-2", "d-4", "tomita-3")
    seeds: tuple[int, ...] = (0,)
    words_per_length: int = 64
    settings: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {
            "rnn": {"d_model": 64, "steps": 1_000, "learning_rate": 1e-3},
            "regular-gpt C=2": {"steps": 5_000},
            "d-4, regular-gpt C=2": LAPTOP["d-4, regular-gpt C=2"],
        }
    )
    """Settings of training by column or by `row, column`; others are the model's own."""


def published_members(task: Task, lengths: Tensor, generator: torch.Generator) -> Tensor:
    """Draw members as the paper's code does: half of a batch."""
    batch = task.draw(lengths.repeat(2), generator)
    return batch.tokens[batch.classes == INSIDE]


def uniform(task: Task, lengths: Tensor, generator: torch.Generator, c: int) -> Tensor:
    """Draw uniform words of a class."""
    return task.sampler.draw(torch.full_like(lengths, c), lengths, generator)


def one_edit_from(task: Task, members: Tensor, generator: torch.Generator) -> Tensor:
    """Make a non-member of each member with one edit, as `audited` does."""
    outside = torch.full((len(members),), OUTSIDE)
    words, found = one_edit_into(task.sampler.automaton, members, outside, generator)
    return words[found]


KINDS: Mapping[str, tuple[int, str, Draw]] = {
    "members, published": (INSIDE, "published", published_members),
    "members, audited": (INSIDE, "audited", lambda task, n, g: uniform(task, n, g, INSIDE)),
    "non-members, uniform": (OUTSIDE, "both", lambda task, n, g: uniform(task, n, g, OUTSIDE)),
    "one edit from an audited member": (
        OUTSIDE,
        "audited",
        lambda task, n, g: one_edit_from(task, uniform(task, n, g, INSIDE), g),
    ),
    "one edit from a published member": (
        OUTSIDE,
        "neither",
        lambda task, n, g: one_edit_from(task, published_members(task, n, g), g),
    ),
}
"""The class of each kind of words, the protocol that draws them, and how."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each network."""
    found = []
    for column, spec, seed in product(COLUMNS, sizes.languages, seeds or sizes.seeds):
        plan = make_plan(
            parse(spec),
            MEASURED[column].model,
            preset=sizes.preset,
            options={"protocol": "published"},
            settings={
                "max_length": trained_and_tested(spec)[0],
                **MEASURED[column].settings,
                **sizes.settings.get(column, {}),
                **sizes.settings.get(f"{spec}, {column}", {}),
                "seed": seed,
            },
        )
        settings = {
            "language": spec,
            "model": column,
            "plan": plan.to_dict(),
            "words_per_length": sizes.words_per_length,
        }
        found.append(Part(f"{spec}, {column}, seed {seed}", settings))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return a record for each kind of words, of lengths of training and of longer ones."""
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    longest, (first, last) = trained_and_tested(settings["language"])
    words = settings["words_per_length"]
    records = []
    for low, high in ((longest // 2 + 1, longest), (first, last)):
        for kind, (c, protocol, draw) in KINDS.items():
            own = [n for n in range(low, high + 1) if run.task.classes_at(n) == (OUTSIDE, INSIDE)]
            wanted = torch.tensor(own).repeat_interleave(words)
            tokens = draw(run.task, wanted, torch.Generator().manual_seed(record["seed"]))
            lengths = (tokens >= 0).sum(dim=1)
            with processor_threads(run.plan.threads), torch.no_grad():
                found = answers(run.model, tokens, lengths).argmax(dim=1)
            right = int((found == c).sum())
            records.append(
                {
                    **record,
                    "language": settings["language"],
                    "model": settings["model"],
                    "kind": kind,
                    "member": c == INSIDE,
                    "protocol": protocol,
                    "range": [low, high],
                    "num_lengths": len(own),
                    "words": len(found),
                    "right": right,
                    "interval_95": list(wilson(right, len(found))),
                    **alike_neighbours(tokens),
                    "words_per_length": words,
                }
            )
    return records


def alike_neighbours(tokens: Tensor) -> dict[str, Any]:
    """Measure how many pairs of neighbours are one symbol: the mean share, and 98 of 100 words'."""
    pairs = tokens[:, :-1] >= 0
    alike = (pairs & (tokens[:, :-1] == tokens[:, 1:])).sum(dim=1) / pairs.sum(dim=1)
    ends = alike.quantile(torch.tensor([0.01, 0.99])).tolist()
    return {
        "alike_neighbours": round(float(alike.mean()), 4),
        "alike_from_to": [round(end, 4) for end in ends],
    }


def table(records: Sequence[Record]) -> Table:
    """Return the share of right answers for each language and kind of words, by model."""
    models = list(dict.fromkeys(one["model"] for one in records))
    spans = list(dict.fromkeys(map(_span, records)))
    groups: dict[tuple[str, str], dict[tuple[str, str], Record]] = {}
    for one in records:
        groups.setdefault((one["language"], one["kind"]), {})[one["model"], _span(one)] = one
    rows = []
    for (language, kind), cell in groups.items():
        own = [span for span in spans if (models[0], span) in cell]
        longer = cell[models[0], own[-1]]
        low, high = (round(100 * end) for end in longer["alike_from_to"])
        alike = f"{100 * longer['alike_neighbours']:.0f} ({low} to {high})"
        shares = [
            _share([cell[model, span]]) if (model, span) in cell else ""
            for model, span in product(models, spans)
        ]
        rows.append([language, kind, alike, *shares])
    titles = [f"{MEASURED[model].title}, {span} %" for model, span in product(models, spans)]
    return Table(["language", "words", "neighbours alike %", *titles], rows)


def note(records: Sequence[Record]) -> str:
    """Say how often each kind is judged right at lengths past training, by all networks."""
    longest = _span(records[-1])
    long = [one for one in records if _span(one) == longest]
    kinds = dict.fromkeys(one["kind"] for one in records)
    totals = [f"{_share([one for one in long if one['kind'] == kind])} ({kind})" for kind in kinds]
    seeds = ", ".join(map(str, sorted({one["seed"] for one in records})))
    return (
        f"Right at lengths {longest}, all networks together, %: {', '.join(totals)}. "
        f"{sum(one['words'] for one in records):,} words; seed {seeds}."
    )


def _span(record: Record) -> str:
    first, last = record["range"]
    return f"{first}..{last}"


def _share(records: Sequence[Record]) -> str:
    return one_digit(
        100 * sum(one["right"] for one in records) / sum(one["words"] for one in records)
    )


_SHORT = {"steps": 4, "validate_every": 2}

AUDITED_CLASSES = PartsExperiment(
    item="audited classes",
    claim="Networks trained on published words are right on these, and not on other members.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke",
            languages=("tomita-3",),
            words_per_length=2,
            settings=dict.fromkeys(COLUMNS, _SHORT),
        ),
        laptop=Sizes(),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
)
