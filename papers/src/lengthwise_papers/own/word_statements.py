"""How often the statement about labelled words is false, on files that repeat words in many ways.

A source draws words by a known law, and a file of its lines is divided by the hash of each word. An
automaton A, chosen by the lines that are not held out, differs from the true one on words with some
factor. The bound of the statement is compared with the exact share of the different words held out
that A misjudges, from the law. For comparison, so is the limit of Clopper and Pearson, taken for
one of draws, with the exact share of draws. Some files go through the search as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import lengthwise as lw
from lengthwise.data.labelled_words import LabelledWords
from lengthwise.data.parts import TEST
from lengthwise.errors import TextError
from lengthwise.evaluation.scores import wilson
from lengthwise.files import write_text
from lengthwise.inference.limits import limit_of_different, upper_limit
from lengthwise.inference.statement import CONFIDENCE, DataStatement
from lengthwise.languages.language import Language
from lengthwise_papers.experiment import Record, Statement, Table, preset_catalogue
from lengthwise_papers.own.random_languages import uniform_automaton
from lengthwise_papers.parts import Part, PartsExperiment, group_records

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]

_SUPPORT = 4_000
"""Number of words that a source draws."""

_MOST = 40
"""Number of lines of a word above which the label of most of them is the right one."""

_SHARES = (0.05, 0.2)
"""Shares of the words that are held out."""

_LINES = (300, 1_000, 4_000)

_CANDIDATES = 6
"""Number of automata among which the lines that are not held out choose one."""


class Kind(NamedTuple):
    """A kind of file: the masses of the words of its source, and how its lines come."""

    masses: Callable[[np.random.Generator, Counts], Floats]
    """Returns the probability of each word, from the classes of all."""
    noise: float = 0.0
    """Share of the lines whose label is wrong."""
    burst: int = 1
    """Mean number of equal lines that come together."""
    is_sorted: bool = False
    near: bool = False
    """Whether words are few and others that differ from them in a symbol."""


def _even(draw: np.random.Generator, classes: Counts) -> Floats:
    return np.ones(len(classes))


def _heavy(share: float) -> Callable[[np.random.Generator, Counts], Floats]:
    def masses(draw: np.random.Generator, classes: Counts) -> Floats:
        weights = np.ones(len(classes))
        weights[draw.integers(len(classes))] = (len(classes) - 1) * share / (1 - share)
        return weights

    return masses


def _zipf(draw: np.random.Generator, classes: Counts) -> Floats:
    return np.asarray(1.0 / draw.permutation(np.arange(1, len(classes) + 1)))


def _rare_class(draw: np.random.Generator, classes: Counts) -> Floats:
    ones = max(1, int(classes.sum()))
    return np.where(classes == 1, 1 / ones, 50 / max(1, len(classes) - ones))


KINDS: Mapping[str, Kind] = {
    "words alike in frequency": Kind(_even),
    "one word is 20 % of the lines": Kind(_heavy(0.2)),
    "one word is 50 % of the lines": Kind(_heavy(0.5)),
    "Zipf's law": Kind(_zipf),
    "Zipf's law, sorted": Kind(_zipf, is_sorted=True),
    "bursts of 8 equal lines": Kind(_even, burst=8),
    "Zipf's law, bursts of 8": Kind(_zipf, burst=8),
    "near-duplicates": Kind(_zipf, near=True),
    "one line in 51 of class 1": Kind(_rare_class),
    "5 % of the labels wrong": Kind(_even, noise=0.05),
    "Zipf's law, 5 % wrong": Kind(_zipf, noise=0.05),
}


class Source(NamedTuple):
    """Words in the order of their hashes, with the language that labels them and their law."""

    language: Language
    words: LabelledWords
    written: list[str]
    probabilities: Floats

    @classmethod
    def of(cls, kind: Kind, seed: int, draw: np.random.Generator) -> "Source":
        """Draw a source of a kind."""
        language = uniform_automaton(seed)
        symbols, distinct = language.num_symbols, set[tuple[int, ...]]()
        base = [
            tuple(draw.integers(symbols, size=draw.integers(6, 15)).tolist()) for _ in range(300)
        ]
        while len(distinct) < _SUPPORT:
            word = draw.integers(symbols, size=draw.integers(3, 15)).tolist()
            if kind.near:
                word = list(base[draw.integers(len(base))])
                for place in draw.integers(len(word), size=2):
                    word[place] = int(draw.integers(symbols))
            distinct.add(tuple(word))
        ordered = sorted(distinct)
        classes = [language.classes[language.run(word)] for word in ordered]
        words = LabelledWords.of(ordered, classes, language.alphabet, language.class_names)
        masses = kind.masses(draw, np.asarray(words.classes, dtype=np.int64))
        spellings = [words.format_word(row) for row in range(len(words))]
        return cls(language, words, spellings, masses / masses.sum())

    def hold_out(self, share: float) -> Mask:
        """Return which words the hash holds out."""
        rows = self.words.rows(TEST, validation_share=0.05, test_share=share, max_length=None)
        is_held = np.zeros(len(self.words), dtype=bool)
        is_held[rows] = True
        return is_held

    def lines(self, kind: Kind, count: int, draw: np.random.Generator) -> tuple[Counts, Counts]:
        """Draw lines; return how many each word has, and how many of these with a wrong label."""
        counts = draw.multinomial(max(1, count // kind.burst), self.probabilities)
        if kind.burst > 1:
            more = draw.poisson(counts * (kind.burst - 1))
            counts = counts + more
        return counts, draw.binomial(counts, kind.noise)

    def chances(self, kind: Kind, count: int) -> tuple[Floats, Floats]:
        """Return the probabilities that a word is there with a wrong label, and with the right one.

        A word has the label of most of its lines, and is left out if there is none.
        """
        draws, p = max(1, count // kind.burst), self.probabilities
        present = -np.expm1(draws * np.log1p(-np.minimum(p, 1 - 1e-12)))
        if not kind.noise:
            return np.zeros_like(present), present
        wrong, tied, exactly = np.zeros_like(p), np.zeros_like(p), (1 - p) ** draws
        for m in range(1, _MOST + 1):
            exactly = exactly * (draws - m + 1) / m * p / (1 - p)
            flips = [comb(m, k) * kind.noise**k * (1 - kind.noise) ** (m - k) for k in range(m + 1)]
            wrong += exactly * sum(flips[m // 2 + 1 :])
            tied += exactly * (flips[m // 2] if m % 2 == 0 else 0.0)
        return wrong, present - wrong - tied

    def find_misjudged(self, draw: np.random.Generator) -> list[Mask]:
        """Return which words each of some automata misjudges: those with a factor."""
        symbols = self.language.alphabet
        factors = [
            "".join(draw.choice(symbols, size=size)) for size in draw.integers(3, 11, _CANDIDATES)
        ]
        return [np.array([factor in word for word in self.written]) for factor in factors]


def judge(kind: Kind, source: Source, draw: np.random.Generator) -> dict[str, float] | None:
    """Return the bound about an automaton and the truth, by words and by draws.

    It is None where no word is held out.
    """
    share, count = draw.choice(_SHARES), int(draw.choice(_LINES))
    held, (lines, flipped) = source.hold_out(share), source.lines(kind, count, draw)
    other, tied = 2 * flipped > lines, (2 * flipped == lines) & (lines > 0)
    seen = (lines > 0) & ~tied
    candidates = source.find_misjudged(draw)
    disagree = [((candidate != other) & seen & ~held).sum() for candidate in candidates]
    prediction = candidates[int(np.argmin(disagree))]
    total, wrong = int((seen & held).sum()), int(((prediction != other) & seen & held).sum())
    if total == 0:
        return None
    flipped_there, right_there = source.chances(kind, count)
    errors = np.where(prediction, right_there, flipped_there)[held].sum()
    every = (flipped_there + right_there)[held].sum()
    p, noise = source.probabilities, kind.noise
    by_draws = np.where(prediction, 1 - noise, noise)
    return {
        "held_out": total,
        "bound": limit_of_different(wrong, total, 1 - CONFIDENCE),
        "true_share": float(errors / every),
        "limit_of_draws": upper_limit(wrong, total, 1 - CONFIDENCE),
        "true_share_of_draws": float((p * by_draws).sum()),
        "true_share_of_draws_held_out": float((p * by_draws)[held].sum() / p[held].sum()),
    }


def search(
    kind: Kind, source: Source, draw: np.random.Generator, file: Path
) -> dict[str, float] | None:
    """Return the bound of the statement about an inferred automaton and the truth.

    It is None where no automaton fits, or a part has no words.
    """
    count = int(draw.choice((200, 600)))
    lines, flipped = source.lines(kind, count, draw)
    rows = np.repeat(np.arange(len(lines)), lines)
    is_flipped = np.concatenate([np.arange(n) < k for n, k in zip(lines, flipped, strict=True)])
    if not (kind.is_sorted or kind.burst > 1):
        order = draw.permutation(len(rows))
        rows, is_flipped = rows[order], is_flipped[order]
    labels = source.words.classes[rows].astype(int) ^ is_flipped
    write_text(
        file,
        "".join(
            f"{source.written[row]}\t{label}\n" for row, label in zip(rows, labels, strict=True)
        ),
    )
    settings: dict[str, Any] = {"label_noise": kind.noise, "test_share": 0.2, "max_states": 64}
    try:
        inferred = lw.infer(
            file, alphabet="".join(source.language.alphabet), progress=False, **settings
        )
    except TextError:
        return None
    statement, automaton = inferred.statement, inferred.language
    answers = [automaton.class_names[automaton.classify(word)] for word in source.written]
    truth = [source.language.class_names[number] for number in source.words.classes]
    wrong = np.array([a != b for a, b in zip(answers, truth, strict=True)])
    assert isinstance(statement, DataStatement)
    held = source.hold_out(0.2)
    flipped_there, right_there = source.chances(kind, count)
    errors = np.where(wrong, right_there, flipped_there)[held].sum()
    every = (flipped_there + right_there)[held].sum()
    is_language = automaton.difference(replace(source.language, spec="")) is None
    return {
        "held_out": statement.held_out.words,
        "bound": statement.wrong_share_below,
        "true_share": float(errors / every),
        "wrongly_refuted": int(statement.verdict == "refuted" and is_language),
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """Numbers of statements about automata that are given, and of files that are searched."""

    statements: int
    files: int
    seeds: tuple[int, ...] = (0,)


def parts(sizes: Sizes, seeds: Sequence[int]) -> list[Part]:
    """Return a part for each kind of file."""
    all_parts = []
    for seed, kind in product(seeds or sizes.seeds, KINDS):
        settings = {"kind": kind, "statements": sizes.statements, "files": sizes.files}
        all_parts.append(Part(f"{kind}, seed {seed}", {**settings, "seed": seed}))
    return all_parts


_OF_A_SOURCE = 50
"""Number of statements about files of one source."""


def measure(settings: Mapping[str, Any], folder: Path) -> list[Record]:
    """Make files of a kind, and count the statements that are false."""
    kind = KINDS[settings["kind"]]
    draw = np.random.default_rng([settings["seed"], list(KINDS).index(settings["kind"])])
    judgements, files = list[dict[str, float]](), list[dict[str, float]]()
    source = Source.of(kind, 0, draw)
    for number in range(settings["statements"]):
        if number % _OF_A_SOURCE == 0:
            source = Source.of(kind, number // _OF_A_SOURCE, draw)
        if (judgement := judge(kind, source, draw)) is not None:
            judgements.append(judgement)
    for number in range(settings["files"]):
        source = Source.of(kind, 1_000 + number, draw)
        if (judgement := search(kind, source, draw, folder / "words.tsv")) is not None:
            files.append(judgement)
    false = sum(judgement["true_share"] >= judgement["bound"] for judgement in judgements)
    of_draws = ("true_share_of_draws", "true_share_of_draws_held_out")
    return [
        {
            **settings,
            "made": len(judgements),
            "false": false,
            "false_of_draws": [
                sum(judgement[name] >= judgement["limit_of_draws"] for judgement in judgements)
                for name in of_draws
            ],
            "median_bound": float(np.median([judgement["bound"] for judgement in judgements])),
            "searched": len(files),
            "false_of_searched": sum(result["true_share"] >= result["bound"] for result in files),
            "wrongly_refuted": sum(result["wrongly_refuted"] for result in files),
            "words_per_length": None,
            "protocol": "drawn from the law of the kind, from the seed",
            "interval_95": list(wilson(len(judgements) - false, len(judgements))),
        }
    ]


def table(records: Sequence[Record]) -> Table:
    """Return a row for each kind, and one for all."""
    by_kind = [(kind, runs) for (kind,), runs in group_records(records, "kind").items()]
    rows = [_row(kind, runs) for kind, runs in [*by_kind, ("all", list(records))]]
    return Table(
        [
            *("file", "statements", "false", "false, read as of draws"),
            *("files searched", "false there", "A refuted though right"),
        ],
        rows,
    )


def _row(kind: str, runs: Sequence[Record]) -> list[str]:
    names = ("made", "false", "searched", "false_of_searched", "wrongly_refuted")
    sums = [f"{sum(run[name] for run in runs):,}" for name in names]
    draws = f"{sum(run['false_of_draws'][0] for run in runs):,}"
    return [kind, *sums[:2], draws, *sums[2:]]


def check(records: Sequence[Record]) -> list[Statement]:
    """Say whether at most one statement of a thousand is false."""
    num_made, false = (
        sum(record[a] + record[b] for record in records)
        for a, b in (("made", "searched"), ("false", "false_of_searched"))
    )
    refuted = sum(record["wrongly_refuted"] for record in records)
    return [
        Statement(
            "ours",
            f"at most {100 * (1 - CONFIDENCE):.1g} % of the statements are false",
            false <= (1 - CONFIDENCE) * num_made,
            f"{false} of {num_made:,}",
        ),
        Statement("ours", "no right automaton is refuted", refuted == 0, f"{refuted} are"),
    ]


WORD_STATEMENTS = PartsExperiment(
    item="statements about words",
    claim="What is said of different words is true with 99.9 %, however often words are repeated.",
    presets=preset_catalogue(
        smoke=Sizes(statements=20, files=1),
        laptop=Sizes(statements=2_000, files=20),
    ),
    parts=parts,
    measure=measure,
    table=table,
    check=check,
)
"""The calibration of the statement of `inference.statement`."""
