"""Every automaton that is compiled to zeros and ones is right, on many words.

The catalogue of languages, balanced words, groups up to 24 elements, 200 random automata and 200
random regular expressions (seeded), each compiled with chunk 2, and with chunk 3 where the network
is small enough. Every network, in float32, is asked about 1,000 audited words of every length from
1 to 64, and about long words, each a random walk among the states from which its class can still be
reached. Chunks with equal vectors are computed once, which changes nothing, as all vectors are
found to be zeros and ones; some words are asked in the ordinary way, and give the same answers.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lengthwise.constructions.automata import Design, build, design_automaton
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.evaluation.scores import wilson
from lengthwise.languages.language import Language
from lengthwise.languages.named_languages import CATALOGUE
from lengthwise.languages.spec import parse
from lengthwise.models.threads import processor_threads
from lengthwise.tasks.audited_draws import draw_audited
from lengthwise.tasks.automaton import Automaton
from lengthwise.tasks.sampling import UniformSampler
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import (
    long_words,
    random_automaton,
    random_expression,
)
from lengthwise_papers.own.shared_answers import SharedAnswers
from lengthwise_papers.parts import Part, PartsExperiment, group_records

GROUPS = (
    *(f"Z{n}" for n in range(2, 13)),
    *("Z24", "Z2xZ2", "Z2xZ4", "Z2xZ2xZ2", "Z3xZ3", "Z4xZ4", "Z2xZ12"),
    *("S2", "A3", "S3", "S3xZ2", "S3xZ3", "S3xZ4", "A4", "A4xZ2", "S4"),
)

MOST_PARAMETERS = {2: 20_000_000, 3: 2_000_000}
"""Larger networks of random languages with this chunk are left out, for time; all others are in."""

FAMILIES: Mapping[str, Callable[[str], Language]] = {
    "catalogue": parse,
    "balanced words": parse,
    "groups": lambda name: parse(f"group:{name}"),
    "random automata": lambda seed: random_automaton(int(seed)),
    "random expressions": lambda seed: random_expression(int(seed)),
}
"""How the language of a name, or of a seed, is made."""

_RANDOM = tuple(map(str, range(200)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages, and number of words of the tests."""

    names: tuple[tuple[str, ...], ...] = (
        tuple(CATALOGUE),
        ("d-2", "d-3", "d-4", "d-12"),
        GROUPS,
        _RANDOM,
        _RANDOM,
    )
    """Names, or seeds, of the languages of each family."""
    longest: int = 64
    words_per_length: int = 1_000
    long: int = 100_000
    long_words: int = 4


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each network; `seeds` are of the words."""
    languages = [
        (family, name)
        for family, names in zip(FAMILIES, sizes.names, strict=True)
        for name in names
    ]
    words = {
        key: getattr(sizes, key) for key in ("longest", "words_per_length", "long", "long_words")
    }
    return [
        Part(
            f"{family}, {name}, chunk {chunk}",
            {
                "family": family,
                "language": name,
                "chunk_size": chunk,
                "seed": seed + number,
                **words,
            },
        )
        for seed in seeds or (0,)
        for number, (family, name) in enumerate(languages)
        for chunk in (2, 3)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Return the record of one network, or of one that is left out, of 0 languages."""
    family, chunk = settings["family"], settings["chunk_size"]
    language = FAMILIES[family](settings["language"])
    counts = dict.fromkeys(("words", "long_words", "wrong", "largest_parameters"), 0)
    left_out = [{**settings, "languages": 0, "left_out": 1, **counts}]
    try:
        design = zero_one_design(language, chunk_size=chunk)
    except (ConstructionError, LanguageError):
        return left_out
    if family.startswith("random") and design.num_parameters > MOST_PARAMETERS[chunk]:
        return left_out
    start = time.perf_counter()
    with processor_threads(1), torch.no_grad():
        counts = count_wrong_answers(design, language, settings)
    num_words = counts["words"] + counts["long_words"]
    return [
        {
            **settings,
            "languages": 1,
            "left_out": 0,
            **counts,
            "interval_95": list(wilson(num_words - counts["wrong"], num_words)),
            "largest_parameters": design.num_parameters,
            "states": design.machine.num_states,
            "width": design.config.d_model,
            "target": design.target,
            "protocol": "audited",
            "precision": "float32",
            "seconds": round(time.perf_counter() - start, 2),
        }
    ]


