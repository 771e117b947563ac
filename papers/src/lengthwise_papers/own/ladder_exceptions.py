"""Other training for what two layers do not carry on the ladder, though theory expects it.

In `own/ladder`, decoders of two layers fit words of at most 40 symbols of `(ab)*` and `d-2`, which
are in C-RASP, and lose longer ones. There training ends after two perfect validations, often by
half of its steps, and with a high rate. Here the same networks are trained to the last step, for
twice as many, with logits that are scaled otherwise, and with a third layer. All else is as there:
words, labels (those of every prefix), tests, seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.ladder import CARRIED, LADDER, NETWORKS, measure, part
from lengthwise_papers.own.ladder import Sizes as LadderSizes
from lengthwise_papers.parts import Part, PartsExperiment, grouped
from lengthwise_papers.trained import from_to

LANGUAGES = ("regex:(ab)*", "d-2")

BASE = "2 layers"
"""The network of `own/ladder`."""

_TO_THE_END: Mapping[str, Any] = {"patience": 0}

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    BASE: {},
    "2 layers, to the last step": _TO_THE_END,
    "2 layers, to twice the last step": {**_TO_THE_END, "steps": 6_000},
    "2 layers, logits not scaled": {**_TO_THE_END, "scale": "standard"},
    "2 layers, scale learned": {**_TO_THE_END, "scale": "learned-log"},
    "3 layers, to the last step": {**_TO_THE_END, "num_layers": 3},
}
"""Each variant, and its settings beside those of `own/ladder`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, variants, seeds, and the sizes of `own/ladder`."""

    languages: tuple[str, ...] = LANGUAGES
    variants: tuple[str, ...] = tuple(VARIANTS)
    seeds: tuple[int, ...] = (0, 1, 2)
    ladder: LadderSizes = field(default_factory=LadderSizes)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each seed, variant and language."""
    model, own = NETWORKS[BASE]
    found = []
    for seed in seeds or sizes.seeds:
        for variant in sizes.variants:
            for language in sizes.languages:
                training = {**own, **sizes.ladder.training, **VARIANTS[variant], "seed": seed}
                told = {"rung": "c_rasp", "language": language, "training": training}
                found.append(part(language, variant, {**told, "model": model}, sizes.ladder))
    return found


def table(records: Sequence[Record]) -> Table:
    """Return a row for each language and variant: runs that fit, runs that carry, and accuracy."""
    rows = []
    for (language, variant), runs in grouped(records, "language", "network").items():
        longest = [100 * list(one["accuracy_by_length"].values())[-1] for one in runs]
        means = [100 * one["mean_accuracy"] for one in runs]
        rows.append(
            [
                f"`{language}`",
                variant,
                from_to([one["steps"] for one in runs]),
                f"{sum(one['fits'] for one in runs)} of {len(runs)}",
                f"{sum(one['carries'] for one in runs)} of {len(runs)}",
                f"{min(means):.1f} to {max(means):.1f}",
                f"{min(longest):.1f} to {max(longest):.1f}",
            ]
        )
    columns = ["language", "network", "steps", "fit training lengths", "carry"]
    return Table([*columns, "% at 41 to 500", "% at the longest"], rows)


def note(records: Sequence[Record]) -> str:
    """Say what was told and tested."""
    first, seeds = records[0], sorted({one["seed"] for one in records})
    return (
        f"Told: the class of every prefix, words of lengths {first['trained_on']}. Seeds "
        f"{', '.join(map(str, seeds))}; {first['words_per_length']} audited words at each of the "
        f"lengths {first['lengths']}. A run carries if {100 * CARRIED:.0f} % are right."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether some variant carries where the network of the ladder does not."""
    told = [
        f"{language}, {variant}: {sum(one['carries'] for one in runs)} of {len(runs)}"
        for (language, variant), runs in grouped(records, "language", "network").items()
        if any(one["carries"] for one in runs)
    ]
    helped = {one["language"] for one in records if one["carries"] and one["network"] != BASE}
    says = "trained otherwise, some run carries each language that two layers lose"
    holds = helped == {one["language"] for one in records}
    return [Statement("ours", says, holds, "; ".join(told) or "no run carries")]


LADDER_EXCEPTIONS = PartsExperiment(
    item="ladder exceptions",
    claim="What two layers fit and do not carry on the ladder they carry if trained otherwise.",
    presets=preset_catalogue(
        smoke=Sizes(
            languages=LANGUAGES[:1],
            variants=(BASE, "3 layers, to the last step"),
            seeds=(0,),
            ladder=LADDER.presets["smoke"],
        ),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
