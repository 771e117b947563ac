"""Training against the ladder: do the networks that can carry a language do so, and no others?

Ten languages or more are on each rung (`languages.ladder`), named ones and others drawn at
random. On each, networks are trained on words of at most 40 symbols and tested on words of 41 to
500. Causal decoders have no positions, and their attention logits grow with the logarithm of the
length (`log-length`); on the rung of windows one layer with relative positions is trained, too.

Theory says *yes* of a network that has the language at every length and is expected to carry it: a
recurrent network and RegularGPT always, attention to a window where the ends of a word decide, and
a decoder without positions where the language is in C-RASP. It says *no* of such a decoder where
the language is not star-free. In between it says nothing: weights exist that are right up to a
length that depends on their size (`compile --as ltl`), and nothing is known of training.

A network *carries* a language if it is right on `CARRIED` of the tested words, the mean over their
lengths. Decoders and recurrent networks are given the class of every prefix, RegularGPT that of the
whole word alone; so networks are compared with theory here, not with each other. Settings were
chosen by validation at lengths of training, with languages that are not among these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lengthwise.analysis.figures import Picture
from lengthwise.constructions.rungs import RUNGS as BUILDERS
from lengthwise.errors import LengthwiseError
from lengthwise.evaluation.scores import parse_lengths, wilson
from lengthwise.languages.ladder import DEEPEST, QUESTIONS, RUNGS, Ladder
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.problems.base import run_test
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test
from lengthwise.training.devices import environment
from lengthwise.training.loop import find_kept_record as kept_weights
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import random_of_rung
from lengthwise_papers.parts import Part, PartsExperiment, group_records, train_in_folder
from lengthwise_papers.points_figure import shares_figure

CARRIED = 0.99
"""Share of right answers from which on a network carries, or fits, a language."""

NAMED: Mapping[str, tuple[str, ...]] = {
    "generalised_definite": (
        "even-pairs",
        "regex:(a|b)*a(a|b)(a|b)",
        "regex:a(a|b)*b",
        "regex:(a|b)(a|b)a(a|b)*",
    ),
    "r_trivial": ("tomita-1", "tomita-7", "regex:(a|b)*a(a|b)*b(a|b)*", "regex:(a|b)*ab(a|b)*"),
    "c_rasp": ("d-2", "d-3", "d-4", "regex:(ab)*", "regex:(a(ab)*b)*"),
    "star_free": ("tomita-4", "regex:(a|b|c)*ac*"),
    "solvable": ("parity", "tomita-3", "tomita-5", "tomita-6", "cycle-navigation", "group:S3"),
    "regular": ("group:A5,generators=2,seed=0", "group:S5,generators=2,seed=0"),
}
"""The languages of each rung that have a name or an expression."""

EACH = 10
"""Number of languages of each rung; those without a name are drawn."""

WINDOW = "1 layer, relative positions"
"""Trained on the rung of windows alone."""

_DECODER: Mapping[str, Any] = {
    **{"d_model": 32, "num_heads": 4, "norm": "post", "scale": "log-length", "batch_size": 64},
    **{"objective": "prefix", "learning_rate": 3e-3, "schedule": "cosine"},
}

NETWORKS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    WINDOW: ("decoder", {**_DECODER, "num_layers": 1, "position": "t5"}),
    "1 layer": ("decoder", {**_DECODER, "num_layers": 1, "position": "none"}),
    "2 layers": ("decoder", {**_DECODER, "num_layers": 2, "position": "none"}),
    "rnn": ("elman", {"objective": "prefix", "schedule": "cosine"}),
    "regular-gpt": ("regular-gpt", {}),
}
"""Each network: its model, and the settings that are not the model's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, seeds and lengths of training."""

    rungs: tuple[str, ...] = tuple(NAMED)
    each: int = EACH
    seeds: tuple[int, ...] = (0, 1, 2)
    training: Mapping[str, Any] = field(
        default_factory=lambda: {
            **{"steps": 3_000, "validate_every": 250, "validation_words": 512, "patience": 2},
            **{"protocol": "audited", "max_length": 40},
        }
    )
    """Settings of all networks; training ends after two perfect validations."""
    lengths: str = "41:500:51"
    words: int = 128
    """Words of each tested length."""


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language, network and seed."""
    all_parts = []
    for seed in seeds or sizes.seeds:
        for rung in sizes.rungs:
            named_languages = NAMED[rung][: sizes.each]
            drawn_languages = range(sizes.each - len(named_languages))
            for language in (*named_languages, *drawn_languages):
                name = language if isinstance(language, str) else f"random {rung} {language}"
                for network, (model, network_settings) in NETWORKS.items():
                    if network == WINDOW and rung != "generalised_definite":
                        continue
                    training = {**network_settings, **sizes.training, "seed": seed}
                    part_settings = {"rung": rung, "language": language, "training": training}
                    all_parts.append(part(name, network, {**part_settings, "model": model}, sizes))
    return all_parts


def part(name: str, network: str, told: Mapping[str, Any], sizes: Sizes) -> Part:
    """Return the part that `measure` takes: a network that is trained on a language as `told`."""
    tests = {"lengths": sizes.lengths, "words": sizes.words}
    seed = told["training"]["seed"]
    return Part(f"{name}, {network}, seed {seed}", {**told, "network": network, **tests})


def language_of(settings: Mapping[str, Any]) -> Language:
    """Return the language of a part: one with a name, or the one that a seed draws."""
    language = settings["language"]
    if isinstance(language, str):
        return parse(language)
    return random_of_rung(settings["rung"], language)


def expectation(network: str, ladder: Ladder) -> str:
    """Return what theory says of a network that is trained on a language: yes, no, or open."""
    if network in ("rnn", "regular-gpt"):
        return "yes"
    if ladder["c_rasp"].holds or (network == WINDOW and ladder["generalised_definite"].holds):
        return "yes"
    return "open" if ladder["star_free"].holds else "no"


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train a network on a language, and test it on longer words."""
    language = language_of(settings)
    ladder = language.ladder()
    plan = make_plan(language, settings["model"], settings=settings["training"])
    run, record = train_in_folder(plan, folder)
    lengths = tuple(parse_lengths(settings["lengths"]))
    test = Test(name="longer", lengths=lengths, words_per_length=settings["words"])
    result = run_test(run, test)
    by_length = result.accuracy_by_length()
    num_words = sum(scores.words for scores in result.by_length)
    right = sum(scores.correct for scores in result.by_length)
    carried = sum(by_length.values()) / len(by_length)
    validated = kept_weights(run.metrics)["validation_accuracy"]
    return [
        {
            **{key: value for key, value in record.items() if key != "settings"},
            "settings": settings["training"],
            "language": settings["language"],
            "rung": ladder.rung.key,
            "network": settings["network"],
            "model": settings["model"],
            "expected": expectation(settings["network"], ladder),
            "states": language.minimise().num_states,
            "symbols": language.num_symbols,
            "layers_of_lookups": _layers(language),
            "validation_accuracy": validated,
            "accuracy_by_length": {str(n): round(share, 6) for n, share in by_length.items()},
            "mean_accuracy": carried,
            "carries": carried >= CARRIED,
            "fits": validated >= CARRIED,
            "shortcut": max(result.shortcuts.values(), default=None),
            "protocol": plan.data.protocol,
            "trained_on": f"1..{plan.data.max_length}",
            "lengths": settings["lengths"],
            "words_per_length": settings["words"],
            "interval_95": list(wilson(right, num_words)),
            "environment": environment("cpu"),
        }
    ]


