"""Figure 2: lengths, records, and what its curves must show."""

import math
from typing import Any

import pytest

from lengthwise_papers.chiang2022 import figure2
from smoke_runs import change, failing, smoke
from smoke_runs import results as results  # noqa: PLC0414  a fixture


def test_figure_2_fails_where_its_curves_are_not_as_the_paper_says(
    results: dict[str, dict[str, Any]],
) -> None:
    name = "chiang2022/figure2"
    records = smoke(results, name)
    one = {"language": "first", "length": 1_000}
    wrong = change(records, {"accuracy": 0.95}, **one, epsilon=None)
    assert failing(name, wrong) == ["the exact networks have"]
    falls = change(records, {"bits": 0.991}, **one, epsilon=None)
    falls = change(falls, {"bits": 0.992}, language="first", length=100, epsilon=None)
    assert failing(name, falls) == ["without layer norm, the"]
    sure = [
        {**r, "bits": r["bits"] * (0.95 if r["language"] == "first" else 1)}
        if r["epsilon"] is None
        else r
        for r in records
    ]
    assert failing(name, sure) == ["without layer norm, the"]
    worse = change(records, {"bits": 0.9995}, **one, epsilon=0.1)
    assert failing(name, worse) == ["with layer norm and"]
    falls = change(records, {"bits": 0.0014}, **one, epsilon=1e-5)
    assert failing(name, falls) == ["but it still grows"]
    low = [{**r, "bits": r["bits"] / 4 if r["epsilon"] == 0.1 else r["bits"]} for r in records]
    assert failing(name, low) == ["but it still grows"]
    uneven = change(records, {"bits": 0.0014}, **one, epsilon=0.0)
    assert failing(name, uneven) == ["with ε = 0,"]
    high = [{**r, "bits": 0.002 if r["epsilon"] == 0 else r["bits"]} for r in records]
    assert failing(name, high) == ["and can be made"]


def test_figure_2_has_lengths_of_equal_ratios() -> None:
    assert figure2.geometric(100) == [1, 2, 3, 6, 10, 18, 32, 56, 100]
    assert figure2.geometric(1_000)[-1] == 1_000


def test_figure_2_has_a_record_for_each_network_and_length(
    results: dict[str, dict[str, Any]],
) -> None:
    records = smoke(results, "chiang2022/figure2")
    lengths = figure2.geometric(1_000)
    assert len(records) == 2 * (1 + len(figure2.EPSILONS)) * len(lengths)
    weight = math.e / (math.e + 1)  # of the one symbol, beside CLS
    expected = -math.log2(1 / (1 + math.exp(-weight / 2)))
    found = [
        record["bits"]
        for record in records
        if (record["language"], record["epsilon"], record["length"]) == ("first", None, 1)
    ]
    assert found == [pytest.approx(expected, abs=1e-12)]
