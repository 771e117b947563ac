"""Modular Arithmetic, from labels of whole words, with and without words that grow.

Chi et al. (2023, Table 1) print 100 % for an RNN. Recurrent networks that see words of all lengths
up to 40 from the start stay at chance here for tens of thousands of steps: labels of long words
look random to a network that gets any symbol wrong. The same networks are trained on words that
start at 3 symbols and grow (`curriculum=3`). All else is the same, and so are the tests.

RegularGPT is trained on growing words where the loss keeps f(pad, x) near x (`identity`), and
without that. With that and twice the hidden units f(f(a, b), c) is kept near f(a, f(b, c))
(`associativity`), or vectors of long sub-words near those of short ones (`closure`). The training
of Table 1 also draws products to those on which associativity agrees (`consensus`). Words of 40
symbols are answered in deeper trees, too, to tell whether vectors mean the same at further levels
(`analyse --figure deeper-trees`). The spread of vectors tells whether longer sub-words are still
told apart: it is the root of the mean of |v - m|^2 over that of |v|^2, where v are the vectors of
sub-words of one length, and m is their mean. If the vectors of the distinct sub-words of 8,192
words of 40 symbols have settled into clusters, the products of clusters are counted that
associativity refutes, or does not decide (`problems.consensus`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch

from lengthwise.evaluation.scores import percent
from lengthwise.languages.spec import parse
from lengthwise.layers.chunks import grow
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.problems.base import Run, evaluated
from lengthwise.problems.consensus import NONE, Nodes
from lengthwise.problems.inside import analyse
from lengthwise.problems.learning import halves, products_of
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise.tasks.task import Task
from lengthwise.training.loop import kept
from lengthwise_papers.chi2023.table1 import PUBLISHED
from lengthwise_papers.chi2023.training import LAPTOP
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.parts import Part, PartsExperiment, grouped, trained, without_problem
from lengthwise_papers.trained import from_to, span

LANGUAGE = "modular-arithmetic"

GROWING, AT_ONCE = "grow from 3 symbols", "all lengths from the start"


class Network(NamedTuple):
    """A model with its settings."""

    model: str
    settings: Mapping[str, Any]
    ways: tuple[str, ...] = (AT_ONCE, GROWING)
    """The ways to draw words."""
    column: str = "rnn"
    """The column of Table 1 that has what is printed."""


_RNN = {"schedule": "cosine", "patience": 0, "validate_every": 500, "steps": 20_000}
_WIDE = {**_RNN, "d_model": 256, "learning_rate": 3e-4}
_NARROW = {**_RNN, "d_model": 64, "learning_rate": 1e-3}


_NO_CONSENSUS: Mapping[str, Any] = {"consensus": 0.0, "consensus_after": 0}
_NEITHER: Mapping[str, Any] = {**_NO_CONSENSUS, "closure": 0.0, "closure_after": 0}
_LESS: Mapping[str, Any] = {**_NEITHER, "ff_factor": 4}
"""Half the hidden units of Table 1, and neither closure nor consensus."""


def _tree(**changes: Any) -> Network:
    """Return RegularGPT as in Table 1, with these settings changed."""
    settings = {**LAPTOP[f"{LANGUAGE}, regular-gpt C=2"], "chunk": 2, **changes}
    return Network("regular-gpt", settings, ways=(GROWING,), column="regular-gpt C=2")


NETWORKS: Mapping[str, Network] = {
    "Elman, width 64": Network("elman", _NARROW),
    "Elman, width 256": Network("elman", _WIDE),
    "Elman with ReLU, width 256": Network("elman-relu", _WIDE),
    "GRU, width 64": Network("gru", _NARROW),
    "RegularGPT C = 2, no identity": _tree(**_LESS, identity=0.0),
    "RegularGPT C = 2": _tree(**_LESS),
    "RegularGPT C = 2, associativity, 1,024 hidden": _tree(**_NEITHER, associativity=1.0),
    "RegularGPT C = 2, closure, 1,024 hidden": _tree(**_NO_CONSENSUS),
    "RegularGPT C = 2, closure, 1,024 hidden, 100,000 steps": _tree(
        **_NO_CONSENSUS, steps=100_000, closure_after=75_000
    ),
    "RegularGPT C = 2, closure and consensus, 1,024 hidden": _tree(),
}

_LONG = 512
"""Symbols of the words whose sub-words are compared."""

_WORDS = 8_192
"""Words in whose distinct sub-words kinds of vectors are looked for."""

_FIRST = {AT_ONCE: 0, GROWING: 3}
"""Greatest length of the first words; 0: all lengths."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Networks and tests."""

    preset: str
    networks: tuple[str, ...] = tuple(NETWORKS)
    seeds: tuple[int, ...] = (0, 1, 2)
    lengths: tuple[int, ...] = tuple(range(42, 501, 2))
    words: int = 512


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each network, way to draw words, and seed."""
    found = []
    for name in sizes.networks:
        network = NETWORKS[name]
        for words in network.ways:
            for seed in seeds or sizes.seeds:
                settings = {**network.settings, "curriculum": _FIRST[words], "seed": seed}
                plan = make_plan(
                    parse(LANGUAGE),
                    network.model,
                    preset=sizes.preset,
                    options={"protocol": "published"},
                    settings=settings if sizes.preset != "smoke" else {**settings, "steps": 4},
                )
                tests = {"lengths": list(sizes.lengths), "words": sizes.words}
                about = {"network": name, "told": words, "plan": plan.to_dict(), **tests}
                found.append(Part(f"{name}, {words}, seed {seed}", about))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a network, and test it on longer words than it was told."""
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    found = evaluated(run, {"lengths": settings["lengths"], "words": settings["words"]})
    plan = without_problem(settings["plan"])
    told = [one for one in run.metrics if one.get("validation_accuracy") is not None]
    reached = [one.get("longest", run.require_plan().data.max_length) for one in told]
    return [
        {
            **record,
            **found.values,
            "settings": plan,
            "network": settings["network"],
            "words_told": settings["told"],
            "at_training_lengths": kept(told)["validation_accuracy"],
            "longest": reached[-1],
            **_of_tree(run),
            "curve": [
                [one["step"], length, one["validation_accuracy"]]
                for one, length in zip(told, reached, strict=True)
            ],
            "seed": record["seed"],
        }
    ]


