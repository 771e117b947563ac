"""Default training on random automata: how many end with a proof, and how fast.

Automata with 2 or 3 symbols, and with 4 to 8 states or 10 to 20, are drawn with uniform transitions
and classes until one is minimal. Each is trained with the default model and settings, certified,
and tested on uniform words of odd lengths up to 2,000. The rule that chooses model and settings
(`problems.recognition.suited`) was made with other automata.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from lengthwise.analysis.figures import Picture
from lengthwise.analysis.points_figure import points_figure
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.scores import parse_lengths, wilson
from lengthwise.languages.elements import MAX_ELEMENTS
from lengthwise.languages.language import Language
from lengthwise.problems.base import Run
from lengthwise.problems.recognition.suited import (
    MOST_ENUMERATED,
    MOST_LABELLED,
    num_elements,
)
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise.tasks.automaton import Automaton
from lengthwise.training.devices import environment
from lengthwise.verification.certify import certify
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import needed_machine
from lengthwise_papers.parts import Part, PartsExperiment, route, trained
from lengthwise_papers.trained import span

SMALL, LARGE = (4, 8), (10, 20)
"""Least and greatest numbers of states."""

LISTING = "regular-gpt-binary"
"""The model whose proof lists pairs of codes, beside the default."""

GROUPS = ((1, 32), (33, 100), (101, MOST_ENUMERATED), (MOST_ENUMERATED + 1, MAX_ELEMENTS))
"""Numbers of elements of the rows of the table, from and to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The automata, by the seeds that draw them, and the tests."""

    preset: str
    automata: int = 100
    large: int = 10
    """Number of automata with 10 to 20 states."""
    listed: int = 40
    """Number of automata among which those of moderate size are trained with `LISTING`, too."""
    tests: tuple[tuple[str, int], ...] = (("1:99:2", 1_950), ("101:1999:146", 200))
    """Lengths, and words at each of them."""


def uniform_automaton(seed: int, size: tuple[int, int] = SMALL) -> Language:
    """Draw a minimal automaton with 2 or 3 symbols, by uniform transitions."""
    draw = random.Random(f"{'' if size == SMALL else 'large '}uniform automaton {seed}")
    states, symbols = draw.randint(*size), draw.randint(2, 3)
    return needed_machine(draw, states, symbols)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each automaton; `seeds` are those of the automata of both sizes."""
    found = []
    for size, count in ((SMALL, sizes.automata), (LARGE, sizes.large)):
        for seed in seeds or range(count):
            elements = num_elements(uniform_automaton(seed, size))
            tests = [list(test) for test in sizes.tests]
            about = {"automaton": seed, "size": list(size), "elements": elements, "tests": tests}
            name = f"{'' if size == SMALL else 'large '}automaton {seed}"
            found.append(Part(name, {**about, "plan": _plan(seed, size, sizes.preset, None)}))
            within = MOST_ENUMERATED < (elements or 0) <= MOST_LABELLED
            if size == SMALL and seed < sizes.listed and within:
                plan = _plan(seed, size, sizes.preset, LISTING)
                found.append(Part(f"{name}, {LISTING}", {**about, "plan": plan}))
    return found