def _layers(language: Language) -> int | None:
    """Return the number of layers of our exact network of lookups for words of 500 symbols; None if
    there is none, or none of moderate size."""
    rung = BUILDERS["ltl"]
    try:
        return rung.depth(rung.design(language), 500)
    except LengthwiseError:
        return None


# ---- tables --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class _Outcome:
    """The seeds of a network on a language together."""

    rung: str
    language: str
    network: str
    expected: str
    seeds: int
    carried: int
    """Number of seeds that carry."""
    fitted: int
    best: float
    layers: int | None

    @property
    def is_carried(self) -> bool:
        """True if one of the seeds carries."""
        return self.carried > 0

    @property
    def is_as_expected(self) -> bool:
        """True if theory says yes and it is carried, or no and it is not."""
        return self.is_carried == (self.expected == "yes")


def _name(rung: str) -> str:
    """Return the name of a rung for people."""
    return QUESTIONS[rung][0] if rung in QUESTIONS else rung


def _outcomes(records: Sequence[Record]) -> list[_Outcome]:
    return [
        _Outcome(
            rung=rung,
            language=language if isinstance(language, str) else f"random {language}",
            network=network,
            expected=runs[0]["expected"],
            seeds=len(runs),
            carried=sum(run["carries"] for run in runs),
            fitted=sum(run["fits"] for run in runs),
            best=max(run["mean_accuracy"] for run in runs),
            layers=runs[0]["layers_of_lookups"],
        )
        for (rung, language, network), runs in group_records(
            records, "rung", "language", "network"
        ).items()
    ]


def _cells(outcomes: Sequence[_Outcome]) -> dict[tuple[str, str], list[_Outcome]]:
    """Return the outcomes of each rung and network, the shallowest rung first."""
    cells = {
        (rung.key, network): [
            outcome
            for outcome in outcomes
            if (outcome.rung, outcome.network) == (rung.key, network)
        ]
        for rung in (*RUNGS, DEEPEST)
        for network in NETWORKS
    }
    return {cell: of_cell for cell, of_cell in cells.items() if of_cell}


def _share(outcomes: Sequence[_Outcome]) -> str:
    """Return `8 of 10`: on how many languages a seed carries, of how many."""
    return (
        f"{sum(outcome.is_carried for outcome in outcomes)} of {len(outcomes)}" if outcomes else ""
    )


