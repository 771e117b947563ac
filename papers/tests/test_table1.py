"""The printed numbers, by spot checks against the paper."""

import pytest

from lengthwise.languages.spec import parse
from lengthwise_papers.chi2023.table1 import COLUMNS, NEAR, PUBLISHED, check, fit_table
from lengthwise_papers.experiment import Record

ROWS = list(dict.fromkeys(row for row, _ in PUBLISHED))


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


def run_of(accuracy: float, longest: int | None) -> Record:
    """A run of the Transformer, as its record tells."""
    reached = {} if longest is None else {"longest": longest}
    right = {"lengths": "41:44", "words_per_length": 2, "missing": [], "wrong": {"41": 2, "42": 2}}
    test = {"mean_accuracy": 0.5, "protocol": "published", **right}
    return {
        **{"row": "parity", "column": "transformer", "seed": 0, "perfect": False},
        **{"settings": {"data": {"max_length": 40}}, "validation_accuracy": accuracy},
        **{"tests": {NEAR: test}, **reached},
    }


@pytest.mark.parametrize(
    ("runs", "fits"),
    [
        ([(0.995, 40), (1.0, None)], True),
        ([(0.995, 40), (0.98, 40)], False),  # one seed does not fit
        ([(1.0, 33)], False),  # words did not grow to the end
    ],
)
def test_a_network_fits_if_every_seed_does_up_to_the_longest_words(
    runs: list[tuple[float, int | None]], fits: bool
) -> None:
    records = [{**run_of(*run), "row": row} for row in ROWS for run in runs]
    (statement,) = check(records)
    assert statement.holds == fits
    assert statement.measured == (f"12 of 12: {', '.join(ROWS)}" if fits else "0 of 12: none")
    assert [row[:2] for row in fit_table(records).rows] == [[row, "Transformer"] for row in ROWS]
    assert check(records[: -len(runs)]) == []  # a row is missing


def test_runs_that_do_not_know_how_they_fit_have_no_row() -> None:
    old = run_of(1.0, None)
    del old["validation_accuracy"]
    assert not fit_table([old]).rows
    assert check([old]) == []
