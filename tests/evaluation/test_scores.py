"""Numbers read off records, against plain arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import ConfigError, RunError
from lengthwise.evaluation.scores import (
    Score,
    Scores,
    parse_lengths,
    percent,
    percent_interval,
    wilson,
)

cells = st.lists(
    st.tuples(st.integers(1, 30), st.integers(0, 50), st.integers(0, 50), st.floats(0, 9)),
    min_size=1,
    max_size=12,
    unique_by=lambda cell: cell[0],
)


def record(length: int, label: str, correct: int, wrong: int, loss: float) -> Score:
    return Score(
        task="parity@1",
        model="m",
        length=length,
        label=label,
        correct=correct,
        total=correct + wrong,
        loss=loss,
    )


@given(cells=cells)
def test_summary_is_what_plain_arithmetic_gives(
    cells: list[tuple[int, int, int, float]],
) -> None:
    records = []
    expected: dict[int, float] = {}
    for length, right, wrong, loss in cells:
        records += [record(length, "0", right, wrong, loss), record(length, "1", 3, 1, 0.5)]
        expected[length] = (right + 3) / (right + wrong + 4)
    scores = Scores(tuple(r for r in records if r.total))

    summary = scores.summary()

    assert scores.accuracy_by_length() == pytest.approx(expected)
    assert summary["mean_accuracy"] == pytest.approx(sum(expected.values()) / len(expected))
    worst = min(expected.values())
    assert summary["worst_accuracy"] == pytest.approx(worst)
    assert expected[summary["worst_length"]] == pytest.approx(worst)
    below = [n for n in sorted(expected) if expected[n] < 0.99]
    assert summary["first_length_below_99"] == (below[0] if below else None)
    assert summary["words"] == sum(r.total for r in records)
    assert Scores.from_records(scores.to_records()) == scores


@given(total=st.integers(1, 10_000), share=st.floats(0, 1))
def test_wilson_interval_solves_its_equation(total: int, share: float) -> None:
    """Both ends p satisfy |share - p| = z sqrt(p (1 - p) / n)."""
    correct = round(share * total)
    low, high = wilson(correct, total)
    assert low <= correct / total <= high
    for end in (low, high):
        assert 0 <= end <= 1
        distance = abs(correct / total - end)
        assert distance == pytest.approx(
            1.959963984540054 * math.sqrt(end * (1 - end) / total), abs=1e-7
        )


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("5", [5]),
        ("3:6", [3, 4, 5, 6]),
        ("10:30:10", [10, 20, 30]),
        ("100,1:3", [1, 2, 3, 100]),
        ("0", [0]),
    ],
)
def test_lengths_as_users_write_them(text: str, lengths: list[int]) -> None:
    assert parse_lengths(text) == lengths


@pytest.mark.parametrize(
    "text", ["", "a", "5:3", "1:2:0", "1:2:3:4", "-3", "1;2", "²", "1:999999999"]
)
def test_lengths_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="length"):
        parse_lengths(text)


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100.00"), (0.999999, "99.99"), (0.5, "50.00"), (0.29, "29.00")]
)
def test_percentages_are_rounded_down_so_that_100_means_all(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.99997595, 0.99999925, "99.997 to 99.999"),
        (0.99998, 1.0, "99.998 to 100.000"),
        (0.5, 0.50001, "50.000 to 50.001"),
        (0.5000001, 0.5000011, "50.000 to 50.001"),
        (0.0, 0.07, "0.000 to 7.000"),
        (*wilson(512, 512), "99.255 to 100.000"),
        (*wilson(235_519, 235_520), "99.997 to 99.999"),
    ],
)
def test_an_interval_reaches_100_only_if_all_are_right(low: float, high: float, text: str) -> None:
    assert percent_interval(low, high) == text


def test_damaged_records_are_refused() -> None:
    with pytest.raises(RunError, match="does not fit"):
        Scores.from_records([{"length": 3}])
