"""Tables in place of a network, and the automaton of a run, as a user asks for them."""

import json
import re
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

import lengthwise as lw
from cli.shell import Shell
from lengthwise.languages.att import from_att
from lengthwise.languages.dot import to_dot
from lengthwise.languages.spec import parse
from lengthwise.training.runs import RunFolder
from proofs.snapped import parity_network
from proofs.trained import train_proved


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> str:
    """A small run that is right."""
    run = train_proved(tmp_path_factory, "parity")
    assert run.folder is not None
    shutil.copytree(run.folder.path, tmp_path / "run")
    return str(tmp_path / "run")


def test_snapped_predict_and_evaluate_agree_with_the_model_and_leave_its_records(
    shell: Shell, folder: str
) -> None:
    told = shell.json("snap", folder)
    assert told["is_exact"]
    assert Path(told["file"]).exists()
    assert [set(level) for level in told["levels"]] == [{"interior", "edge"}] * len(told["levels"])
    words = "0110\n\n1\n" + "01" * 3000 + "1\n"
    assert shell("predict", folder, "--snapped", stdin=words)[:2] == (0, "0\n0\n1\n1\n")
    same = shell.json("predict", folder, stdin=words)["words"]
    for mine, theirs in zip(
        shell.json("predict", folder, "--snapped", stdin=words)["words"], same, strict=True
    ):
        assert mine["class"] == theirs["class"]
        assert mine["probability"] == pytest.approx(theirs["probability"], abs=1e-5)
    options = ["--lengths", "5,50", "--words", "30"]
    own = shell.json("evaluate", folder, *options)
    records = (Path(folder) / "scores.jsonl").read_bytes()
    tables = shell.json("evaluate", folder, "--snapped", "--lengths", "7,9", "--words", "10")
    assert (tables["snapped"], own["snapped"]) == (True, False)
    assert tables["mean_accuracy"] == own["mean_accuracy"] == 1.0
    assert (Path(folder) / "scores.jsonl").read_bytes() == records
    assert "largest spread" in shell("snap", folder)[1]


def test_extract_tells_the_machine_and_saves_it(shell: Shell, folder: str, tmp_path: Path) -> None:
    out = tmp_path / "machine.att"
    told = shell.json("extract", folder, "--out", str(out))
    automaton = told["automaton"]
    assert (automaton["num_states"], told["is_language"], told["difference"]) == (2, True, None)
    assert automaton["transitions"] == [[0, 1], [1, 0]]
    found = lw.extract(lw.load(folder, device="cpu"))
    assert {name: told[name] for name in found.summary()} == json.loads(json.dumps(found.summary()))
    assert from_att(out).difference(parse("parity")) is None
    for ending in ("svg", "pdf", "png"):
        drawing = tmp_path / f"machine.{ending}"
        assert shell("extract", folder, "--out", str(drawing))[0] == 0
        assert drawing.read_bytes()[:5] in (b"<svg ", b"%PDF-", b"\x89PNG\r")
    picture = tmp_path / "machine.dot"
    status, out_text, error = shell("extract", folder, "--out", str(picture))
    assert status == 0
    assert "yes, on every word" in out_text
    assert re.search(r"automaton +2 states\n", out_text)
    assert re.search(r"algebra +\d+ levels?, then from level \d+ again", out_text)
    assert str(picture) in error
    notes, graph = picture.read_text(encoding="utf-8").split("digraph")
    assert f"digraph{graph}" == to_dot(parse("parity").minimise())
    assert "is it the network: yes." in notes


def test_extract_says_where_the_machine_is_not_the_language(
    shell: Shell, folder: str, tmp_path: Path
) -> None:
    config = Path(folder) / "config.json"
    stored = json.loads(config.read_text(encoding="utf-8"))
    stored["problem"]["language"]["classes"] = [1, 0]
    config.write_text(json.dumps(stored), encoding="utf-8")
    told = shell.json("extract", folder)
    assert told["difference"] == {"word": "", "extracted": "0", "language": "1"}
    assert "differ is '', of class 0 instead of 1" in shell("extract", folder)[1]


def test_slips_are_told_in_one_line(shell: Shell, folder: str, tmp_path: Path) -> None:
    for arguments, message in [
        (["predict", folder, "--snapped"], "Run `lengthwise snap"),
        (["evaluate", folder, "--snapped"], "Run `lengthwise snap"),
        (["extract", folder, "--out", "machine.xyz"], "must end in .c .dot"),
        (["extract", folder, "--max-states", "1"], "max_states=1"),
        (["extract", str(tmp_path / "none")], "is not a folder"),
        (["snap", str(tmp_path / "none")], "is not a folder"),
        (["snap", folder, "--max-elements", "0"], "0"),
    ]:
        status, out, error = shell(*arguments)
        assert (status, out) == (2, "")
        assert error.count("\n") == 1
        assert message in error
    (Path(folder) / "snapped.safetensors").write_bytes(b"nonsense")
    status, _, error = shell("predict", folder, "--snapped")
    assert (status, error.count("\n")) == (2, 1)
    assert "is damaged" in error


def test_the_automaton_of_slots_is_read_off_the_weights(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "machine.att"
    told = shell.json("extract", "zoo:d-12", "--out", str(out))
    assert (told["is_language"], told["difference"]) == (True, None)
    assert told["automaton"]["num_states"] == 14
    assert (told["is_exact"], told["is_certain"], told["algebra"]) == (True, True, None)
    assert from_att(out).difference(parse("d-12")) is None
    copy = tmp_path / "run"
    assert shell("zoo", "d-12", "--out", str(copy))[0] == 0
    weights = load_file(copy / "model.safetensors")
    save_file({**weights, "symbols": -weights["symbols"]}, copy / "model.safetensors")
    status, _, error = shell("extract", str(copy))
    assert (status, error.count("\n")) == (2, 1)
    assert "no automaton can be read off the weights" in error


def test_a_recurrence_is_snapped_and_answers_by_its_table(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "elman")
    options = ["--set", "d_model=2", "--set", "steps=2", "--set", "max_length=4"]
    assert shell("train", "parity", "--model", "elman", "--out", folder, *options)[0] == 0
    RunFolder(Path(folder)).finish(parity_network().state_dict(), RunFolder(Path(folder)).metrics())
    told = shell.json("snap", folder)
    assert (told["verdict"], told["rounds"]) == ("equivalent", 0)
    assert told["file"] == f"{folder}/snapped.safetensors"
    words = "0110\n\n1\n" + "01" * 3000 + "1\n"
    assert shell("predict", folder, "--snapped", stdin=words)[:2] == (0, "0\n0\n1\n1\n")
    tables = shell.json("evaluate", folder, "--snapped", "--lengths", "70", "--words", "10")
    assert (tables["snapped"], tables["mean_accuracy"]) == (True, 1.0)
    weights = load_file(Path(folder) / "model.safetensors")
    save_file({name: -weight for name, weight in weights.items()}, f"{folder}/model.safetensors")
    status, _, error = shell("predict", folder, "--snapped", stdin="1\n")
    assert (status, "taken from another model" in error) == (2, True)