def zero_one_design(language: Language, chunk_size: int = 2) -> Design:
    """Return the smaller of the networks whose vectors are zeros and ones.

    Raises:
        ConstructionError, LanguageError: both are too large.
    """
    designs, refused = [], None
    for target in ("matrices", "elements"):
        try:
            designs.append(design_automaton(language, chunk_size=chunk_size, target=target))
        except (ConstructionError, LanguageError) as error:
            refused = error
    if not designs and refused:
        raise refused
    return min(designs, key=lambda design: design.num_parameters)


def count_wrong_answers(
    design: Design, language: Language, settings: Mapping[str, Any]
) -> dict[str, int]:
    """Count the words that a network was asked, and the wrong answers."""
    model = build(design).float()
    answers = SharedAnswers(model)
    sampler = UniformSampler(language)
    seed, per_length = settings["seed"], settings["words_per_length"]
    generator = torch.Generator().manual_seed(seed)
    present = [n for n in range(1, settings["longest"] + 1) if sampler.classes_at(n)]
    words = wrong = 0
    if present:
        lengths = torch.tensor(present, dtype=torch.int64).repeat_interleave(per_length)
        tokens, right = draw_audited(sampler, lengths, generator)
        predictions = answers(tokens, lengths)
        words, wrong = len(tokens), int((predictions != right).sum())
        rows = torch.randperm(len(tokens), generator=generator)[:20]
        for row, n in zip(rows.tolist(), lengths[rows].tolist(), strict=True):
            plain = model(tokens[[row], tokens.shape[1] - n :])
            assert int(plain.argmax()) == int(predictions[row]), (
                "the ordinary way gives another answer"
            )
    long = long_words(language, settings["long"], settings["long_words"], seed)
    if long:
        tokens = torch.tensor(long)
        predictions = answers(tokens, torch.full((len(long),), tokens.shape[1]))
        wrong += int((predictions != Automaton(language).classify(tokens)).sum())
    return {
        "words": words,
        "long_words": len(long),
        "wrong": wrong,
        "chunks_computed": answers.computed,
    }


def table(records: Sequence[Record]) -> Table:
    """Return a row for each family: words asked, wrong answers, the largest network."""
    rows = []
    for (family, chunk), of_family in group_records(records, "family", "chunk_size").items():
        languages, left_out, words, long, wrong = (
            f"{sum(record[key] for record in of_family):,}"
            for key in ("languages", "left_out", "words", "long_words", "wrong")
        )
        largest = f"{max(record['largest_parameters'] for record in of_family):,}"
        rows.append([family, languages, left_out, str(chunk), words, long, wrong, largest])
    columns = ["languages", "how many", "left out", "chunk", "words of 1..64 symbols"]
    return Table([*columns, "words of 100,000", "wrong", "largest network, parameters"], rows)


def note(records: Sequence[Record]) -> str:
    """Say what was left out."""
    return "“Left out” are networks that were too large, or for which there was no time."


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether every answer is right."""
    words = sum(record["words"] + record["long_words"] for record in records)
    wrong = sum(record["wrong"] for record in records)
    measured = f"{wrong:,} of {words:,} answers wrong"
    return [Statement("ours", "every compiled automaton is right", not wrong, measured)]


CONSTRUCTIONS = PartsExperiment(
    item="constructions",
    claim="Weights computed for automata give every word the class that the automaton gives it.",
    presets=preset_catalogue(
        smoke=Sizes(
            names=(("parity",), ("d-2",), ("S3",), ("0",), ("0",)),
            longest=8,
            words_per_length=4,
            long=100,
            long_words=2,
        ),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    note=note,
    check=check,
)
