"""Random automata from words of 15 to 30 symbols alone: who finds them, and is the statement true?

Automata of 3 to 10 states over 2 to 4 symbols, with uniform transitions and classes, label uniform
words. The learners are those of `long_words`. The true automaton judges afterwards: whether it was
found, exactly, and the share of other words of the same law that is misjudged. The statement of
`lw.infer` gives a limit for that share, and a verdict; both are compared with the truth.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np

from lengthwise.evaluation.scores import wilson
from lengthwise.inference.statement import DataStatement
from lengthwise.languages.language import Language
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.labels_alone import is_same
from lengthwise_papers.own.long_words import LEARNERS, infer_words, with_classes_of
from lengthwise_papers.own.random_languages import draw_needed_machine
from lengthwise_papers.own.state_mergers import Word
from lengthwise_papers.parts import Part, PartsExperiment, group_records

LENGTHS = (15, 30)

TESTED = 20_000
"""Words of the test, none of them in the file."""

CHANCE = 0.05
"""Share of the way from the commonest class to no error that an automaton must be above chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Automata, numbers of words, learners, and seconds for each."""

    automata: int = 50
    words: tuple[int, ...] = (1_000, 5_000, 20_000)
    learners: tuple[str, ...] = ("pipeline", "RPNI", "EDSM")
    seconds: int = 60


def draw_automaton(seed: int) -> Language:
    """Draw a minimal automaton; the seeds go round all sizes."""
    draw = Random(f"automaton of words {seed}")
    return draw_needed_machine(draw, 3 + seed % 8, 2 + seed // 8 % 3)


def draw_words(language: Language, count: int, seed: int) -> dict[Word, int]:
    """Draw different words, uniform in length and symbols, with their classes."""
    draw, words = np.random.default_rng(seed), dict[Word, int]()
    while len(words) < count:
        length = draw.integers(LENGTHS[0], LENGTHS[1] + 1)
        word = tuple(draw.integers(language.num_symbols, size=length).tolist())
        words[word] = language.classify(word)
    return words


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each automaton, number of words and learner; seeds are of the automata."""
    return [
        Part(
            f"{learner}, {words} words, seed {seed}",
            {"learner": learner, "words": words, "seed": seed, "budget": sizes.seconds},
        )
        for words in sizes.words
        for learner in sizes.learners
        for seed in seeds or range(sizes.automata)
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Have a learner find an automaton, and judge what it found."""
    seed, count = settings["seed"], settings["words"]
    language = draw_automaton(seed)
    every = list(draw_words(language, count + TESTED, seed).items())
    words, tests = dict(every[:count]), dict(every[count:])
    inferred: Record = {}
    start = process_time()
    if settings["learner"] == "pipeline":
        inference = infer_words(language, words, settings["budget"], folder)
        statement = inference.statement
        assert isinstance(statement, DataStatement)
        inferred = {
            "verdict": statement.verdict or "found",
            "wrong_share_below": statement.wrong_share_below,
            "confidence": statement.confidence,
            "end": inference.end,
            "searcher": inference.searcher,
        }
        automaton: Language | None = with_classes_of(language, inference.language)
    else:
        automaton, _ = LEARNERS[settings["learner"]](language, words, settings["budget"], folder)
    seconds = round(process_time() - start, 1)
    commonest = Counter(words.values()).most_common(1)[0][0]
    wrong = sum(
        (commonest if automaton is None else automaton.classify(word)) != label
        for word, label in tests.items()
    )
    return [
        {
            **settings,
            **inferred,
            "told": "labels of whole words",
            "protocol": "uniform",
            "words_per_length": None,
            "lengths": list(LENGTHS),
            "symbols": language.num_symbols,
            "true_states": language.num_states,
            "states": None if automaton is None else automaton.num_states,
            "found": automaton is not None and is_same(automaton, language),
            "wrong_share": wrong / TESTED,
            "commonest_wrong_share": sum(y != commonest for y in tests.values()) / TESTED,
            "interval_95": list(wilson(wrong, TESTED)),
            "seconds": seconds,
            "environment": environment("cpu"),
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each number of words and learner."""
    rows = []
    for (words, learner), runs in group_records(records, "words", "learner").items():
        wrong = 100 * sum(run["wrong_share"] for run in runs) / len(runs)
        times = sorted(run["seconds"] for run in runs)
        rows.append(
            [
                f"{words:,}",
                learner,
                f"{sum(run['found'] for run in runs)} of {len(runs)}",
                f"{wrong:.1f}",
                f"{times[len(times) // 2]:.1f}",
                f"{times[-1]:.0f}",
            ]
        )
    header = ["words", "learner", "found", "misjudged, mean %", "median seconds", "most"]
    return Table(header, rows)


def verdicts(records: Sequence[Record]) -> Table:
    """Return a row for each number of words and verdict: what was true of it."""
    rows = []
    with_verdict = [record for record in records if "verdict" in record]
    for (words, verdict), runs in group_records(with_verdict, "words", "verdict").items():
        wrong = [100 * run["wrong_share"] for run in runs]
        false = sum(map(is_false, runs))
        rows.append(
            [
                f"{words:,}",
                verdict,
                str(len(runs)),
                str(sum(run["found"] for run in runs)),
                f"{min(wrong):.1f} to {max(wrong):.1f}",
                f"{false} of {len(runs)}",
            ]
        )
    header = ["words", "verdict", "files", "exact", "misjudged %", "limit is false"]
    return Table(header, rows)


def is_false(record: Record) -> bool:
    """Return whether the limit of a statement is below what the test shows for sure."""
    return bool(record["interval_95"][0] > record["wrong_share_below"])


def is_at_chance(record: Record) -> bool:
    """Return whether an automaton is hardly better than the commonest class."""
    return bool(record["wrong_share"] > (1 - CHANCE) * record["commonest_wrong_share"])


def check(records: Sequence[Record]) -> list[Statement]:
    """Say who finds more, and whether the statements are true."""
    counts = {
        key: sum(run["found"] for run in runs)
        for key, runs in group_records(records, "words", "learner").items()
    }
    other_learners = sorted({learner for _, learner in counts} - {"pipeline"})
    ahead = [
        counts[words, "pipeline"] >= counts.get((words, other), 0)
        for words, learner in counts
        if learner == "pipeline"
        for other in other_learners
    ]
    with_verdict = [record for record in records if "verdict" in record]
    false = sum(map(is_false, with_verdict))
    with_automaton = [record for record in with_verdict if record["verdict"] == "found"]
    chance = sum(map(is_at_chance, with_automaton))
    return [
        Statement(
            "ours",
            "no other learner finds more automata, from any number of words",
            all(ahead),
            ", ".join(f"{words:,} words, {who}: {count}" for (words, who), count in counts.items()),
        ),
        Statement(
            "ours",
            "the limit of the statement is true in 99.9 % of the files",
            false <= 0.001 * len(with_verdict),
            f"{false} of {len(with_verdict)} false",
        ),
        Statement(
            "ours",
            "no automaton at chance is called found",
            chance == 0,
            f"{chance} of {len(with_automaton)} at chance",
        ),
    ]


RANDOM_WORDS = PartsExperiment(
    item="random words",
    claim="Random automata are found from words of 15 to 30 symbols alone, or the statement says "
    "that they are not.",
    presets=preset_catalogue(
        smoke=Sizes(automata=1, words=(300,), seconds=5),
        laptop=Sizes(),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"Statements": verdicts},
    check=check,
)
