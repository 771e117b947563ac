"""Figure 3: what its curve must show."""

from typing import Any

import pytest

from lengthwise_papers.chiang2022 import figure3
from smoke_runs import change, failing, smoke
from smoke_runs import results as results  # noqa: PLC0414  a fixture


def test_figure_3_fails_where_its_curve_is_not_as_the_paper_says(
    results: dict[str, dict[str, Any]],
) -> None:
    name = "chiang2022/figure3"
    records = smoke(results, name)
    assert failing(name, change(records, {"accuracy": 0.95}, weight=1.0)) == ["at 1, it has"]
    assert failing(name, change(records, {"bits": 0.1}, weight=1.0)) == ["at 1, it has"]
    assert failing(name, change(records, {"bits": 0.001}, weight=1.1)) == ["at 1, it has"]
    blunt = [
        record | ({"accuracy": 1.0} if abs(record["weight"] - 1) < 0.02 else {})
        for record in records
    ]
    assert failing(name, blunt) == ["cross-entropy and accuracy are"]
    smooth = [record | {"bits": 9 * min(1, 100 * abs(record["weight"] - 1))} for record in records]
    smooth = change(smooth, {"bits": 0.0}, weight=1.0)
    assert failing(name, smooth) == ["the cross-entropy oscillates rapidly"]


def test_figure_3_is_right_as_long_as_the_count_is_off_by_less_than_half_a_place(
    results: dict[str, dict[str, Any]],
) -> None:
    records = smoke(results, "chiang2022/figure3")
    assert 1.0 in {record["weight"] for record in records}
    for record in records:
        off = abs(record["weight"] - 1) * record["most_ones"]
        if off < 0.5:
            assert record["accuracy"] == 1
        elif off < 1.0:
            assert record["accuracy"] < 1
    ((symbols, *_, half, _),) = figure3.table(records).rows
    assert symbols == "100"
    assert float(half) == pytest.approx(1 / (2 * records[0]["most_ones"]), abs=1e-5)
