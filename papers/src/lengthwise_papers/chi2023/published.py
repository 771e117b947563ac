"""The numbers that Chi et al. (2023) print in Table 1, and the lengths of its words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

COLUMNS = ("rnn", "transformer", "regular-gpt C=2", "regular-gpt C=3")
"""The columns that are printed."""

ROWS: dict[str, tuple[tuple[float, float], ...]] = {
    "even-pairs": ((100.0, 100.0), (99.7, 73.2), (100.0, 89.3), (100.0, 96.6)),
    "modular-arithmetic": ((100.0, 100.0), (21.9, 20.3), (96.4, 82.6), (21.2, 20.5)),
    "parity": ((100.0, 98.9), (52.3, 50.1), (100.0, 100.0), (100.0, 88.7)),
    "cycle-navigation": ((100.0, 100.0), (21.7, 20.6), (100.0, 100.0), (100.0, 78.6)),
    "d-2": ((100.0, 100.0), (100.0, 80.1), (100.0, 100.0), (99.8, 96.5)),
    "d-3": ((100.0, 100.0), (100.0, 77.8), (100.0, 99.7), (98.6, 93.0)),
    "d-4": ((100.0, 100.0), (100.0, 82.6), (100.0, 98.7), (97.7, 91.6)),
    "d-12": ((100.0, 100.0), (100.0, 80.3), (100.0, 99.8), (94.1, 90.4)),
    "tomita-3": ((100.0, 100.0), (100.0, 94.4), (100.0, 99.7), (100.0, 99.9)),
    "tomita-4": ((100.0, 100.0), (100.0, 70.0), (100.0, 99.8), (100.0, 99.3)),
    "tomita-5": ((100.0, 100.0), (74.5, 74.5), (100.0, 99.8), (98.2, 84.1)),
    "tomita-6": ((100.0, 100.0), (50.0, 50.0), (100.0, 98.5), (100.0, 65.7)),
}
"""Language to (max, average) for each column."""

_FIRST_GROUP = 4

_TRAINED_LONGER = {"d-12": 80}
"""Rows of the second group that the authors' settings train on longer words than the paper says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """Accuracy in per cent as printed, over seeds: the best, and the mean."""

    source: str
    best: float
    mean: float
    train_length: int
    """Longest training word."""
    test_lengths: tuple[int, int]
    """First and last tested length."""


def _table() -> dict[tuple[str, str], Published]:
    cells = {}
    for index, (language, row) in enumerate(ROWS.items()):
        first = index < _FIRST_GROUP
        for column, (best, mean) in zip(COLUMNS, row, strict=True):
            cells[language, column] = Published(
                source="Chi et al. (2023), Table 1",
                best=best,
                mean=mean,
                train_length=40 if first else _TRAINED_LONGER.get(language, 50),
                test_lengths=(41, 500) if first else (51, 100),
            )
    return cells


PUBLISHED: dict[tuple[str, str], Published] = _table()
"""(language, column) to the printed numbers."""

_COLUMNS = {"elman": "rnn", "chomsky-transformer": "transformer"}
"""Models other than RegularGPT that have a column in the table."""


def find(language: str, model: str, network: Mapping[str, Any]) -> Published | None:
    """Return the printed number for a language and a network, if the table has one."""
    column = _COLUMNS.get(model)
    if "chunk_size" in network:
        column = f"regular-gpt C={network['chunk_size']}"
    return PUBLISHED.get((language, column)) if column else None


def find_lengths(row: str) -> tuple[int, tuple[int, int]]:
    """Return the longest word of training, and the first and last length of the test."""
    cell = PUBLISHED.get((row, COLUMNS[0]))
    return (cell.train_length, cell.test_lengths) if cell else (40, (41, 500))
