"""The report finds the numbers that the papers print, by entry point."""

import pytest

from lengthwise.problems.recognition.section import PUBLISHED
from lengthwise.problems.runs import make_plan


@pytest.mark.parametrize(
    ("model", "printed"),
    [
        ("elman", (100.0, 98.9)),
        ("chomsky-transformer", (52.3, 50.1)),
        ("regular-gpt", (100.0, 100.0)),
        ("gru", None),
    ],
)
def test_the_report_finds_what_a_paper_prints(
    model: str, printed: tuple[float, float] | None
) -> None:
    found = PUBLISHED["chi2023-table1"](
        "parity", model, make_plan("parity", model).network.to_dict()
    )
    assert (found and (found.best, found.mean)) == printed