def _of_tree(run: Run) -> Record:
    """Return what only trees are asked: of deeper trees, and of the vectors of nodes."""
    if not isinstance(run.model, RegularGPT):
        return {}
    return {**_deeper(run), **_spread(run, run.model), **_products(run, run.model)}


def _deeper(run: Run) -> Record:
    """Return how many words of the greatest length of training are right in deeper trees."""
    record = analyse(run, "deeper-trees", words_per_length=1_000).record
    return {"deeper_trees": record["curves"][0]["points"]}


def _spread(run: Run, model: RegularGPT) -> Record:
    """Return the spread of the vectors of each level, in words longer than those of training."""
    levels = _levels(run, model, words=64, length=_LONG, share=False)
    spreads = [((v - v.mean(0)).square().sum() / v.square().sum()).sqrt().item() for v in levels]
    return {
        "spread": [[model.config.chunk**level, found] for level, found in enumerate(spreads, 1)]
    }


def _products(run: Run, model: RegularGPT) -> Record:
    """Return how many kinds of vectors there are, and how many of their products are refuted."""
    longest = run.require_plan().data.max_length
    lower, _ = halves(_levels(run, model, words=_WORDS, length=longest, share=True))
    found = products_of(model, lower)
    if found is None:
        return {"kinds": None}
    undecided = int((found.agreed == NONE).sum())
    return {"kinds": len(found.centres), "refuted": len(found.faults), "undecided": undecided}


def _levels(run: Run, model: RegularGPT, *, words: int, length: int, share: bool) -> list[Nodes]:
    """Return the vectors of each level of random words; sub-words that recur are shared, or not."""
    task, lengths = Task(language=run.language, protocol="published"), torch.full((words,), length)
    tokens = task.draw(lengths, torch.Generator().manual_seed(0)).tokens
    tree = grow(tokens, None, model.config.vocab_size, model.config.chunk, share=share)
    with torch.no_grad():
        return model.nodes(tree)


