"""String tasks from the door that users take: train, evaluate, predict, the arena's test."""

from pathlib import Path

import pytest
import torch

from lengthwise.answers import evaluate, predict
from lengthwise.errors import ConfigError, TaskError, WordError
from lengthwise.problems.base import Run, run_test
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.registry import kind_of
from lengthwise.problems.runs import train
from lengthwise.problems.sweep_tests import Test
from lengthwise.problems.transduction import problem
from lengthwise.problems.transduction.objective import read_outputs
from lengthwise.problems.transduction.problem import TransductionProblem
from lengthwise.problems.transduction.strings import draw_strings
from lengthwise.tasks.chomsky_tasks import TRANSDUCTIONS

SMALL = {"steps": 3, "validate_every": 3, "validation_words": 8, "max_length": 8, "d_model": 4}


@pytest.fixture(scope="module")
def run() -> Run:
    return train(make_plan("chomsky:stack-manipulation", "gru", settings=SMALL))


def test_a_plan_is_stored_and_named_by_its_task() -> None:
    plan = make_plan("chomsky:reverse-string", "decoder", settings={"max_length": 8})
    assert kind_of("chomsky:reverse-string") is TransductionProblem
    assert kind_of("chomsky-parity") is not TransductionProblem
    assert plan_from_dict(plan.to_dict()) == plan
    assert (plan.network.vocab_size, plan.network.num_classes) == (3, 2)
    assert plan.network.max_length >= 16
    assert plan.problem.name == "chomsky:reverse-string"


def test_a_test_has_the_score_by_length_and_a_shortcut(run: Run) -> None:
    tested = evaluate(run, lengths=[2, 9], words=5)
    rows = tested.to_records()
    assert [row["length"] for row in rows] == [2, 9]
    shares = [row["right"] / row["total"] for row in rows]
    assert tested.summary()["accuracy"] == pytest.approx(sum(shares) / 2)
    assert 1 / 3 <= tested.summary()["shortcuts"]["most frequent symbol"] < 1
    assert ("proof", "none: the task is deterministic context-free, not regular") in tested.facts
    result = run_test(run, Test(name="t", lengths=(1, 2, 9), words_per_length=5))
    assert [tuple(row) for row in result.by_length] == [
        (row["length"], row["total"], row["right"]) for row in rows
    ]
    assert result.summary["missing_lengths"] == [1]


def test_a_test_is_beyond_the_lengths_of_training_unless_they_are_given(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problem, "_FARTHEST", 20)
    lengths = [row["length"] for row in evaluate(run, words=1).to_records()]
    assert lengths == list(range(9, 21))
    short = train(
        make_plan(
            "chomsky:odds-first",
            "decoder",
            settings={**SMALL, "num_heads": 1, "num_layers": 1, "position": "learned"},
        )
    )
    assert [row["length"] for row in evaluate(short, words=1).to_records()] == [8]
    with pytest.raises(TaskError, match="reads none of the lengths"):
        run_test(short, Test(name="t", lengths=(41, 100), words_per_length=1))


def test_answers_are_the_symbols_at_the_placeholders(run: Run) -> None:
    task = TRANSDUCTIONS["stack-manipulation"]
    drawn = draw_strings(task, 6, 3, torch.Generator().manual_seed(0))
    words = ["".join(task.symbols[code] for code in row[:6]) for row in drawn.tokens]
    with torch.no_grad():
        codes = read_outputs(run.model, drawn).argmax(dim=2).tolist()
    assert predict(run, words) == ["".join(task.outputs[code] for code in row) for row in codes]
    with pytest.raises(WordError, match="has '7'"):
        predict(run, ["0117"])


def test_slips_get_a_line() -> None:
    with pytest.raises(ConfigError, match="unknown string task 'reverse'"):
        make_plan("chomsky:reverse")
    with pytest.raises(ConfigError, match="encoder-cls answers at the end of a string only"):
        make_plan("chomsky:reverse-string", "encoder-cls")
    with pytest.raises(ConfigError, match="max_length=2"):
        make_plan("chomsky:solve-equation", settings={"max_length": 2})


def test_a_run_is_continued_from_its_folder(tmp_path: Path) -> None:
    plan = make_plan("chomsky:compute-sqrt", settings=SMALL)
    first = train(plan, out=tmp_path / "run")
    again = train(plan, out=tmp_path / "run")
    assert again.metrics == first.metrics
    assert plan.problem.curve(again.folder, plan) is None  # type: ignore[attr-defined]
    result = run_test(again, Test(name="t", lengths=(9, 12), words_per_length=4))
    curve = plan.problem.curve(again.folder, plan)  # type: ignore[attr-defined]
    shares = {row.length: 100 * row.correct / row.words for row in result.by_length}
    assert curve.points == shares
