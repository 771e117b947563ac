"""Guiding transformers to process in steps (2022), Figure 2: attention after training.

The mean attention of a trained decoder, over 100 random inputs, beside that of the compiled one:
8-bit numbers, representation 2, strong supervision. Two numbers say how far they agree: the mean
weight on the two symbols that each gate reads, and the share of gates that have more weight on each
of these than anywhere else. A decoder that looks everywhere alike has little there; another
algorithm than the circuit's may have little, and be right all the same.

The paper does not say with which positions the decoder of the figure was trained. Here are two: one
with learned positions and the usual settings, and one with the hand-coded positions and those that
Table 1 has for them (norms, rate, weight decay). So they differ in more than positions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from lengthwise.analysis.figures import Picture
from lengthwise.analysis.step_attention import step_attention
from lengthwise.circuits.adders import adder
from lengthwise.constructions.circuits import compile_circuit
from lengthwise.models.decoder import Decoder
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.sweeps.sweep import Progress
from lengthwise_papers.cells import one_digit
from lengthwise_papers.experiment import (
    MeasuredExperiment,
    Record,
    Statement,
    Table,
    TrainingWatch,
    preset_catalogue,
)
from lengthwise_papers.figures import addition_attention_figure
from lengthwise_papers.parts import group_records
from lengthwise_papers.steps2022.figure1 import on_sources
from lengthwise_papers.steps2022.table1 import TRAINING_OF

HAND_CODED = "hand-coded"

TRAINED: Mapping[str, Mapping[str, Any]] = {
    "trained, learned positions": {"position": "learned", **TRAINING_OF["learned"]},
    "trained, hand-coded positions": {"position": "one-hot", **TRAINING_OF["one-hot"]},
}
"""Decoder to settings of its training."""

REPRESENTATION = 2


_SMOKE = (("examples", 40), ("validation_words", 8))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Bits of a number, pairs that the weights are means over, and how decoders are trained."""

    bits: int
    pairs: int
    preset: str
    runs: int = 1
    """Number of decoders of each kind; each has the next seed."""
    settings: tuple[tuple[str, Any], ...] = ()


def measure(sizes: Sizes, seed: int, progress: Progress) -> list[Record]:
    """Return a record for each decoder, of the same inputs."""
    plans = [
        (name, plan_of(sizes, seed + place, settings))
        for name, settings in TRAINED.items()
        for place in range(sizes.runs)
    ]
    steps = [plan.training.steps for _, plan in plans]
    to_do = sum(steps) + 1
    runs = [
        train(plan, device="cpu", progress=TrainingWatch(progress, sum(steps[:place]), to_do))
        for place, (_, plan) in enumerate(plans)
    ]
    sequence = adder(sizes.bits, REPRESENTATION)
    generator = np.random.default_rng(seed)
    inputs = generator.integers(2, size=(sizes.pairs, 2 * sizes.bits)).astype(np.bool_)

    def record(name: str, run: Run) -> Record:
        assert isinstance(run.model, Decoder)
        exact = evaluate_and_store(run, {}).values["exact_match"]
        matrices = step_attention(run.model, sequence, inputs)
        return {"decoder": name, "bits": sizes.bits, "exact_match": exact, **matrices}

    records = [record(HAND_CODED, replace(runs[0], model=compile_circuit(sequence)))]
    for (name, plan), run in zip(plans, runs, strict=True):
        settings = plan.settings
        steps_taken = run.metrics[-1]["step"]
        records.append({**record(name, run), "settings": settings, "steps": steps_taken})
    progress(to_do, to_do)
    return records


def plan_of(sizes: Sizes, seed: int, settings: Mapping[str, Any]) -> Plan:
    """Return the plan of a decoder with settings of its own."""
    return make_plan(
        "steps:addition",
        preset=sizes.preset,
        settings={
            "bits": sizes.bits,
            "order": REPRESENTATION,
            "seed": seed,
            **settings,
            **dict(sizes.settings),
        },
    )


