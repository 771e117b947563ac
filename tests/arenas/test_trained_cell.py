"""The result of one cell: its verdict in words, and its score."""

from typing import Any

import pytest

from lengthwise.arenas.trained_cell import Cell

FOUND = {"is_proved": False, "verdict": "equivalent", "wrong_length": None, "seconds": 2.0}


def cell(given: str = "prefix", **found: Any) -> Cell:
    return Cell(
        network="gru",
        language="parity",
        seed=0,
        given=given,
        by_length=((40, 10, 10), (41, 10, 9), (500, 100, 50)),
        found={**FOUND, **found},
    )


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({}, "proved"),
        ({"verdict": "counterexample"}, "refuted"),
        ({"verdict": "not-closed"}, "not closed"),
        ({"verdict": None}, "not a recurrence"),
        ({"is_proved": True}, "proved as it runs"),
    ],
)
def test_each_verdict_has_words(found: dict[str, Any], verdict: str) -> None:
    assert cell(**found).verdict == verdict


def test_of_outputs_nothing_is_proved_and_a_failure_is_one() -> None:
    assert cell("outputs", verdict=None).verdict == "not regular"
    assert (
        Cell(network="gru", language="parity", seed=0, given="final", error="no").verdict
        == "failed"
    )


def test_each_length_counts_alike_in_the_score_and_each_word_in_the_numbers() -> None:
    assert cell().score(41, 500) == pytest.approx((0.9 + 0.5) / 2)
    assert cell().right(41, 500) == (59, 110)
    assert cell().score(600, 700) is None


def test_the_shortest_wrong_word_is_that_of_any_test() -> None:
    assert cell().wrong_length == 41
    assert cell(wrong_length=7).wrong_length == 7
