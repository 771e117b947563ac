"""How many words does a language need, by their lengths and by its class?

Languages of four kinds, drawn by our own generators (`languages.subregular`), label different
words of a range of lengths, half of each class. The pipeline of `lw.infer` sees these words alone,
for a few seconds, and the true language judges: is the automaton that language, exactly?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lengthwise.errors import TextError
from lengthwise.languages.subregular import subregular
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.labels_alone import is_same
from lengthwise_papers.own.long_words import LEARNERS, draw_words
from lengthwise_papers.parts import Part, PartsExperiment, group_records

SHOWN = {
    "SL": "windows (SL)",
    "PT": "subsequences (PT)",
    "Zp": "counts (Zp)",
    "Reg": "other regular (Reg)",
}
"""Classes, and how a table names them."""

LONG = 20
"""Symbols of the longest words from which on a search gets three times the seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Classes, ranges of lengths, numbers of words, languages of each class, and seconds."""

    classes: tuple[str, ...] = tuple(SHOWN)
    lengths: tuple[tuple[int, int], ...] = ((1, 10), (5, 15), (20, 29))
    words: tuple[int, ...] = (50, 200, 1_000, 3_000, 10_000)
    languages: tuple[int, ...] = (10, 11)
    symbols: int = 4
    seconds: int = 20


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language, range of lengths and number of words."""
    return [
        Part(
            f"{kind}, {first}-{last} symbols, {words} words, seed {seed}",
            {
                "class": kind,
                "symbols": sizes.symbols,
                "lengths": [first, last],
                "words": words,
                "seed": seed,
                "budget": sizes.seconds if last < LONG else 3 * sizes.seconds,
            },
        )
        for seed in seeds or sizes.languages
        for words in sizes.words
        for kind in sizes.classes
        for first, last in sizes.lengths
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Infer a language from its words, and compare the automaton with it.

    So few words that none is left to be held out do not show a language.
    """
    language = subregular(settings["class"], seed=settings["seed"], symbols=settings["symbols"])
    draws = torch.Generator().manual_seed(settings["seed"])
    first, last = settings["lengths"]
    words = draw_words(language, settings["words"], (first, last), draws)
    try:
        automaton, _ = LEARNERS["pipeline"](language, words, settings["budget"], folder)
    except TextError:
        automaton = None
    return [
        {
            **settings,
            "told": "labels of whole words",
            "protocol": "uniform within a class",
            "words_per_length": None,
            "interval_95": None,
            "drawn": len(words),
            "true_states": language.num_states,
            "states": None if automaton is None else automaton.num_states,
            "found": automaton is not None and is_same(automaton, language),
            "environment": environment("cpu"),
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each class and range, with how many languages each number of words shows."""
    counts = sorted({record["words"] for record in records})
    rows = []
    keyed = [{**record, "range": tuple(record["lengths"])} for record in records]
    for (kind, (first, last)), runs in group_records(keyed, "class", "range").items():
        cells = [_share([run for run in runs if run["words"] == count]) for count in counts]
        rows.append([SHOWN.get(kind, kind), f"{first} to {last}", *cells])
    order = list(SHOWN.values())
    rows.sort(key=lambda row: (order.index(row[0]), int(row[1].split()[0])))
    return Table(["class", "symbols of a word", *(f"{count:,} words" for count in counts)], rows)


def _share(runs: Sequence[Record]) -> str:
    return f"{sum(run['found'] for run in runs)} of {len(runs)}" if runs else ""


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether the most words show every language if they are short, and more than long ones."""
    most = max(record["words"] for record in records)
    first = min(record["lengths"][0] for record in records)
    short = [record for record in records if record["lengths"][0] == first]
    longer = [record for record in records if record["lengths"][0] >= LONG]
    last = [record for record in short if record["words"] == most]
    num_found = sum(record["found"] for record in last)
    shares = [
        sum(record["found"] for record in group) / len(group) if group else 0.0
        for group in (short, longer)
    ]
    return [
        Statement(
            "ours",
            f"every language is found from {most:,} words if they are short",
            num_found == len(last),
            f"{num_found} of {len(last)}",
        ),
        Statement(
            "ours",
            "short words show more languages than long ones",
            shares[0] > shares[1],
            f"{100 * shares[0]:.0f} % and {100 * shares[1]:.0f} %",
        ),
    ]


WORDS_NEEDED = PartsExperiment(
    item="words needed",
    claim="Short words show a language sooner than long ones.",
    presets=preset_catalogue(
        smoke=Sizes(classes=("SL",), lengths=((1, 10),), words=(200,), languages=(10,)),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
