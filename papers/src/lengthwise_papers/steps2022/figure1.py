"""Guiding transformers to process in steps (2022), Figure 1: attention of the adder's decoder.

The compiled decoder of one layer and one head adds two 8-bit numbers, in both representations of
section 4. Row i of a matrix is the prediction of the i-th symbol after the inputs: its weight is on
the sources of its gate, half on each if there are two. Our construction claims that at most `LEAK`
goes elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lengthwise.analysis.figures import Picture
from lengthwise.analysis.step_attention import step_attention
from lengthwise.circuits.adders import adder
from lengthwise.constructions.circuits import LEAK, compile_circuit
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    preset_catalogue,
)
from lengthwise_papers.figures import addition_attention_figure

REPRESENTATIONS = (1, 2)

ROUNDING = 1e-5
"""Records have six digits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Bits of a number, and how many pairs of numbers the weights are means over."""

    bits: int
    pairs: int


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each representation: the matrix, and that of the gates' sources."""
    generator = np.random.default_rng(seed)
    inputs = generator.integers(2, size=(sizes.pairs, 2 * sizes.bits)).astype(np.bool_)
    records: list[Record] = []
    for representation in REPRESENTATIONS:
        sequence = adder(sizes.bits, representation)
        matrices = step_attention(compile_circuit(sequence), sequence, inputs)
        records.append({"representation": representation, "bits": sizes.bits, **matrices})
        progress(len(records), len(REPRESENTATIONS))
    return records


def table(records: Sequence[Record]) -> Table:
    """Return a row for each representation: the weight on the sources."""
    rows = []
    for record in records:
        shares, halves = on_sources(record), _least_of_two(record)
        gates = len(record["gates_with_sources"])
        rows.append(
            [
                str(record["representation"]),
                f"{record['bits']} bits",
                f"{gates} of {len(record['gates'])}",
                f"{record['on_sources']:.4f}",
                f"{min(shares):.4f}",
                f"{halves:.4f}",
            ]
        )
    columns = ["representation", "numbers", "gates with sources", "mean weight on sources"]
    return Table([*columns, "least", "least on one of two"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Plot both matrices."""
    by_title = {f"representation {record['representation']}": record for record in records}
    return {"attention": addition_attention_figure(by_title)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 4 says of the figure."""
    least = min(min(on_sources(record)) for record in records)
    half = min(_least_of_two(record) for record in records)
    needed = 1 - LEAK - ROUNDING
    return [
        Statement(
            where="section 4",
            says="the decoder attends to the inputs of each gate, in both representations",
            holds=least >= needed,
            measured=f"at least {least:.4f} of each row is on its sources",
        ),
        Statement(
            where="Figure 1",
            says="and to both equally, if there are two",
            holds=half >= needed / 2,
            measured=f"at least {half:.4f} on each",
        ),
    ]


def on_sources(record: Mapping[str, Any]) -> list[float]:
    """Return the weight on the sources, for each gate that has any."""
    weights, targets = np.array(record["weights"]), np.array(record["targets"])
    rows = record["gates_with_sources"]
    return [float(share) for share in (weights * (targets > 0)).sum(axis=1)[rows]]


def _least_of_two(record: Mapping[str, Any]) -> float:
    """Return the least weight on a source of a gate with two."""
    weights, targets = np.array(record["weights"]), np.array(record["targets"])
    return float(weights[(targets > 0) & (targets < 1)].min())


FIGURE_1 = MeasuredExperiment(
    paper="Guiding transformers to process in steps (2022)",
    item="Figure 1",
    claim="One layer and one head add binary numbers step by step, and attend to the two sources "
    "of each gate.",
    printed="The attention matrices of the hand-coded decoder for 8-bit numbers. They show the "
    "correct patterns of both representations.",
    presets=preset_catalogue(
        smoke=Sizes(bits=3, pairs=8),
        laptop=Sizes(bits=8, pairs=200),
        paper=Sizes(bits=8, pairs=1_000),
    ),
    measure=measure,
    table=table,
    figures=figures,
    check=check,
)
"""Attention of the compiled adder."""