def table(records: Sequence[Record]) -> Table:
    """Return a row for each decoder: how right it is, and where it looks."""
    rows = [
        [
            record["decoder"] + (f", seed {_seed(record)}" if _seed(record) else ""),
            f"{record['exact_match']:.4f}",
            f"{record['on_sources']:.4f}",
            f"{min(on_sources(record)):.4f}",
            f"{agreement(record, 1):.4f}",
            f"{agreement(record):.4f}",
        ]
        for record in records
    ]
    columns = ["decoder", "exact match", "mean weight on sources", "least"]
    return Table([*columns, "most weight on a source", "most weight on all sources"], rows)


def agreement(record: Record, places: int | None = None) -> float:
    """Return the share of gates whose greatest weights are on their sources.

    `places` is the number of greatest weights; by default that of the sources. Gates
    without sources are left out.
    """
    weights, targets = np.array(record["weights"]), np.array(record["targets"])
    agreements = []
    for row in record["gates_with_sources"]:
        is_source = targets[row] > 0
        greatest = np.argsort(-weights[row], kind="stable")[: places or is_source.sum()]
        agreements.append(bool(is_source[greatest].all()))
    return float(np.mean(agreements))


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the matrix of the first decoder of each kind."""
    by_title = {
        f"{decoder}, n = {runs[0]['bits']}": runs[0]
        for (decoder,), runs in group_records(records, "decoder").items()
    }
    return {"attention": addition_attention_figure(by_title)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5 says of the figure."""
    return [
        statement
        for (decoder,), runs in group_records(records, "decoder").items()
        if decoder != HAND_CODED
        for statement in _of_trained(decoder, runs)
    ]


def _of_trained(decoder: str, runs: Sequence[Record]) -> list[Statement]:
    """Check the decoders of one kind: their mean resemblance, and whether all are right."""
    alike = [agreement(run) for run in runs]
    blind = np.mean([2 / (place + 1) for place in _places(runs[0])])
    exact = ", ".join(f"{run['exact_match']:.4f}" for run in runs)
    on_their_sources = ", ".join(f"{run['on_sources']:.4f}" for run in runs)
    return [
        Statement(
            where="section 5",
            says="most rows of the decoder resemble those of the hand-coded one",
            variant=decoder,
            runs=len(runs),
            holds=fmean(alike) > 0.5,
            measured="the greatest weights are on the sources in "
            f"{', '.join(one_digit(100 * share) for share in alike)} % of the rows; mean weight on "
            f"sources {on_their_sources}, and {blind:.4f} if all positions had the same",
        ),
        Statement(
            where="section 5",
            says="the decoder is right",
            variant=decoder,
            runs=len(runs),
            holds=all(run["exact_match"] >= 0.999 for run in runs),
            measured=f"exact match {exact} on unseen pairs",
        ),
    ]


def _seed(record: Record) -> int:
    """Return the seed of a trained decoder; 0 for the hand-coded one."""
    return int(record["settings"]["training"]["seed"]) if "settings" in record else 0


def _places(record: Record) -> list[int]:
    """Return the last position that each gate with sources sees."""
    num_inputs = len(record["symbols"]) + 1 - len(record["gates"])
    return [num_inputs - 1 + row for row in record["gates_with_sources"]]


FIGURE_2 = MeasuredExperiment(
    paper="Guiding transformers to process in steps (2022)",
    item="Figure 2",
    claim="A decoder trained on the steps learns to look where the hand-coded one does.",
    printed="The attention matrices of a hand-coded and of a trained decoder for n = 8. Most rows "
    "resemble each other.",
    presets=preset_catalogue(
        smoke=Sizes(bits=3, pairs=8, preset="smoke", settings=_SMOKE),
        laptop=Sizes(bits=8, pairs=100, preset="laptop", runs=3),
        paper=Sizes(bits=8, pairs=100, preset="paper"),
    ),
    measure=measure,
    table=table,
    figures=figures,
    check=check,
)
