"""What the report says of the last evaluation of a run on a language."""

from pathlib import Path

import pytest

from lengthwise.errors import RunError
from lengthwise.evaluation.scores import Score, Scores
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.section import curve_of
from lengthwise.training.runs import RunFolder


def evaluate(path: Path, right: dict[int, int]) -> RunFolder:
    """A folder with an evaluation of 8 words of each length."""
    shared = {"task": "parity", "model": "gru", "label": "yes", "total": 8, "loss": 0.1}
    scores = Scores(tuple(Score(length=n, correct=m, **shared) for n, m in right.items()))  # type: ignore[arg-type]
    folder = RunFolder(path)
    folder.claim({})
    folder.save_evaluation(
        scores.to_records(),
        {
            **scores.summary(),
            **{"protocol": "uniform", "seed": 3, "words_per_length": 8},
            "shortcuts": {"majority": 0.5},
        },
    )
    return folder


def test_a_curve_has_the_right_words_of_each_length_in_per_cent(tmp_path: Path) -> None:
    plan = make_plan("parity", "gru", settings=[{"max_length": 12}])
    curve = curve_of(evaluate(tmp_path / "run", {10: 8, 20: 6, 40: 1}), plan)
    assert curve is not None
    assert curve.points == {10: 100, 20: 75, 40: 12.5}
    assert curve.measure == "accuracy (%)"
    assert curve.sample == "8 of each length, seed 3"
    assert [each.options for each in curve.conditions] == ["--protocol uniform"]
    assert curve.trained_to == 12


def test_without_an_evaluation_there_is_no_curve_and_half_of_one_is_refused(tmp_path: Path) -> None:
    plan = make_plan("parity", "gru")
    folder = RunFolder(tmp_path / "run")
    folder.claim({})
    assert curve_of(folder, plan) is None
    (evaluate(tmp_path / "half", {10: 8}).path / "scores.jsonl").write_text("")
    with pytest.raises(RunError, match=r"one half of an evaluation.*Evaluate it again"):
        curve_of(RunFolder(tmp_path / "half"), plan)
