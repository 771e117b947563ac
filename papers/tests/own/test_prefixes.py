"""The class after every symbol: the functions, and one of them measured."""

from pathlib import Path

import pytest

from lengthwise_papers.chi2023.published import ROWS
from lengthwise_papers.own.prefixes import LANGUAGES, PREFIXES, measure, parts


def test_every_row_of_the_paper_is_there_and_the_printed_number_beside_it() -> None:
    assert {*LANGUAGES} == {*ROWS, "group:S3", "group:A5", "group:S5"}
    names = [part.name for part in parts(PREFIXES.presets["laptop"], ())]
    assert names[0] == "prefixes:even-pairs, seed 0"


@pytest.mark.slow
def test_a_network_is_measured(tmp_path: Path) -> None:
    settings = {"function": "prefixes:tomita-6", "seed": 0, "preset": "smoke"}
    (record,) = measure(settings, tmp_path)
    assert record["computed_verdict"] == "equivalent"
    assert record["written_symbols"] == 20_000
    row = PREFIXES.table([record]).rows[0]
    assert row[-1] == "100.0, 98.5"
    if record["verdict"] == "equivalent":
        assert record["wrong_symbols"] == 0