def table(records: Sequence[Record]) -> Table:
    """Return a row for each rung and each network: languages that it carries, and what theory
    says."""
    rows = []
    for (rung, network), of_cell in _cells(_outcomes(records)).items():
        by_theory = [[outcome for outcome in of_cell if outcome.expected == says] for says in _SAYS]
        fitted = sum(outcome.fitted > 0 for outcome in of_cell)
        rows.append([_name(rung), network, *map(_share, by_theory), f"{fitted} of {len(of_cell)}"])
    return Table(["rung", "network", *_SAYS.values(), "fit training lengths"], rows)


_SAYS = {"yes": "theory says yes", "open": "says nothing", "no": "says no"}


def tabulate_agreement(records: Sequence[Record]) -> Table:
    """Return how often theory is right, by network: over languages, over single runs, and over the
    runs that fit the lengths of training."""
    outcomes, rows = _outcomes(records), []
    for network in (*NETWORKS, ""):
        row = [network or "all"]
        for says in ("yes", "no"):
            decided = [
                outcome
                for outcome in outcomes
                if network in ("", outcome.network) and outcome.expected == says
            ]
            runs = [
                record
                for record in records
                if network in ("", record["network"]) and record["expected"] == says
            ]
            row += [
                _of([outcome.is_as_expected for outcome in decided]),
                _count([run["carries"] == (says == "yes") for run in runs]),
                _count([run["carries"] == (says == "yes") for run in runs if run["fits"]]),
            ]
        rows.append(row)
    counted = ("languages", "runs", "runs that fit")
    return Table(
        ["network", *(f"{says}: {heading}" for says in ("yes", "no") for heading in counted)], rows
    )


def _count(right: Sequence[bool]) -> str:
    """Return `9 of 10`: how many are right; no interval, as runs of a language are alike."""
    return f"{sum(right)} of {len(right)}" if right else ""


def _of(right: Sequence[bool]) -> str:
    """Return `9 of 10 (60 to 98 %)`: how many are right, with Wilson's interval."""
    if not right:
        return ""
    low, high = wilson(sum(right), len(right))
    return f"{_count(right)} ({100 * low:.0f} to {100 * high:.0f} %)"


def exceptions(records: Sequence[Record]) -> Table:
    """Return the languages on which it came otherwise than theory says."""
    rows = [
        [
            _name(outcome.rung),
            f"`{outcome.language}`",
            outcome.network,
            outcome.expected,
            f"{100 * outcome.best:.1f}",
            f"{outcome.fitted} of {outcome.seeds}",
            "" if outcome.layers is None else str(outcome.layers),
        ]
        for outcome in _outcomes(records)
        if outcome.expected != "open" and not outcome.is_as_expected
    ]
    columns = ["rung", "language", "network", "theory", "best accuracy (%)", "seeds that fit"]
    return Table([*columns, "layers of exact weights"], rows)


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the share of languages of each rung that each network carries, with intervals."""
    shares: dict[str, dict[str, tuple[int, int]]] = {}
    for (rung, network), of_cell in _cells(_outcomes(records)).items():
        carried = sum(outcome.is_carried for outcome in of_cell)
        shares.setdefault(network, {})[_name(rung)] = carried, len(of_cell)
    return {"carried": shares_figure(shares, ylabel="languages carried (%)")} if shares else {}


def check(records: Sequence[Record]) -> list[Statement]:
    """Say how often what theory says comes true."""
    outcomes = _outcomes(records)
    statements = []
    for says, verb in (("yes", "carry"), ("no", "do not carry")):
        decided = [outcome for outcome in outcomes if outcome.expected == says]
        if not decided:
            continue
        right = sum(outcome.is_as_expected for outcome in decided)
        statements.append(
            Statement(
                "ours",
                f"networks of which theory says {says} {verb} in nine of ten cases",
                right >= 0.9 * len(decided),
                f"{right} of {len(decided)}",
            )
        )
    return statements


def note(records: Sequence[Record]) -> str:
    """Say how many languages and words the numbers come from."""
    languages = {(record["rung"], str(record["language"])) for record in records}
    seeds = sorted({record["seed"] for record in records})
    first = records[0]
    return (
        f"{len(languages)} languages, {len(records)} runs, seeds {', '.join(map(str, seeds))}. "
        f"Each run is tested on {first['words_per_length']} audited words at each of the lengths "
        f"{first['lengths']}. "
        f"A language counts as carried if the best of its seeds has {100 * CARRIED:.0f} %."
    )


LADDER = PartsExperiment(
    item="ladder",
    claim="What the ladder of languages says of networks comes true in training, or where not.",
    presets=preset_catalogue(
        smoke=Sizes(
            rungs=("generalised_definite", "solvable"),
            each=1,
            seeds=(0,),
            training={"steps": 20, "validate_every": 20, "protocol": "audited", "max_length": 10},
            lengths="11,20",
            words=16,
        ),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"How often theory is right": tabulate_agreement, "Exceptions": exceptions},
    figures=figures,
    note=note,
    check=check,
)
