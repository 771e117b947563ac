"""The report's section about networks that compute functions."""

from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.report.report import read_run, render


@pytest.mark.parametrize(("spec", "pictures"), [("gray", 1), ("rule:a -> b / c _ d", 2)])
def test_the_report_draws_the_automata_and_says_what_is_right(
    spec: str, pictures: int, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    settings: dict[str, Any] = {"steps": 2, "max_length": 6, "device": "cpu"}
    run = lw.train(spec, "gru-binary", preset="smoke", out=out, progress=False, **settings)
    lw.evaluate(run, lengths=[3, 4], words=8)
    page = render([read_run(out)])
    assert page.count("<figure") == page.count("The automaton that reads from the") == pictures
    assert ("Table of outputs" in page) == (pictures == 2)
    assert "An output is right if all its symbols are." in page
    assert "published" not in page.partition("All settings")[0]
    assert lw.function(spec).size in page
    assert "By length and class" in page
    assert "mean loss" not in page
    assert "problem.function.left" not in page
