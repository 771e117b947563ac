"""Runs about functions: trained or computed, stored, loaded, proved and asked."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import lengthwise as lw
from function_strategies import draw_function
from lengthwise.cli.main import main
from lengthwise.errors import CertificateError, ConfigError, LanguageError, RunError, WordError
from lengthwise.languages.functions.arithmetic import addition
from lengthwise.problems.functions.problem import FunctionProblem, recognition_of
from lengthwise.problems.registry import as_problem, kind_of, problem_from_dict
from lengthwise.problems.runs import load_run
from lengthwise.proofs.check.induction import check
from lengthwise.proofs.check.statement import facts_of
from lengthwise.training.construction_files import save_compiled
from lengthwise.training.run_listing import list_runs

SWAPPED = "add[base=2] | rule[01]:1 -> 0 / 1 _"
"""Adds, then writes 0 for the second of two ones."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> lw.Run:
    """A network that has hardly been trained."""
    out = tmp_path_factory.mktemp("runs") / "gray"
    return lw.train("gray", "gru-binary", preset="smoke", steps=2, max_length=6, out=out)


def test_a_function_is_a_problem_of_its_own(tmp_path: Path) -> None:
    for given in ("add[base=2]", lw.function("add[base=2]"), lw.language("add[base=2]")):
        problem = as_problem(given)
        assert isinstance(problem, FunctionProblem)
        assert problem.function == addition(2)
        assert problem_from_dict({"kind": problem.kind, **problem.to_dict()}) == problem
    assert kind_of("gray | gray") is FunctionProblem
    assert FunctionProblem.of(addition(2)).name == "a function (sequential, 2 states)"
    assert recognition_of(lw.language("parity")).kind == "recognition"


def test_a_run_is_loaded_and_writes_outputs(run: lw.Run) -> None:
    assert run.folder is not None
    again = lw.load(run.folder.path)
    words = ["", "0", "01101"]
    written = lw.predict(again, words)
    assert written == lw.predict(run, words)
    assert [len(output) for output in written] == [0, 1, 5]
    config = json.loads((run.folder.path / "config.json").read_text())
    assert config["problem"]["function"]["spec"] == "gray"
    with pytest.raises(WordError, match="'2' is not in the alphabet"):
        lw.predict(run, ["012"])
    with pytest.raises(ConfigError, match="snapped is not for functions"):
        lw.predict(run, ["0"], snapped=True)


@pytest.mark.parametrize("right", [1, 2])
def test_a_certificate_names_a_function_without_a_name_by_its_digest(right: int) -> None:
    function = draw_function(0, left=2, right=right)
    made = lw.certify(lw.compile(function))
    digest = hashlib.sha256(function.line.encode()).hexdigest()[:32]
    both = "" if function.is_sequential else ", read from both ends,"
    claim = f"{both} gives every output symbol of every input of the function {digest}"
    for proof in (made, check(made)):
        assert f"{claim} ({function.size}), at every length." in proof.statement
        assert ("function", digest) in [(name, text[:32]) for name, text in facts_of(proof)]
    other = draw_function(1, left=2, right=right)
    forged = replace(made, language=replace(made.language, spec=other.line))
    with pytest.raises(CertificateError):
        check(forged)


@pytest.mark.parametrize(
    "spec", ["add[base=2]", "add[base=2,first=high]", "rule:a -> b / c _ d", "gray | gray"]
)
def test_computed_weights_are_proved_of_every_output(spec: str) -> None:
    made = lw.compile(spec)
    proof = lw.certify(made)
    both = "" if lw.function(spec).is_sequential else ", read from both ends,"
    name = spec if " " not in spec else json.dumps(spec)
    assert proof.statement.endswith(
        f"{both} gives every output symbol of every input of {name}, at every length."
    )
    assert ("read from both ends" in proof.statement) == bool(both)
    assert ("table" in proof.summary()["terms"][-1]) == bool(both)
    assert made.verify(longest=12, progress=False).holds


def test_a_wrong_output_refutes(tmp_path: Path) -> None:
    """The proof is of the outputs of another function, though words and symbols are the same."""
    made = lw.compile("add[base=2]")
    other = lw.certify(made, language=lw.language(SWAPPED))
    assert other.verdict == "counterexample"
    assert other.counterexample is not None
    word = other.counterexample.word
    wrong = lw.function(SWAPPED)(word)
    right = lw.function("add[base=2]")(word)
    assert wrong[:-1] == right[:-1]
    assert wrong[-1] != right[-1]
    assert "for the last symbol of an input of length 2" in other.statement


def test_a_certificate_that_names_another_function_is_refused(tmp_path: Path) -> None:
    proof = lw.certify(lw.compile("add[base=2]"))
    path = tmp_path / "certificate.json"
    proof.save(path)
    assert "every output symbol of every input of add[base=2]," in lw.check(path).statement
    for name in (SWAPPED, "prefixes:parity", "add[base=2,first=high]"):
        forged = replace(proof, language=replace(proof.language, spec=name))
        forged.save(path)
        assert forged.statement.startswith("Claimed, not checked: ")
        with pytest.raises(CertificateError):
            lw.check(path)
    # The content of a file is not looked at, so nothing is said of outputs.
    replace(proof, language=replace(proof.language, spec="mealy:/nowhere")).save(path)
    assert "gives every word of the automaton" in lw.check(path).statement


