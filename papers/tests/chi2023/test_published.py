"""The report finds the numbers that the papers print, by entry point."""

from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.section import PUBLISHED


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


def test_the_page_shows_what_the_paper_prints(shell: Shell, tmp_path: Path) -> None:
    run, page = str(tmp_path / "run"), tmp_path / "page.html"
    small = ("--model", "regular-gpt", "--preset", "smoke", "--device", "cpu")
    assert shell("train", "parity", "--out", run, *small)[0] == 0
    assert shell("evaluate", run, "--lengths", "41:43", "--words", "20", "--device", "cpu")[0] == 0
    assert shell("report", run, "--out", str(page))[0] == 0
    assert "100.0 max, 100.0 mean" in page.read_text(encoding="utf-8")
