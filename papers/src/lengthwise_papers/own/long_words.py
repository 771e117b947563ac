"""Languages from words that are all of 20 to 29 symbols, as in MLRegTest: who finds them?

Each language of the sixteen classes of MLRegTest (van der Poel et al., 2024; the languages are
drawn by our own generators) labels different words of 20 to 29 symbols, half of each class. A
learner sees these words and nothing else. The true language judges afterwards: whether the
automaton is that language, exactly, and how often the learner is right on words of four kinds. The
words are as long as those of training, or of 31 to 50 symbols; and they are random, half of each
class, or adversarial: pairs of words that one edit turns from one class into the other.

The learners: the pipeline of `lw.infer`; RPNI and EDSM of AALpy, and EDSM of flexfringe; a GRU, an
LSTM and a transformer that are trained on the same words for a fixed number of steps, about a
minute of a processor.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import lengthwise as lw
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_text
from lengthwise.languages.language import Language
from lengthwise.languages.subregular import CLASSES, subregular
from lengthwise.tasks.audited_draws import one_edit_into
from lengthwise.tasks.automaton import PAD, Automaton
from lengthwise.tasks.task import Task
from lengthwise.training.devices import environment
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.labels_alone import is_same
from lengthwise_papers.own.state_mergers import MERGERS, Merger, Word, commonest_label
from lengthwise_papers.parts import Part, PartsExperiment, group_records

LENGTHS, LONGER = (20, 29), (31, 50)
"""Lengths of the words of training and of half of the tests, and of the other tests."""

TESTS = {
    "short random": (LENGTHS, False),
    "short adversarial": (LENGTHS, True),
    "long random": (LONGER, False),
    "long adversarial": (LONGER, True),
}
"""Kinds of test words: their lengths, and whether they come in pairs one edit apart."""

TESTED = 2_000
"""Words of each test."""

Answer = Callable[[Sequence[Word]], list[int]]
Learner = Callable[[Language, Mapping[Word, int], int, Path], tuple[Language | None, Answer]]
"""Learns from words of a language in a number of seconds, with a folder to write to; returns the
automaton, if it finds one, and what answers words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Languages of each class, alphabets, numbers of words, learners, and seconds for each."""

    classes: tuple[str, ...] = tuple(CLASSES)
    symbols: tuple[int, ...] = (4, 16, 64)
    languages: tuple[int, ...] = (10, 11, 12)
    words: tuple[int, ...] = (1_000, 10_000, 100_000)
    learners: tuple[str, ...] = ("pipeline", "RPNI", "EDSM", "GRU", "LSTM", "transformer")
    seconds: int = 60


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each language, number of words and learner; seeds are of the languages."""
    return [
        Part(
            f"{learner}, {kind}, {symbols} symbols, {words} words, seed {seed}",
            {
                "learner": learner,
                "class": kind,
                "symbols": symbols,
                "words": words,
                "seed": seed,
                "budget": sizes.seconds,
            },
        )
        for words in sizes.words
        for symbols in sizes.symbols
        for learner in sizes.learners
        for seed in seeds or sizes.languages
        for kind in sizes.classes
    ]


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Have a learner find a language, and judge what it found."""
    language = subregular(settings["class"], seed=settings["seed"], symbols=settings["symbols"])
    return [{**settings, **measure_language(language, settings, folder)}]


def measure_language(language: Language, settings: Mapping[str, Any], folder: Path) -> Record:
    """Have the learner of the settings find a language from words drawn by the seed of the
    settings, and judge what it found.
    """
    draws = torch.Generator().manual_seed(settings["seed"])
    words = draw_words(language, settings["words"], LENGTHS, draws)
    start = _processor_seconds()
    automaton, answer = LEARNERS[settings["learner"]](language, words, settings["budget"], folder)
    seconds = round(_processor_seconds() - start, 1)
    fits = answer(list(words)) == list(words.values())
    accuracies = {}
    for name, (lengths, is_adversarial) in TESTS.items():
        tests = draw_words(language, TESTED, lengths, draws, is_adversarial=is_adversarial)
        answers = answer(list(tests))
        accuracies[name] = sum(map(int.__eq__, answers, tests.values())) / len(tests)
    worst = min(accuracies.values())
    return {
        "told": "labels of whole words",
        "protocol": "uniform within a class",
        "words_per_length": None,
        "lengths": list(LENGTHS),
        "true_states": language.num_states,
        "drawn": len(words),
        "states": None if automaton is None else automaton.num_states,
        "found": automaton is not None and is_same(automaton, language),
        "fits": fits,
        "accuracies": accuracies,
        "interval_95": list(wilson(round(worst * TESTED), TESTED)),
        "seconds": seconds,
        "environment": environment("cpu"),
    }


def _processor_seconds() -> float:
    """Return the seconds that this process and programs that it started have used."""
    return sum(os.times()[:4])


def draw_words(
    language: Language,
    count: int,
    lengths: tuple[int, int],
    generator: torch.Generator,
    *,
    is_adversarial: bool = False,
) -> dict[Word, int]:
    """Draw different words with their classes, half of each class where there are enough."""
    task, first = Task(language=language), lengths[0]
    automaton, words = Automaton(language), dict[Word, int]()
    every = torch.arange(first, lengths[1] + 1)
    for _ in range(20):
        missing = count - len(words)
        if missing <= 0:
            break
        drawn_lengths = every[torch.randint(len(every), (max(missing, 64),), generator=generator)]
        goals = torch.arange(len(drawn_lengths)) % 2
        exists = torch.tensor([[task.sampler.exists(int(n), c) for c in (0, 1)] for n in every])
        fits = exists[drawn_lengths - first, goals]
        drawn_lengths, goals = drawn_lengths[fits], goals[fits]
        tokens = task.sampler.draw(goals, drawn_lengths, generator)
        pairs = [(tokens, goals)]
        if is_adversarial:
            edited, is_edited = one_edit_into(automaton, tokens, 1 - goals, generator)
            pairs = [
                (tokens[is_edited], goals[is_edited]),
                (edited[is_edited], 1 - goals[is_edited]),
            ]
        for word_tokens, classes in pairs:
            words |= dict(zip(words_of(word_tokens), classes.tolist(), strict=True))
    return dict(list(words.items())[:count])


def words_of(tokens: Tensor) -> list[Word]:
    """Return right-aligned words without the padding on their left."""
    return [tuple(symbol for symbol in row if symbol != PAD) for row in tokens.tolist()]


def write_words(language: Language, words: Mapping[Word, int], folder: Path) -> Path:
    """Write labelled words to a file that the package reads."""
    file, names = folder / "words.tsv", language.class_names
    lines = [f"{language.decode(word)}\t{names[label]}\n" for word, label in words.items()]
    write_text(file, "".join(lines))
    return file


def infer_words(
    language: Language, words: Mapping[Word, int], seconds: int, folder: Path
) -> lw.Inference:
    """Infer an automaton from words of a language."""
    file = write_words(language, words, folder)
    alphabet = list(language.alphabet)
    found = lw.infer(file, alphabet=alphabet, budget=float(seconds), progress=False)
    assert isinstance(found, lw.Inference)  # not of pairs
    if found.end == "stopped":  # by Ctrl-C, which `lw.infer` takes for the end of the search
        raise KeyboardInterrupt
    return found


def with_classes_of(language: Language, automaton: Language) -> Language:
    """Return an automaton with its classes numbered as in the language whose words it is of."""
    index = {name: number for number, name in enumerate(language.class_names)}
    numbers = tuple(index[name] for name in automaton.class_names)
    classes = tuple(numbers[number] for number in automaton.classes)
    return replace(automaton, classes=classes, class_names=language.class_names)


def _pipeline(
    language: Language, words: Mapping[Word, int], seconds: int, folder: Path
) -> tuple[Language | None, Answer]:
    automaton = with_classes_of(language, infer_words(language, words, seconds, folder).language)
    return automaton, lambda asked_words: [automaton.classify(word) for word in asked_words]


def _merging(merge: Merger) -> Learner:
    """Return a learner that merges states; it says the commonest class if the time is used up."""

    def learn(
        language: Language, words: Mapping[Word, int], seconds: int, folder: Path
    ) -> tuple[Language | None, Answer]:
        automaton = merge(language, words, seconds, folder)
        if automaton is None:
            common = commonest_label(words)
            return None, lambda tested: [common] * len(tested)
        return automaton, lambda tested: [automaton.classify(word) for word in tested]

    return learn


def _network(model: str, steps: int) -> Learner:
    """Return a learner that trains a network of width 128; it finds no automaton."""

    def learn(
        language: Language, words: Mapping[Word, int], seconds: int, folder: Path
    ) -> tuple[Language | None, Answer]:
        run = lw.train(
            f"words:{write_words(language, words, folder)}",
            model=model,
            alphabet=list(language.alphabet),
            d_model=128,
            steps=steps,
            progress=False,
        )
        numbers = {name: number for number, name in enumerate(language.class_names)}
        return None, lambda tested: [
            numbers[name] for name in lw.predict(run, [language.decode(word) for word in tested])
        ]

    return learn


LEARNERS: Mapping[str, Learner] = {
    "pipeline": _pipeline,
    **{name: _merging(merge) for name, merge in MERGERS.items()},
    "GRU": _network("gru", 1_500),
    "LSTM": _network("lstm", 1_500),
    "transformer": _network("chomsky-transformer", 500),
}


def table(records: Sequence[Record]) -> Table:
    """Return a row for each class, alphabet and number of words, a column for each learner."""
    learners = list(dict.fromkeys(record["learner"] for record in records))
    rows = []
    keys = ("words", "symbols", "class")
    for (words, symbols, kind), runs in group_records(records, *keys).items():
        cells = []
        for learner in learners:
            of_learner = [run for run in runs if run["learner"] == learner]
            cells += [_count_found(of_learner), _mean_worst(of_learner)]
        rows.append([f"{words:,}", str(symbols), kind, *cells])
    heads = [head for name in learners for head in (f"{name}: found", "worst of four tests, %")]
    return Table(["words", "symbols", "class", *heads], rows)


def _count_found(runs: Sequence[Record]) -> str:
    return f"{sum(run['found'] for run in runs)} of {len(runs)}" if runs else ""


def count_fitting(runs: Sequence[Record]) -> str:
    """Return how many of what is not the language give all words their labels, if it is recorded;
    words held out are among them.
    """
    others = [run for run in runs if not run["found"]]
    if not others or not all("fits" in run for run in others):
        return ""
    return f"{sum(run['fits'] for run in others)} of {len(others)}"


def _mean_worst(runs: Sequence[Record]) -> str:
    if not runs:
        return ""
    worst = [min(run["accuracies"].values()) for run in runs]
    return f"{100 * sum(worst) / len(worst):.1f}"


def totals(records: Sequence[Record]) -> Table:
    """Return a row for each number of words, alphabet and learner: found, accuracy, time."""
    rows = []
    for (words, symbols, learner), runs in group_records(
        records, "words", "symbols", "learner"
    ).items():
        means = [
            f"{100 * sum(run['accuracies'][name] for run in runs) / len(runs):.1f}"
            for name in TESTS
        ]
        longest = max(run["seconds"] for run in runs)
        median = sorted(run["seconds"] for run in runs)[len(runs) // 2]
        rows.append(
            [
                *(f"{words:,}", str(symbols), learner, _count_found(runs), count_fitting(runs)),
                *(*means, f"{median:.0f}", f"{longest:.0f}"),
            ]
        )
    header = ["words", "symbols", "learner", "found", "others that fit all words"]
    header += [f"{name} %" for name in TESTS]
    return Table([*header, "median seconds", "most"], rows)


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether the pipeline is ahead, and how many languages it finds."""
    most = [record for record in records if record["words"] >= 10_000]
    of_pipeline = [record for record in most if record["learner"] == "pipeline"]
    other_learners = sorted({record["learner"] for record in records} - {"pipeline"})
    num_found = sum(record["found"] for record in of_pipeline)
    behind = []
    for (kind,), runs in group_records(records, "class").items():
        found: dict[str, dict[tuple[int, int, int], bool]] = {"pipeline": {}}
        for run in runs:
            cell = run["words"], run["symbols"], run["seed"]
            found.setdefault(run["learner"], {})[cell] = run["found"]
        ours = found.pop("pipeline")
        for name, cells in found.items():
            shared = cells.keys() & ours.keys()
            if sum(cells[cell] for cell in shared) > sum(ours[cell] for cell in shared):
                behind.append(f"{kind} ({name})")
    return [
        Statement(
            "ours",
            "half of the languages are found from 10,000 words and more",
            2 * num_found >= len(of_pipeline),
            f"{num_found} of {len(of_pipeline)}",
        ),
        Statement(
            "ours",
            "no other learner finds more languages of a class",
            not behind,
            f"all but {', '.join(behind)}" if behind else f"against {', '.join(other_learners)}",
        ),
    ]


LONG_WORDS = PartsExperiment(
    item="long words",
    claim="Languages are found from words that are all long.",
    presets=preset_catalogue(
        smoke=Sizes(classes=("SL",), symbols=(4,), languages=(0,), words=(300,), seconds=20),
        laptop=Sizes(learners=(*Sizes().learners, "flexfringe")),
        paper=Sizes(seconds=120),
    ),
    parts=parts,
    measure=measure,
    table=table,
    more={"By number of words": totals},
    check=check,
)