def table(records: Sequence[Record]) -> Table:
    """Return a row for each network and way to draw words."""
    rows = []
    for (name, words), runs in grouped(records, "network", "words_told").items():
        means = [one["mean_accuracy"] for one in runs]
        printed = PUBLISHED[LANGUAGE, NETWORKS[name].column]
        rows.append(
            [
                name,
                words,
                str(len(runs)),
                from_to([one["steps"] for one in runs]),
                span(runs, "processor_seconds"),
                from_to([one["longest"] for one in runs]),
                f"{percent(max(means))} / {percent(sum(means) / len(means))}",
                f"{printed.best} / {printed.mean}",
            ]
        )
    columns = ["network", "words", "seeds", "steps", "processor seconds", "longest words reached"]
    return Table([*columns, "% at 42 to 500, best / mean", "paper"], rows)


def deeper(records: Sequence[Record]) -> Table:
    """Return a row for each run of a tree: accuracy by the number of levels."""
    rows = [
        [
            one["network"],
            str(one["seed"]),
            *(f"{point['levels']}: {percent(point['accuracy'])}" for point in one["deeper_trees"]),
        ]
        for one in records
        if "deeper_trees" in one
    ]
    heads = ["own tree", "twice", "three times", "four times as many levels"]
    return Table(["network", "seed", *heads], rows)


def spreads(records: Sequence[Record]) -> Table:
    """Return a row for each run of a tree: the spread of vectors by the length of sub-words."""
    runs = [one for one in records if "spread" in one]
    rows = [
        [one["network"], str(one["seed"]), *(f"{found:.2f}" for _, found in one["spread"])]
        for one in runs
    ]
    heads = [f"{symbols} symbols" for symbols, _ in runs[0]["spread"]] if runs else []
    return Table(["network", "seed", *heads], rows)


def products(records: Sequence[Record]) -> Table:
    """Return a row for each run of a tree: kinds of vectors, and products that are refuted."""
    rows = []
    for one in records:
        if kinds := one.get("kinds"):
            told = [str(kinds), f"{kinds**2:,}", f"{one['refuted']:,}", f"{one['undecided']:,}"]
            rows.append([one["network"], str(one["seed"]), *told])
        elif "kinds" in one:
            rows.append([one["network"], str(one["seed"]), "not settled", "", "", ""])
    heads = ["kinds of vectors", "products", "refuted by associativity", "undecided"]
    return Table(["network", "seed", *heads], rows)


def note(records: Sequence[Record]) -> str:
    """Say what was told, and how the words of the test were drawn."""
    words = records[0]["words_per_length"]
    return (
        f"Told: labels of whole words, `published`, of at most 40 symbols. Tested on {words} words "
        "of each even length; there are none of odd lengths."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether growing words are what is needed."""
    means = {
        words: {name: max(one["mean_accuracy"] for one in runs) for (name,), runs in of.items()}
        for (words,), one in grouped(records, "words_told").items()
        for of in [grouped(one, "network")]
    }
    both = means.get(GROWING, {}).keys() & means.get(AT_ONCE, {}).keys()
    better = [name for name in NETWORKS if name in both]
    lead = [name for name in better if means[GROWING][name] > means[AT_ONCE][name] + 0.05]
    told = "; ".join(
        f"{name}: {percent(means[AT_ONCE][name])}, growing {percent(means[GROWING][name])}"
        for name in better
    )
    says = "every network is better on longer words if its words grow"
    return [Statement("ours", says, lead == better, told)] if better else []


GROWING_WORDS = PartsExperiment(
    item="growing words",
    claim="Modular Arithmetic is learned from labels of whole words if the words grow.",
    printed="Table 1 of Chi et al. (2023), best and mean over seeds.",
    presets=preset_catalogue(
        smoke=Sizes(
            preset="smoke", networks=("Elman, width 64",), seeds=(0,), lengths=(42, 44), words=4
        ),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Deeper trees": deeper, "Spread of vectors": spreads, "Products": products},
    note=note,
    check=check,
)
