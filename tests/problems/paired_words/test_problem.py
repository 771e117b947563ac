"""From pairs to a proved network: the run, its statement, its answers and its tests."""

import json
from pathlib import Path

import pytest

import lengthwise as lw
from lengthwise.errors import RunError
from lengthwise.problems.paired_words.problem import PairedWordsProblem
from lengthwise.problems.registry import kind_of
from lengthwise.training.run_listing import list_runs
from problems.paired_words.test_inference import write_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pairs of a function that needs both ends, and a run on them of two steps."""
    folder = tmp_path_factory.mktemp("pairs")
    file = write_pairs(folder / "own.tsv", SPEC, 400)
    lw.train(file, out=folder / "run", preset="smoke", steps=2, model="gru", progress=False)
    return folder


SPEC = "rule:a -> b / b _ b"


@pytest.mark.slow
def test_default_training_ends_with_a_proof(tmp_path: Path) -> None:
    run = lw.train(write_pairs(tmp_path / "own.tsv", SPEC, 400), out=tmp_path / "run")
    assert "with a proof that it computes F" in run.account.rows[1][1]
    assert lw.certify(run).verdict == "equivalent"
    assert lw.predict(run, ["bab" * 50]) == [lw.function(SPEC)("bab" * 50)]
    assert lw.evaluate(run).summary()["accuracy"] == 1.0
    again = lw.train(f"pairs:{tmp_path / 'own.tsv'}", out=tmp_path / "run", progress=False)
    assert again.metrics == run.metrics


def test_the_statement_is_about_the_function_whatever_the_network_does(folder: Path) -> None:
    run = lw.load(folder / "run")
    assert isinstance(run, lw.Run)
    assert run.account.rows[0][0] == "F, judged by pairs"
    assert run.account.rows[1][1].startswith("not proved")
    record = json.loads((folder / "run" / "statement.json").read_text())
    certificate = json.loads((folder / "run" / "certificate.json").read_text())
    assert certificate["language"]["spec"] == lw.function(SPEC).line
    assert record["held_out"]["wrong"] == 0
    (listed,) = list_runs(folder)
    assert (listed.subject, listed.held_out_accuracy) == ("pairs:own.tsv", 1.0)
    function = lw.Function.from_dict(json.loads((folder / "run" / "function.json").read_text()))
    assert function == lw.function(SPEC)


def test_the_run_answers_and_is_tested_on_the_pairs_held_out(folder: Path) -> None:
    run = lw.load(folder / "run")
    assert isinstance(run, lw.Run)
    answer = run.problem.predictor(run, {}).answer([(0, 1, 0), (1,) * 30])
    assert [len(each.record["output"]) for each in answer] == [3, 30]
    assert all(each.record["support"] > 0 and not each.mark for each in answer)
    tested = lw.evaluate(run).summary()
    assert tested["part"] == "test"
    assert 0 <= tested["accuracy"] <= tested["symbol_accuracy"] < 1
    assert set(tested["shortcuts"]) == set(tested["shortcut_symbols"])


def test_pairs_of_another_file_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="Use another folder"):
        lw.train(write_pairs(tmp_path / "x.tsv", "gray"), out=folder / "run", progress=False)


def test_the_prefix_names_a_file_of_pairs() -> None:
    assert kind_of("pairs:missing.jsonl") is PairedWordsProblem
