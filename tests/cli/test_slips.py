"""Slips: a command that is nearly right gets one line that says what to do instead."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.languages.function_learning import from_function
from lengthwise.training.runs import RunFolder

SMALL = ["--preset", "smoke", "--device", "cpu", "--set", "steps=1"]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that knows nothing, on an automaton of a file."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "my.att").write_text("0 1 a\n0 0 b\n1 0 a\n1 1 b\n1\n")
    assert main(["train", f"att:{folder}/my.att", "--out", str(folder / "run"), *SMALL]) == 0
    return folder / "run"


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])  # by the locale
@pytest.mark.parametrize("command", [["label", "count:b:2"], ["predict", "RUN"]])
def test_bytes_that_are_no_text_are_told_with_their_line(
    run_folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    errors: str,
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"ab\nba\n\xffb\n"), encoding="utf-8", errors=errors)
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main([word.replace("RUN", str(run_folder)) for word in command]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "lengthwise: line 3 is not UTF-8. Convert the text.\n"


def test_an_automaton_of_a_file_is_told_by_name_and_by_content(
    shell: Shell, run_folder: Path
) -> None:
    spec = f"att:{run_folder.parent}/my.att"
    trained = ["train", spec, "--out", str(run_folder), *SMALL]
    summary = shell(*trained)[1]
    assert " (audited words of machine-" in summary
    assert f"@1 ({spec}), composition supervision" in summary
    assert shell.json(*trained)["language"] == spec
    tested = ["evaluate", str(run_folder), "--lengths", "3", "--words", "1"]
    shown = shell(*tested)[1]
    assert f"@1 ({spec}), audited words\n" in shown
    assert "3..3, 1 word each\n" in shown
    assert shell.json(*tested)["language"] == spec


def test_a_language_without_a_line_is_told_by_its_size(shell: Shell, tmp_path: Path) -> None:
    language = from_function(lambda word: word.count("b") % 3, "ab", max_states=3)
    out = tmp_path / "run"
    lw.train(language, out=out, preset="smoke", device="cpu", steps=1)
    tested = ["evaluate", str(out), "--lengths", "3", "--words", "4"]
    assert "@1 (3 states over a b), audited words\n" in shell(*tested)[1]
    assert shell.json(*tested)["title"].endswith("@1 (3 states over a b)")


def test_two_aligned_files_without_pairs_are_warned_of(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("p.en", "p.de", "q.txt"):
        Path(name).write_text("one line of text\n\n" * 300)
    told = "p.en and p.de look like a text and its translation, but are prepared as plain text. "
    status, _, error = shell("prepare", "p.en", "p.de", "--out", "c")
    assert status == 0, error
    assert f"{told}For translations: lengthwise prepare p.en,p.de --pairs en,de --val" in error
    assert "look like" not in shell("prepare", "q.txt", "p.en", "--out", "d")[2]


def test_predict_stops_at_a_bad_line_or_keeps_going(shell: Shell, run_folder: Path) -> None:
    stdin = "ab\nxb\n\n\udcff\nb a\n"
    status, out, error = shell("predict", str(run_folder), stdin=stdin)
    assert (status, out) == (2, "")
    assert error.startswith("lengthwise: line 2, column 1: symbol 'x' is not in the alphabet")
    good = shell("predict", str(run_folder), stdin="ab\n\nb a\n")[1].splitlines()
    status, out, error = shell("predict", str(run_folder), "--keep-going", stdin=stdin)
    assert status == 2
    assert out.splitlines() == [good[0], "", good[1], "", good[2]]
    bad, text, end = error.splitlines()
    assert bad.startswith("line 2, column 1: symbol 'x' is not in the alphabet")
    assert text == "line 4 is not UTF-8. Convert the text."
    assert end == "lengthwise: 2 of 5 lines could not be read; the others are answered."
    status, out, _ = shell("predict", str(run_folder), "--keep-going", "--json", stdin=stdin)
    found = json.loads(out)
    assert status == 2
    assert [(each["line"], each["class"]) for each in found["words"]] == [
        *((1, good[0]), (3, good[1]), (5, good[2])),
    ]
    assert found["errors"] == [{"line": 2, "error": bad}, {"line": 4, "error": text}]


def test_predict_of_good_lines_keeps_going_to_status_0(shell: Shell, run_folder: Path) -> None:
    plain = shell("predict", str(run_folder), stdin="ab\nb\n")
    assert shell("predict", str(run_folder), "--keep-going", stdin="ab\nb\n")[:2] == plain[:2]
    nothing = shell("predict", str(run_folder), "--keep-going", "--json", stdin="")
    assert nothing == (0, '{"words": [], "errors": []}\n', "")


def test_circuits_and_steps_keep_going_too(shell: Shell, tmp_path: Path) -> None:
    circuit, steps = str(tmp_path / "circuit"), str(tmp_path / "steps")
    assert shell("compile", "steps2022/addition-1", "--set", "bits=2", "--out", circuit)[0] == 0
    small = ["--set", "bits=2", "--set", "examples=8", *SMALL]
    assert shell("train", "steps:addition", "--out", steps, *small)[0] == 0
    for folder in (circuit, steps):
        status, out, error = shell("predict", folder, "--keep-going", stdin="0101\n012\n")
        assert status == 2
        assert out.count("\n") == 2
        assert out.endswith("\n\n")
        assert error.startswith("line 2: ")
        assert "1 of 2 lines could not be read" in error


def test_a_cut_off_checkpoint_is_told_of_and_training_goes_on(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ["--preset", "smoke", "--device", "cpu", "--set", "validate_every=5"]
    command = ["train", "first", "--model", "lstm", *settings, "--set", "patience=0", "--out"]
    assert shell(*command, str(tmp_path / "whole"))[0] == 0
    save, saved = RunFolder.save_checkpoint, []

    def die(folder: RunFolder, *rest: Any) -> None:
        save(folder, *rest)
        saved.append(rest)
        if len(saved) == 4:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    monkeypatch.setattr(RunFolder, "save_checkpoint", die)
    assert shell(*command, str(out))[0] == 130
    monkeypatch.setattr(RunFolder, "save_checkpoint", save)
    checkpoint = out / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    status, _, error = shell(*command, str(out))
    assert status == 0
    told = "cannot be read, so training continues from the one before it"
    assert error.splitlines()[0] == f"{checkpoint} {told}"
    assert "Warning" not in error
    whole = (tmp_path / "whole" / "model.safetensors").read_bytes()
    assert (out / "model.safetensors").read_bytes() == whole
