"""Chiang & Cholak (2022), Figure 3: sensitivity of the network for PARITY to its count weight.

The weight (6, 2) of the first head's value matrix is 1: with it the head stores k/n, where k is the
number of ones. We take the network with layer norm, epsilon = 0 and the layer of Proposition 2, and
set the weight to w. The paper does not say which words it asks about; we take uniform bits, of each
length n as many weights, within w = 1 -+ `SPREAD`/n.

What to expect. The network compares w k with the places, and answers for the nearest one. So all is
right as long as |w - 1| k < 1/2 for all words, and all is wrong where the count is off by one place
in each, about |w - 1| = 1/k = 2/n; right again at 4/n, and so on, less and less sharply, since
words differ in k. A wrong answer is as sure as a right one: with eta = 0.001 it costs
log2(1 + 1/(exp(eta) - 1)) = 9.97 bits, and a right one 0.0014, so that the curve of the paper,
which begins at 0, goes from one to the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from lengthwise.analysis.figures import Picture
from lengthwise.constructions.parity import compile_confident_parity
from lengthwise.languages.spec import parse
from lengthwise.sweeps.sweep import Progress
from lengthwise.tasks.automaton import Automaton
from lengthwise_papers.chiang2022.answers import answers, random_words
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    count_steps,
    preset_catalogue,
)
from lengthwise_papers.figures import sensitivity_figure

ETA = 1e-3
"""Cross-entropy of a right answer in nats."""

SPREAD = 10.0
"""Weights differ from 1 by up to SPREAD / n: for k = n/2 the count is off by up to 5 places."""

ROUNDING = 1e-9
"""Bits by which float64 may miss eta."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Lengths of words, how many, and how many weights on each side of 1."""

    lengths: tuple[int, ...]
    words: int
    steps: int


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each length and weight; all weights see the same words."""
    generator = torch.Generator().manual_seed(seed)
    automaton = Automaton(parse("parity"))
    advance = count_steps(progress, (2 * sizes.steps + 1) * sizes.words * sum(sizes.lengths))
    records: list[Record] = []
    for length in sizes.lengths:
        step = SPREAD / length / sizes.steps
        weights = [round(1 + i * step, 12) for i in range(-sizes.steps, sizes.steps + 1)]
        networks = {w: compile_confident_parity(eta=ETA, count_weight=w) for w in weights}
        batches = list(random_words(length, sizes.words, generator))
        common = {
            "length": length,
            "words": sizes.words,
            "most_ones": max(int(words.sum(dim=1).max()) for words in batches),
            "eta": ETA,
        }
        for weight, answer in answers(networks, automaton, batches, advance).items():
            records.append({**common, "weight": weight, **answer._asdict()})
    return records


def table(records: Sequence[Record]) -> Table:
    """Return a row for each length: what the right weight gives, and how far it is right."""
    rows = []
    for length, curve in _curves(records).items():
        right = _at_one(curve)
        rows.append(
            [
                f"{length:,}",
                f"{right['words']:,}",
                f"{right['bits']:.5f}",
                f"{100 * right['accuracy']:g}",
                f"{_reach(curve):.5f}",
                f"{_first_wrong(curve):.5f}",
                f"{_half_a_place(curve):.5f}",
                str(_crossings(curve)),
            ]
        )
    columns = ["symbols", "words", "bits at 1", "accuracy at 1 %", "all right in 1 ±"]
    return Table([*columns, "some wrong at 1 ±", "half a place", "passes 1 bit"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw bits and accuracy by weight, a column for each length."""
    curves = {f"{length:,} symbols": curve for length, curve in _curves(records).items()}
    return {"sensitivity": sensitivity_figure(curves)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what the caption and section 5.1 says."""
    curves = _curves(records)
    ones = [_at_one(curve) for curve in curves.values()]
    eta = ones[0]["eta"] / math.log(2)
    least = min(record["bits"] for record in records)
    crossings = [_crossings(curve) for curve in curves.values()]
    return [
        Statement(
            where="section 5.1",
            says="at 1, it has a cross-entropy of 0 and accuracy of 1, which are both optimal",
            holds=all(
                record["accuracy"] == 1 and record["bits"] <= min(eta, least) + ROUNDING
                for record in ones
            ),
            measured=f"{max(one['bits'] for one in ones):.5f} bits, where eta = {ones[0]['eta']:g} "
            f"nats are asked for, and accuracy {min(one['accuracy'] for one in ones):g}",
        ),
        Statement(
            where="Figure 3",
            says="cross-entropy and accuracy are both extremely sensitive to the weight",
            holds=all(_first_wrong(curve) <= 1.5 / length for length, curve in curves.items()),
            measured="; ".join(
                f"{length:,} symbols: all right in 1 ± {_reach(curve):.5f}, some wrong at "
                f"1 ± {_first_wrong(curve):.5f}; the count is off by half a place at "
                f"1 ± {_half_a_place(curve):.5f}"
                for length, curve in curves.items()
            ),
        ),
        Statement(
            where="section 5.1",
            says="the cross-entropy oscillates rapidly",
            holds=max(crossings) >= 4,
            measured="; ".join(
                f"{length:,} symbols: it passes 1 bit {count} times in 1 ± {SPREAD / length:g}"
                for length, count in zip(curves, crossings, strict=True)
            ),
        ),
    ]


def _curves(records: Sequence[Record]) -> dict[int, list[Record]]:
    """Return the records of each length, by weight."""
    by_length: dict[int, list[Record]] = {}
    for record in sorted(records, key=lambda record: record["weight"]):
        by_length.setdefault(record["length"], []).append(record)
    return dict(sorted(by_length.items()))


def _at_one(curve: Sequence[Record]) -> Record:
    return next(record for record in curve if record["weight"] == 1)


def _first_wrong(curve: Sequence[Record]) -> float:
    """Return the least |w - 1| at which a word is wrong."""
    return min((_off(record) for record in curve if record["accuracy"] < 1), default=math.inf)


def _reach(curve: Sequence[Record]) -> float:
    """Return the greatest |w - 1| up to which no word is wrong, on either side."""
    limit = _first_wrong(curve)
    return max((_off(record) for record in curve if _off(record) < limit), default=0.0)


def _half_a_place(curve: Sequence[Record]) -> float:
    """Return the |w - 1| at which the count of the word with most ones is off by half."""
    return 1 / (2 * max(record["most_ones"] for record in curve))


def _off(record: Record) -> float:
    return round(abs(record["weight"] - 1), 12)


def _crossings(curve: Sequence[Record]) -> int:
    """Count how often the curve passes 1 bit, which is what a guess costs."""
    above = [record["bits"] > 1 for record in curve]
    return sum(before != after for before, after in pairwise(above))


FIGURE_3 = MeasuredExperiment(
    paper="Chiang & Cholak (2022)",
    item="Figure 3",
    claim="The exact network for PARITY is isolated: a count weight that is off by 1/n already "
    "makes answers wrong.",
    printed="Curves over the weight that computes k/n, which must be 1. Cross-entropy and accuracy "
    "are both extremely sensitive to it; at 1 they are 0 and 1, which are both optimal.",
    presets=preset_catalogue(
        smoke=Sizes(lengths=(100,), words=10, steps=20),
        laptop=Sizes(lengths=(100, 1_000), words=200, steps=100),
        paper=Sizes(lengths=(100, 1_000), words=1_000, steps=200),
    ),
    measure=measure,
    table=table,
    figures=figures,
    check=check,
)
"""Sensitivity of the network for PARITY to one weight."""