def test_the_empty_input_refutes_nothing(tmp_path: Path) -> None:
    """It has no output, so its class is free."""
    spec = "regex[01]:(0|1)(0|1)*"
    proof = lw.certify(lw.compile(spec), language=f"prefixes:{spec}")
    assert proof.verdict == "equivalent"
    proof.save(tmp_path / "certificate.json")
    assert "every output symbol" in lw.check(tmp_path / "certificate.json").statement
    refuted = lw.certify(lw.compile("prefixes:tomita-3"), language="gray")
    assert refuted.counterexample is not None
    assert refuted.counterexample.word == "0"


def test_functions_with_the_same_classes_are_told_apart_by_their_tables(tmp_path: Path) -> None:
    first, second = (f"rule[abcd]:a -> {symbol} / _ d" for symbol in "bc")
    assert lw.language(first).difference(lw.language(second)) is None
    path = tmp_path / "certificate.json"
    lw.certify(lw.compile(first)).save(path)
    assert lw.check(path, language=first).verdict == "equivalent"
    with pytest.raises(CertificateError, match="for another language than rule"):
        lw.check(path, language=second)


def test_a_stored_function_with_the_name_of_another_is_refused() -> None:
    stored = FunctionProblem.of(addition(2)).to_dict()
    assert FunctionProblem.from_dict(stored).function == addition(2)
    stored["function"]["spec"] = "subtract[base=2]"
    with pytest.raises(LanguageError, match=r"is not subtract\[base=2\], as its name says"):
        FunctionProblem.from_dict(stored)


def test_computed_weights_answer_numbers() -> None:
    made = lw.compile("add[base=10,first=high]")
    assert lw.predict(made, ["999 + 001", "019+281", ""]) == ["000", "300", ""]
    assert lw.compile(addition(2)).language.num_states == 4
    bimachine = addition(2).reverse()
    assert lw.predict(lw.compile(bimachine), ["1+1 0+1"]) == [bimachine("1+1 0+1")]


def test_a_folder_about_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "machine.att"
    path.write_text("0 0 a b\n0 1 c c\n1 1 a a\n1 0 c c\n0\n1\n")
    made = lw.compile(f"mealy:{path}")
    assert lw.predict(made, ["acaca"]) == ["bcacb"]
    path.write_text("0 0 a c\n0 0 c c\n0\n")
    with pytest.raises(LanguageError, match="another function now"):
        lw.predict(made, ["a"])


def test_a_function_without_a_name_is_listed_in_few_characters(
    run: lw.Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.folder is not None
    assert [listed.subject for listed in list_runs(run.folder.path)] == ["gray"]
    function = draw_function(1, left=5, right=4)
    made = lw.compile(function)
    save_compiled(tmp_path, made.compiled, made.model, {})
    assert main(["ls", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert 'bimachine:{"alphabet"' in out
    assert len(out.splitlines()[-1]) < 200 < len(function.line)
    assert list_runs(tmp_path)[0].subject == function.line
    for shown in (repr(made), made.compiled.task.title):
        assert '"table"' not in shown


def test_a_damaged_function_of_computed_weights_is_said_to_be_in_its_file(tmp_path: Path) -> None:
    made = lw.compile(draw_function(2))
    save_compiled(tmp_path, made.compiled, made.model, {})
    config = json.loads((tmp_path / "config.json").read_text())
    language = config["language"]
    named = {**language, "spec": "bimachine:{}"}
    (tmp_path / "config.json").write_text(json.dumps({**config, "language": named}))
    with pytest.raises(RunError, match=r"config\.json: bimachine:JSON"):
        load_run(tmp_path)
    del language["classes"]
    (tmp_path / "config.json").write_text(json.dumps({**config, "language": language}))
    with pytest.raises(RunError, match=r"config\.json is damaged: a stored language"):
        load_run(tmp_path)


def test_a_certificate_is_not_compared_with_a_damaged_function(
    run: lw.Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.folder is not None
    own = shutil.copytree(run.folder.path, tmp_path / "run")
    lw.certify(run).save(own / "certificate.json")
    config = json.loads((own / "config.json").read_text())
    del config["problem"]["function"]["left"]
    (own / "config.json").write_text(json.dumps(config))
    assert main(["certify", "--check", str(own / "certificate.json"), str(own)]) == 2
    error = capsys.readouterr().err
    assert f"{own}/config.json is damaged: a stored function" in error


def test_the_report_and_the_account_are_about_outputs(run: lw.Run) -> None:
    assert run.account.title == "gray, gru-binary"
    assert run.problem.noun == "functions"
