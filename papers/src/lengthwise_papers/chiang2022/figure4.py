"""Chiang & Cholak (2022), Figure 4: FIRST learned on short words, tested on words of 1000 symbols.

The encoder has the shape of the exact one (two layers, one head), width 16, 64 hidden units,
post-norm, torch's initial weights, Adam with rate 3e-4, and sees one word at a step, 100 steps to
an epoch. As in the paper's code, both layers begin alike, and all training words of a curve have
the same number n of symbols. Curves are means over runs: cross-entropy and accuracy on the test
words, and the attention of CLS on the first symbol, added up over layers.

The paper says that positions are those of the exact solution, a fixed 1 at the first symbol, as in
the last version of its code. An early version has a learned map of three features of the place.
Both are here: with scaling all runs carry with the early map, as in the paper's figure; with the
fixed ones some do not, or have not learned after the paper's 100 epochs.

Two other ways to scale are ours, with fixed positions alone: log n times a factor that is learned,
and log n with initial weights by which the logits begin about as large as unscaled ones.

Runs are tested after some epochs, and nothing is chosen by what the tests show. Each is a part of
its own, and takes a minute.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from lengthwise.analysis.figures import Picture
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.languages.spec import parse
from lengthwise.models.encoder import Encoder
from lengthwise.objectives.final import FinalLoss
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.task import Batch
from lengthwise.training.devices import environment
from lengthwise.training.loop import Validation, fit
from lengthwise_papers.cells import one_digit
from lengthwise_papers.experiment import Record, Statement, Table, decide, preset_catalogue
from lengthwise_papers.figures import learning_figure
from lengthwise_papers.parts import Part, PartsExperiment, group_records, without_problem

_AT_ONCE = 4
"""Test words that are computed together: more would not fit into the caches of a processor."""

STEPS = 100
"""Steps of an epoch, of a word each."""

POSITIONS = {"first": "fixed", "first-early": "early"}
"""Position to what it is called: a fixed 1 at the first symbol, or the map of the early code."""


class Way(NamedTuple):
    """One way to scale the logits of attention."""

    title: str
    scale: str
    initial: str = "torch-copies"


SCALES = {
    "standard": Way("standard", "standard"),
    "log-length": Way("scaled by log n", "log-length"),
}
"""The two ways of the paper, by the name that records have."""

TRIED = {
    "learned-log": Way("scaled by a learned multiple of log n", "learned-log"),
    "log-length, small": Way(
        "scaled by log n, small logits at first", "log-length", "torch-copies-small"
    ),
}
"""Other ways, which are tried with fixed positions."""

WAYS = {**SCALES, **TRIED}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Training: lengths and epochs; tests: how often, and on how many words."""

    seeds: tuple[int, ...] = tuple(range(20))
    lengths: tuple[int, ...] = (10, 30, 100, 300)
    tried: int = 5
    """Number of the seeds with which other ways to scale are tried."""
    epochs: int = 100
    epochs_between_tests: int = 1
    test_words: int = 100
    test_length: int = 1_000


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each run of each curve."""
    all_parts = []
    every = [*product(POSITIONS, SCALES, sizes.lengths, seeds or sizes.seeds)]
    of_others = seeds or sizes.seeds[: sizes.tried]
    every += product([*POSITIONS][:1], TRIED, sizes.lengths, of_others)
    for position, scale, length, seed in every:
        settings = {
            **{"position": position, "scale": scale, "length": length, "seed": seed},
            **{"test_words": sizes.test_words, "test_length": sizes.test_length},
            "plan": plan_of_run(sizes, position, scale, length, seed).to_dict(),
        }
        name = f"{POSITIONS[position]} positions, {WAYS[scale].title}, n = {length}, seed {seed}"
        all_parts.append(Part(name, settings))
    return all_parts


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a run; return what it answers after each tested epoch."""
    plan = plan_from_dict(settings["plan"])

    class Tested(FinalLoss):
        """FIRST on uniform words, looked at on longer ones."""

        def draw(self, data: torch.Generator) -> Batch:
            lengths = self._lengths.draw(1, data)
            words = torch.randint(2, (1, int(lengths)), generator=data)
            return Batch(tokens=words, lengths=lengths, classes=words[:, 0])

        def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
            return measure_answers(model, settings["test_words"], settings["test_length"], data)

    tests = fit(plan.draw(), Tested(plan.task, plan.data), plan.training)
    return [
        {
            **{name: value for name, value in settings.items() if name != "plan"},
            "settings": without_problem(settings["plan"]),
            "environment": environment("cpu"),
            "epochs": [test["step"] // STEPS for test in tests],
            "bits": [round(test["validation_loss"] / math.log(2), 9) for test in tests],
            "accuracy": [test["validation_accuracy"] for test in tests],
            "attention": [round(test["attention"], 9) for test in tests],
        }
    ]


def plan_of_run(sizes: Sizes, position: str, scale: str, length: int, seed: int) -> Plan:
    """Return the plan of one run of a curve."""
    return make_plan(
        parse("first"),
        "encoder-cls",
        settings={
            "seed": seed,
            "initial": WAYS[scale].initial,
            "num_heads": 1,
            "position": position,
            "scale": WAYS[scale].scale,
            "min_length": length,
            "max_length": length,
            "batch_size": 1,
            "steps": sizes.epochs * STEPS,
            "validate_every": sizes.epochs_between_tests * STEPS,
            "learning_rate": 3e-4,
            "schedule": "constant",
            "patience": 0,
            "clip": 1e30,  # the paper does not clip
        },
    )


@torch.no_grad()
def measure_answers(
    model: nn.Module, num_words: int, length: int, generator: torch.Generator
) -> Validation:
    """Measure cross-entropy (nats), accuracy and attention to the first symbol."""
    assert isinstance(model, Encoder)
    words = torch.randint(2, (num_words, length), generator=generator)
    right = Automaton(parse("first")).classify(words)
    parts = [model.observe(part) for part in torch.split(words, _AT_ONCE)]
    logits = torch.cat([answer for answer, _ in parts]).double()
    weights = torch.cat([seen[..., 1] for _, seen in parts], dim=1)
    attention = weights.mean(dim=(1, 2)).sum()
    return Validation(
        loss=F.cross_entropy(logits, right).item(),
        accuracy=(answer_of(logits) == right).double().mean().item(),
        perfect=False,
        more={"attention": attention.item()},
    )


class Curve(NamedTuple):
    """The runs of one curve after each tested epoch."""

    runs: Sequence[Record]

    @property
    def epochs(self) -> list[int]:
        """The tested epochs, which are the same for all runs."""
        return list(self.runs[0]["epochs"])

    def means(self, what: str) -> list[float]:
        """Return the mean over runs after each tested epoch."""
        return [fmean(values) for values in zip(*(run[what] for run in self.runs), strict=True)]

    def end(self, what: str) -> float:
        """Return the mean over runs after the last epoch."""
        return fmean(self.ends(what))

    def ends(self, what: str) -> list[float]:
        """Return the value of each run after the last epoch."""
        return [run[what][-1] for run in self.runs]


def curves(records: Sequence[Record]) -> dict[tuple[str, str, int], Curve]:
    """Return the curves by position, scale and training length."""
    groups = group_records(records, "position", "scale", "length")
    return {key: Curve(runs) for key, runs in groups.items()}


def table(records: Sequence[Record]) -> Table:
    """Return a row for each curve: what it comes to in the end."""
    rows = []
    for (position, scale, length), curve in curves(records).items():
        run, right = curve.runs[0], curve.ends("accuracy")
        rows.append(
            [
                POSITIONS[position],
                WAYS[scale].title,
                f"{length}",
                f"{run['test_words']}, of {run['test_length']:,} symbols",
                f"{curve.epochs[-1]}",
                f"{curve.end('bits'):.4f}",
                one_digit(100 * curve.end("accuracy")),
                f"{right.count(1)} of {len(right)}",
                one_digit(100 * min(right)),
                f"{curve.end('attention'):.3f}",
            ]
        )
    columns = ["positions", "attention", "trained on n =", "words of a test", "epochs", "bits"]
    columns += ["accuracy %", "runs without an error", "worst run %"]
    return Table([*columns, "weight on the first symbol (sum of two layers)"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw bits, accuracy and attention by epoch, standard beside scaled, for both positions.

    Other ways to scale are in the table alone.
    """
    panels: dict[str, dict[str, list[Record]]] = {}
    for (position, scale, length), curve in curves(records).items():
        means = {figure: curve.means(figure) for figure in ("bits", "accuracy", "attention")}
        if scale in TRIED:
            continue
        title = f"{SCALES[scale].title}, {POSITIONS[position]} positions"
        panels.setdefault(title, {})[f"n = {length}"] = [
            {"epoch": epoch, **{figure: values[place] for figure, values in means.items()}}
            for place, epoch in enumerate(curve.epochs)
        ]
    return {"learning": learning_figure(panels)}


def check(records: Sequence[Record]) -> list[Statement]:
    """Check what section 5.1, 5.3 and 5.4 says, of either kind of positions."""
    by_length: dict[str, dict[str, dict[int, Curve]]] = {}
    for (position, scale, length), curve in curves(records).items():
        by_length.setdefault(position, {}).setdefault(scale, {})[length] = curve
    found = [
        statement._replace(
            variant=f"{POSITIONS[position]} positions",
            runs=_fewest(of_scale[key] for key in SCALES),
        )
        for position, of_scale in by_length.items()
        if of_scale.keys() >= SCALES.keys()
        for statement in _statements(of_scale["standard"], of_scale["log-length"])
    ]
    for position, of_scale in by_length.items():
        for key in (each for each in TRIED if each in of_scale):
            variant = f"{POSITIONS[position]} positions, {TRIED[key].title}"
            missing = of_scale.get("log-length", {}).keys() - of_scale[key].keys()
            found += [
                statement._replace(variant=variant, runs=_fewest([of_scale[key]]))
                for statement in _with_scaling(of_scale[key], sorted(missing))
            ]
    return found


def _statements(plain: Mapping[int, Curve], scaled: Mapping[int, Curve]) -> list[Statement]:
    """Check the ends of curves, by training length."""
    shortest, both_lengths = min(plain), [n for n in plain if n in scaled]
    return [
        Statement(
            where="section 5.1",
            says="without scaling the accuracy on 1000 symbols is not perfect",
            holds=all(curve.end("accuracy") < 1 for curve in plain.values()),
            measured=_accuracies(plain),
        ),
        Statement(
            where="section 5.1",
            says=f"for training n = {shortest} it is hardly better than random guessing",
            holds=plain[shortest].end("accuracy") < 0.65,
            measured=f"{one_digit(100 * plain[shortest].end('accuracy'))} %",
        ),
        Statement(
            where="section 5.2",
            says="without scaling, the lower n is, the less attention the first symbol has",
            holds=_is_increasing(plain[n].end("attention") for n in sorted(plain)),
            measured=", ".join(f"n = {n}: {plain[n].end('attention'):.3f}" for n in sorted(plain)),
        ),
        *_with_scaling(scaled),
        Statement(
            where="section 5.3",
            says="scaling brings more attention to the first symbol",
            holds=all(scaled[n].end("attention") > plain[n].end("attention") for n in both_lengths),
            measured=", ".join(
                f"n = {n}: {plain[n].end('attention'):.3f} and "
                f"{scaled[n].end('attention'):.3f} with it"
                for n in both_lengths
            ),
        ),
    ]


def _is_increasing(values: Iterable[float]) -> bool:
    return all(before < after for before, after in pairwise(values))


def _with_scaling(scaled: Mapping[int, Curve], missing: Sequence[int] = ()) -> list[Statement]:
    """Check the ends of curves with scaling, of which some may be missing."""
    bits = [f"n = {n}: {curve.end('bits'):.4f} bits" for n, curve in scaled.items()]
    left_out = [f"not run: {', '.join(f'n = {n}' for n in missing)}"] if missing else []
    perfect = all(curve.end("accuracy") >= 0.9995 for curve in scaled.values())
    low = all(curve.end("bits") < 0.05 for curve in scaled.values())
    return [
        Statement(
            where="section 5.4",
            says="with scaling the test accuracy is perfect for all training lengths",
            holds=decide(perfect, missing=bool(missing)),
            measured="; ".join([_accuracies(scaled), *left_out]),
        ),
        Statement(
            where="section 5.4",
            says="and so is the cross-entropy",
            holds=decide(low, missing=bool(missing)),
            measured="; ".join([", ".join(bits), *left_out]),
        ),
    ]


def _fewest(of_scale: Iterable[Mapping[int, Curve]]) -> int:
    """Return the fewest runs of a curve."""
    return min(len(curve.runs) for by_length in of_scale for curve in by_length.values())


def _accuracies(by_length: Mapping[int, Curve]) -> str:
    return ", ".join(
        f"n = {n}: {one_digit(100 * curve.end('accuracy'))} %" for n, curve in by_length.items()
    )


FIGURE_4: PartsExperiment[Sizes] = PartsExperiment(
    paper="Chiang & Cholak (2022)",
    item="Figure 4",
    claim="FIRST, learned on short words, generalises to 1000 symbols if attention is scaled by "
    "log n.",
    printed="Curves over epochs, means of 20 runs. Without scaling the accuracy on 1000 symbols is "
    "not perfect, and at chance for training n = 10; with it, accuracy and cross-entropy are "
    "perfect for every n.",
    presets=preset_catalogue(
        smoke=Sizes(seeds=(0, 1), lengths=(3,), tried=1, epochs=1, test_words=4, test_length=20),
        laptop=Sizes(epochs_between_tests=5, test_words=50),
        paper=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    figures=figures,
    check=check,
)