@cache  # the queue asks for the parts after every unit, and a plan counts products of state maps
def _plan(seed: int, size: tuple[int, int], preset: str, model: str | None) -> dict[str, Any]:
    """Return the plan for an automaton, as plain values; `model` None is the default model."""
    return make_plan(uniform_automaton(seed, size), model, preset=preset).to_dict()


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on an automaton, certify the model and test it."""
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    start = time.perf_counter()
    certificate = certify(run.model, run.language)
    seconds = time.perf_counter() - start
    wrong = sum(wrong_words(run, lengths, words) for lengths, words in settings["tests"])
    return [
        {
            **record,
            "automaton": settings["automaton"],
            "size": settings["size"],
            "elements": settings["elements"],
            "states": run.language.num_states,
            "symbols": run.language.num_symbols,
            "model": run.plan.model,
            "verdict": certificate.verdict,
            "strength": certificate.strength,
            "reason": certificate.reason,
            "codes": certificate.summary()["elements"],
            "checked_length": certificate.checked_length,
            "seconds_to_certify": round(seconds, 2),
            **tested(wrong, settings["tests"]),
            "environment": environment("cpu"),
        }
    ]


def tested(wrong: int, tests: Sequence[tuple[str, int]]) -> Record:
    """Return what was tested: uniform words, how many at which lengths, and how many were wrong."""
    words = sum(len(parse_lengths(lengths)) * count for lengths, count in tests)
    return {
        "wrong_words": wrong,
        "words_per_length": dict(tests),
        "protocol": "uniform",
        "interval_95": list(wilson(words - wrong, words)),
    }


def wrong_words(run: Run, lengths: str, count: int) -> int:
    """Return how many words are classified wrongly, of uniform ones at each of some lengths."""
    automaton, draw = Automaton(run.language), torch.Generator().manual_seed(0)
    wrong = 0
    for length in parse_lengths(lengths):
        tokens = torch.randint(run.language.num_symbols, (count, length), generator=draw)
        with torch.inference_mode():
            answers = answer_of(run.model.eval()(tokens))
        wrong += int((answers != automaton.classify(tokens)).sum())
    return wrong


def _proved(records: Sequence[Record]) -> list[Record]:
    return [one for one in records if one["verdict"] == "equivalent"]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each range of sizes: how many were proved, with what, and how fast."""
    listed = [one for one in records if _is_listed(one)]
    small = [one for one in records if tuple(one["size"]) == SMALL and one not in listed]
    groups = {
        f"{first:,} to {last:,}": [one for one in small if first <= (one["elements"] or 0) <= last]
        for first, last in GROUPS
    }
    groups[f"more than {MAX_ELEMENTS:,}"] = [one for one in small if one["elements"] is None]
    large = [one for one in records if tuple(one["size"]) == LARGE]
    groups[f"{MOST_ENUMERATED + 1} to {MOST_LABELLED:,}, if asked for"] = listed
    groups[f"{LARGE[0]} to {LARGE[1]} states"] = large
    rows = []
    for name, own in groups.items():
        if own:
            proved = _proved(own)
            told = "; ".join(sorted({route(one) for one in own}))
            spans = [span(proved, key) for key in ("steps", "processor_seconds")]
            rows.append([name, told, f"{len(proved)} of {len(own)}", *spans])
    header = ["elements", "model, supervision", "proved", "steps", "processor seconds"]
    return Table(header, rows)


def _is_listed(record: Record) -> bool:
    """Return whether a record is of a model that was asked for in place of the default."""
    return record["model"] == LISTING and (record["elements"] or 0) > MOST_ENUMERATED


def figures(records: Sequence[Record]) -> dict[str, Picture]:
    """Draw the seconds to each proof against the size of the monoid."""
    points: dict[str, list[tuple[float, float]]] = {}
    for one in _proved(records):
        if None not in (one["elements"], one["processor_seconds"]):
            points.setdefault(route(one).replace("`", ""), []).append(
                (one["elements"], one["processor_seconds"])
            )
    return {
        "seconds": points_figure(
            points, xlabel="elements of the monoid", ylabel="processor seconds to the proof"
        )
    }


def note(records: Sequence[Record]) -> str:
    """Say what the proved runs answered beside the proof."""
    tests = records[0]["words_per_length"]
    words = sum(len(parse_lengths(lengths)) * count for lengths, count in tests.items())
    missed = sum(one["wrong_words"] > 0 for one in _proved(records))
    return (
        f"Each run was tested on {words:,} uniform words of odd lengths up to 1,999; of the proved "
        f"ones {missed or 'none'} missed a word."
    )


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all that were trained are proved, and whether one that is proved was wrong."""
    proved = _proved(records)
    missed = [one for one in proved if one["wrong_words"]]
    listed = [one for one in records if _is_listed(one)]
    by_default = [one for one in proved if one not in listed]
    return [
        Statement(
            "ours",
            "every automaton is proved by default",
            len(by_default) == len(records) - len(listed),
            f"{len(by_default)} of {len(records) - len(listed)}",
        ),
        Statement(
            "ours",
            "no run that is proved misses a word",
            not missed,
            f"{len(proved)} runs proved, of which {len(missed)} missed a word",
        ),
    ]


RANDOM_AUTOMATA = PartsExperiment(
    item="random automata",
    claim="Default training ends with a proof for random automata.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", automata=2, large=1, tests=(("1:9:4", 8),)),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper"),
    ),
    parts=parts,
    measure=measure,
    table=table,
    figures=figures,
    note=note,
    check=check,
)
