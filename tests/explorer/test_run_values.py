"""What the page is told of a run: its certificate, level by level, and answers of the network."""

import json

import pytest

import lengthwise as lw
from lengthwise.errors import RunError
from lengthwise.explorer.run_values import Network, proof_values, run_values
from lengthwise.explorer.subjects import subject_of
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run
from proofs.trained import train_proved


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train_proved(tmp_path_factory, "parity")


def test_a_proof_is_shown_as_the_certificate_has_it(proved: Run) -> None:
    values = json.loads(json.dumps(run_values(proved)))
    made, shown = lw.certify(proved), values["certificate"]
    assert (shown["verdict"], shown["statement"]) == ("equivalent", made.statement)
    assert shown["refused"] == ""
    assert shown["is_own"]
    levels = values["proof"]["levels"]
    assert [level["edge"]["count"] for level in levels] == [len(one["edge"]) for one in made.levels]
    for level, one in zip(levels, made.levels, strict=True):
        assert level["interior"]["pairs"] == [list(pair) for pair in one["interior"]]
    assert values["proof"]["repeats"] == made.repeats
    assert values["tables"] is not None


def test_pairs_of_a_proof_agree_with_the_tables_of_the_run(proved: Run) -> None:
    """Every code of the proof stands in the tables, where edge codes have their state's class."""
    values = run_values(proved)
    proof, tables = values["proof"], values["tables"]
    machine = proved.language.total().minimise()
    for level in proof["levels"][1:]:
        for element, state in level["edge"]["pairs"]:
            number = tables["codes"].index(proof["codes"][element])
            assert tables["levels"][1]["classes"][number] == machine.classes[state]


def test_many_pairs_are_counted_and_not_listed(
    proved: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lengthwise.explorer.run_values.MOST_PAIRS", 1)
    last = proof_values(lw.certify(proved))["levels"][-1]
    assert last["edge"]["count"] > 1
    assert last["edge"]["pairs"] is None


def test_a_recurrent_network_has_prefixes_and_answers() -> None:
    language = parse("parity")
    run = lw.train(language, "gru-binary", device="cpu", d_model=8, steps=2, preset="smoke")
    values = run_values(run)
    assert values["tables"] is None
    assert "tables are made of vectors of sub-words" in values["no_tables"]
    assert values["proof"]["is_recurrent"]
    assert Network(run.model, language).answer({"word": "01"}) == {
        "answer": int(lw.predict(run, ["01"])[0]),
        "levels": None,
    }


def test_a_stored_certificate_is_checked(proved: Run) -> None:
    assert proved.folder is not None
    before = proved.folder.certificate.exists()
    said: list[str] = []
    values = run_values(proved, said.append)
    assert values["certificate"]["is_stored"] == before
    keeps = f"(lengthwise certify {proved.folder.path} would keep one)"
    assert said == [] if before else keeps in said[0]
    assert proved.folder.certificate.exists() == before, "nothing is written"


def test_the_network_answers_or_says_why_not(proved: Run) -> None:
    language = proved.language
    network = Network(proved.model, language)
    for word in ("", "0", "0110", "01" * 50):
        found = network.answer({"word": word})
        assert found["answer"] == language.classify(word)
    assert network.answer({"word": "0x"}) == {
        "error": "column 2: symbol 'x' is not in the alphabet. Use: 0 1",
        "column": 2,
    }


def test_a_run_about_no_language_is_refused() -> None:
    with pytest.raises(RunError, match="classifies no words"):
        subject_of("tests/stored_runs/steps", None, served=True)


def test_a_model_of_the_package_is_named_and_not_its_place() -> None:
    run = subject_of("zoo:parity-tiny", None, served=True).data["run"]
    assert run["certificate"]["verdict"] == "equivalent"
    assert ["folder", "zoo:parity-tiny"] in [list(fact) for fact in run["about"]]
    with pytest.raises(RunError, match="Did you mean zoo:parity"):
        subject_of("zoo:parrity", None, served=True)
