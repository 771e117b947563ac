"""The printed numbers, by spot checks against the paper."""

from lengthwise.experiments.chi2023.table1 import COLUMNS, PUBLISHED
from lengthwise.languages.spec import parse


def test_printed_numbers() -> None:
    for row, column, printed in (
        ("modular-arithmetic", "regular-gpt C=2", (96.4, 82.6, 40, (41, 500))),
        ("tomita-6", "regular-gpt C=3", (100.0, 65.7, 50, (51, 100))),
    ):
        cell = PUBLISHED[row, column]
        assert (cell.best, cell.mean, cell.train_length, cell.test_lengths) == printed
    assert len(PUBLISHED) == 12 * len(COLUMNS)


def test_every_row_is_a_language_of_ours_and_no_mean_is_above_its_best() -> None:
    for (spec, _), cell in PUBLISHED.items():
        assert parse(spec).spec == spec
        assert cell.mean <= cell.best <= 100
