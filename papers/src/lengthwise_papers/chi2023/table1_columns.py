"""The columns of Table 1 as we train them, and how their cells are scored."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lengthwise_papers.cells import best_and_mean
from lengthwise_papers.chi2023.published import PUBLISHED, Published
from lengthwise_papers.chi2023.training import GROWING_BY_MUON
from lengthwise_papers.experiment import Record

NEAR, FAR = "near", "far"
"""Names of tests: the paper's lengths, and far beyond."""


class Column(NamedTuple):
    """Training and test of the runs of a column, in all presets."""

    title: str
    model: str
    settings: Mapping[str, Any] = {}
    only: tuple[str, ...] = ()
    """The rows that it has; all, if none is named."""
    is_far: bool = False
    """Says that it is tested at `Sizes.far`, too."""


MEASURED: Mapping[str, Column] = {
    "rnn": Column("RNN", "elman", {"patience": 0}),
    "transformer": Column("Transformer", "chomsky-transformer", {"patience": 0}),
    "regular-gpt C=2": Column("RegularGPT C=2", "regular-gpt", {"chunk_size": 2}),
    "regular-gpt C=3": Column("RegularGPT C=3", "regular-gpt", {"chunk_size": 3}),
    "regular-gpt C=3, growing": Column(
        "RegularGPT C=3, growing words", "regular-gpt", {"chunk_size": 3, **GROWING_BY_MUON}
    ),
    **{
        f"regular-gpt C={chunk}, xavier": Column(
            f"RegularGPT C={chunk}, Xavier weights",
            "regular-gpt",
            {"chunk_size": chunk, "initial": "xavier"},
        )
        for chunk in (2, 3)
    },
    "transitions": Column(
        "RegularGPT C=2, transition supervision",
        "regular-gpt",
        {"chunk_size": 2, "objective": "transition"},
        only=("modular-arithmetic",),
    ),
    "binary": Column("RegularGPT, binary memory", "regular-gpt-binary", is_far=True),
    "binary-final": Column(
        "RegularGPT, binary memory, final supervision",
        "regular-gpt-binary",
        {"objective": "final", "patience": 0, "learning_rate": 2e-3, "schedule": "cosine"},
    ),
}


XAVIER = tuple(key for key in MEASURED if key.endswith(", xavier"))
"""Columns with the initial weights that `laptop` has everywhere, beside those of the authors."""

USUAL = tuple(key for key in MEASURED if key not in XAVIER)


def score_longer_lengths(runs_: Sequence[Record]) -> tuple[float, float]:
    """Return best and mean over seeds at the tested lengths that training never had."""
    return best_and_mean(runs_, NEAR, beyond=find_longest(runs_))


def find_longest(runs_: Sequence[Record]) -> int:
    """Return the greatest length of words of training of any run."""
    return max(map(find_training_length, runs_))


def find_reached_length(run: Record) -> int:
    """Return the greatest length of the words that training came to."""
    return int(run.get("longest", find_training_length(run)))


def find_training_length(run: Record) -> int:
    """Return the greatest length of the words of training."""
    return int(run["settings"]["data"]["max_length"])


def find_printed(records: Sequence[Record]) -> Mapping[tuple[str, str], Published]:
    """Return the paper's numbers, if the records are of the paper's words."""
    tests = [record["tests"][NEAR] for record in records if "tests" in record]
    return PUBLISHED if all(test["protocol"] == "published" for test in tests) else {}
