"""The share of words that are in Tomita 4, by length, exactly."""

from collections.abc import Sequence
from itertools import pairwise

from lengthwise.languages.spec import parse
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    preset_catalogue,
)


def measure(longest: int, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each length with the share of members; nothing is drawn."""
    language, records = parse("tomita-4"), list[Record]()
    for length in range(1, longest + 1):
        members = language.counts(length)[1]
        records.append({"length": length, "share": members / language.num_symbols**length})
        progress(length, longest)
    return records


def table(records: Sequence[Record]) -> Table:
    """Return a row for each length."""
    rows = [[str(one["length"]), f"{one['share']:.4f}"] for one in records]
    return Table(["length", "share of words"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Check that long words are rarely members."""
    shares = [one["share"] for one in records]
    return [
        Statement(
            where="by counting",
            says="the longer the word, the rarer a member",
            holds=all(later <= earlier for earlier, later in pairwise(shares)),
            measured=f"from {shares[0]:.2f} down to {shares[-1]:.2g}",
        )
    ]


DENSITY = MeasuredExperiment(
    paper="lengthwise",
    item="density",
    claim="Words without 000 become rare.",
    printed="Nothing: the experiment is our own.",
    presets=preset_catalogue(smoke=10, laptop=100, paper=1_000),
    measure=measure,
    table=table,
    check=check,
)
"""The share of members of Tomita 4."""
