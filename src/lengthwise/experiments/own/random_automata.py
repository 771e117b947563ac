"""Default training on random automata: up to which size of the monoid a proof closes.

Automata with 4 to 8 states and 2 or 3 symbols are drawn with uniform transitions and classes until
one is minimal. Each whose monoid has at most 1,000 elements is trained with the default settings of
`regular-gpt-binary`, certified, and tested on words of odd lengths up to 2,000; larger ones are
counted, and not trained. The rule that chooses the settings (`problems.recognition.suited`) was
made with other automata.
"""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.experiments.experiment import Record, Statement, Table, preset_catalogue
from lengthwise.experiments.parts import Part, PartsExperiment, trained
from lengthwise.experiments.trained import from_to
from lengthwise.languages.language import Language
from lengthwise.problems.base import evaluated
from lengthwise.problems.recognition.suited import MOST_LABELLED, num_elements
from lengthwise.problems.runs import make_plan, plan_from_dict
from lengthwise.verification.certify import certify

MODEL = "regular-gpt-binary"
TOO_LARGE = "not trained"
GROUPS = ((1, 32), (33, 100), (101, 300), (301, MOST_LABELLED))
"""Numbers of elements of the rows of the table, from and to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The automata, by the seeds that draw them, and the tests."""

    preset: str
    automata: int = 40
    lengths: str = "1:1999:54"
    words: int = 512


def uniform_automaton(seed: int) -> Language:
    """Draw a minimal automaton with 4-8 states and 2 or 3 symbols, by uniform transitions."""
    draw = random.Random(f"uniform automaton {seed}")
    states, symbols = draw.randint(4, 8), draw.randint(2, 3)
    while True:
        machine = Language(
            alphabet=tuple("abc"[:symbols]),
            transitions=tuple(
                tuple(draw.randrange(states) for _ in range(symbols)) for _ in range(states)
            ),
            classes=tuple(draw.randrange(2) for _ in range(states)),
        )
        if machine.minimised().num_states == states:
            return machine


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each automaton; `seeds` are those of the automata."""
    found = []
    for seed in seeds or range(sizes.automata):
        language = uniform_automaton(seed)
        elements = num_elements(language)
        settings: dict[str, Any] = {"automaton": seed, "elements": elements}
        if elements is not None and elements <= MOST_LABELLED:
            settings["plan"] = make_plan(language, MODEL, preset=sizes.preset).to_dict()
            settings |= {"lengths": sizes.lengths, "words": sizes.words}
        found.append(Part(f"automaton {seed}", settings))
    return found


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Train on an automaton that is not too large, certify the model and test it."""
    language = uniform_automaton(settings["automaton"])
    about = {
        "automaton": settings["automaton"],
        "elements": settings["elements"],
        "states": language.num_states,
        "symbols": language.num_symbols,
    }
    if "plan" not in settings:
        return [{**about, "verdict": TOO_LARGE}]
    run, record = trained(plan_from_dict(settings["plan"]), folder)
    start = time.perf_counter()
    certificate = certify(run.model, run.language)
    seconds = time.perf_counter() - start
    options = {"lengths": settings["lengths"], "words": settings["words"]}
    summary = evaluated(run, options).values
    return [
        {
            **record,
            **about,
            "verdict": certificate.verdict,
            "reason": certificate.reason,
            "codes": certificate.summary()["elements"],
            "checked_length": certificate.checked_length,
            "seconds_to_certify": round(seconds, 2),
            **{name: summary[name] for name in ("worst_accuracy", "protocol", "environment")},
            "lengths": settings["lengths"],
            "words_per_length": settings["words"],
        }
    ]


def _proved(records: Sequence[Record]) -> list[Record]:
    return [one for one in records if one["verdict"] == "equivalent"]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each range of sizes: how many were proved, with what, and how fast."""
    rows = []
    for first, last in GROUPS:
        own = [one for one in records if first <= (one["elements"] or last + 1) <= last]
        if own:
            proved = _proved(own)
            told = ", ".join(sorted({one["supervision"] for one in own}))
            spans = [
                from_to([round(one[key]) for one in proved]) if proved else ""
                for key in ("steps", "processor_seconds")
            ]
            rows.append([f"{first} to {last}", told, f"{len(proved)} of {len(own)}", *spans])
    large = sum(one["verdict"] == TOO_LARGE for one in records)
    if large:
        rows.append([f"more than {MOST_LABELLED:,}", TOO_LARGE, f"0 of {large}", "", ""])
    return Table(["elements", "supervision", "proved", "steps", "processor seconds"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether all that were trained are proved, and whether one that is proved was wrong."""
    ran = [one for one in records if one["verdict"] != TOO_LARGE]
    proved = _proved(ran)
    missed = [one for one in proved if one["worst_accuracy"] < 1]
    return [
        Statement(
            "ours",
            f"every automaton with up to {MOST_LABELLED:,} elements is proved by default",
            len(proved) == len(ran),
            f"{len(proved)} of {len(ran)}",
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
    claim="Default training ends with a proof for random automata of up to 1,000 elements.",
    presets=preset_catalogue(
        smoke=Sizes(preset="smoke", automata=2, lengths="1:9:4", words=8),
        laptop=Sizes(preset="laptop"),
        paper=Sizes(preset="paper", automata=100),
    ),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
