"""The commands, as a user gives them: output, JSON, exit statuses, and one line for each slip."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.commands import PLUGGED, WINGS, summaries
from lengthwise.cli.main import main
from lengthwise.languages.spec import parse

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = ["--preset", "smoke", "--device", "cpu"]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows little."""
    path = tmp_path_factory.mktemp("runs") / "parity"
    assert main(["train", "parity", "--out", str(path), *SMALL]) == 0
    return path


# ---- what works ------------------------------------------------------------------------------


def test_help_names_every_command(shell: Shell) -> None:
    status, out, _ = shell("--help")
    assert status == 0
    assert all(name in out for name in summaries())
    assert shell("--version")[1].startswith("lengthwise 0.")


@pytest.mark.parametrize("name", WINGS)
def test_a_command_of_a_package_that_is_not_installed_says_how_to_get_it(
    name: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLUGGED, "_plugins", {})
    monkeypatch.setattr(PLUGGED, "_entries", {})
    wing = WINGS[name]
    assert shell(name, "own/ladder") == (
        2,
        "",
        f"lengthwise: the command {name} comes with {wing.package}, which is not installed. Use "
        f"{wing.remedy}.\n",
    )
    assert f"\n  {name} " not in shell("--help")[1]


@pytest.mark.parametrize("name", sorted(summaries()))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main([name, "--help"])
    assert exit_info.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_label_gives_the_class_of_each_line_and_the_empty_word(shell: Shell) -> None:
    assert shell("label", "parity", stdin="0110\n1\n\n")[:2] == (0, "0\n1\n0\n")
    assert shell.json("label", "cycle-navigation", stdin="010211\n") == {
        "words": [{"word": "010211", "class": "2"}]
    }


def test_label_reads_symbols_of_several_characters_between_spaces(shell: Shell) -> None:
    assert shell("label", "group:Z12", stdin="11 2\n10 1 1\n")[1] == "1\n0\n"


def test_sample_draws_words_of_the_asked_class(shell: Shell) -> None:
    arguments = ["sample", "d-3", "--length", "12", "--count", "50", "--class", "1"]
    status, out, _ = shell(*arguments)
    assert status == 0
    words = out.split()
    assert len(words) == 50
    language = parse("d-3")
    assert all(len(word) == 12 and word in language for word in words)
    assert shell(*arguments)[1] == out
    assert shell(*arguments, "--seed", "1")[1] != out


def test_functions_are_described_and_sampled_with_their_outputs(shell: Shell) -> None:
    printed = shell("describe", "rule:a -> b / c _ d")[1]
    assert "kind            bimachine, 2 states from the left and 2 from the right" in printed
    assert "num states   5" in printed
    described = shell.json("describe", "add[base=2]")
    assert described["function"]["left_states"] == 2
    assert described["num_states"] == 4
    lines = shell("sample", "gray", "--length", "9", "--count", "5")[1].splitlines()
    gray = lw.function("gray")
    assert len(lines) == 5
    assert all(gray(word) == output for word, output in (line.split("\t") for line in lines))
    assert {*shell.json("sample", "gray", "--length", "3")["words"][0]} == {"word", "output"}
    status, _, error = shell("describe", "add[base=1]")
    assert (status, "a base is from 2 to 16" in error) == (2, True)


def test_languages_lists_the_catalogue_and_describe_tells_of_each(shell: Shell) -> None:
    entries = shell.json("languages")["languages"]
    names = {entry["spec"] for entry in entries}
    assert {"parity", "modular-arithmetic", "d-N", "regex:EXPRESSION"} <= names
    described = shell.json("describe", "regex:(0|10*1)*")
    assert described["num_states"] == 2
    assert (
        "samples      0: (empty word), 0, 00, 11; 1: 1, 01, 10, 001"
        in shell("describe", "parity")[1]
    )
    assert "samples      0: (empty word), a, b; 1: none" in shell("describe", "regex:a&b")[1]
    assert "14 15 ... (20 in all, see --json)" in shell("describe", "count:1:20")[1]
    assert len(shell.json("describe", "count:1:20")["classes"]) == 20


def test_train_evaluate_predict_report(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    summary = shell.json("evaluate", str(run_folder), "--lengths", "5,50", "--words", "40")
    assert summary["words"] == 80
    assert set(summary["accuracy_by_length"]) == {"5", "50"}
    assert set(summary["shortcuts"]) == {
        "majority",
        "length only",
        "symbol counts",
        "first and last symbol",
    }
    answers = shell.json("predict", str(run_folder), stdin="0110\n\n" + "01" * 3000 + "\n")
    assert [len(answer["word"]) for answer in answers["words"]] == [4, 0, 6000]
    assert all(answer["class"] in ("0", "1") for answer in answers["words"])
    assert all(0.5 <= answer["probability"] <= 1 for answer in answers["words"])
    page = tmp_path / "page.html"
    assert shell("report", str(run_folder), "--out", str(page))[:2] == (0, f"{page}\n")
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "<script" not in text
    assert "src=" not in text


def test_training_again_goes_on_or_finds_it_done(shell: Shell, run_folder: Path) -> None:
    before = (run_folder / "model.safetensors").read_bytes()
    facts = shell.json("train", "parity", "--out", str(run_folder), *SMALL)
    assert facts["steps"] == 40
    assert facts["supervision"] == "composition"
    assert (run_folder / "model.safetensors").read_bytes() == before


def test_settings_from_a_file_and_from_the_line(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"steps": 3, "seed": 5}')
    (tmp_path / "b.toml").write_text("steps = 3\nseed = 5\n")
    for name in ("a.json", "b.toml"):
        out = tmp_path / f"run-{name}"
        arguments = ["--config", str(tmp_path / name), "--set", "steps=4"]
        assert shell.json("train", "first", "--out", str(out), *SMALL, *arguments)["steps"] == 4
        config = json.loads((out / "config.json").read_text())
        assert config["training"]["seed"] == 5


@pytest.mark.slow
def test_demo_in_small(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lengthwise.cli.demo.TEST_LENGTHS", range(41, 44))
    result = shell.json("demo", "--out", str(tmp_path / "demo"), "--preset", "smoke")
    assert set(result["runs"]) == {"parity", "even-pairs", "cycle-navigation"}
    assert Path(result["report"]).exists()


def test_output_into_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "words").write_text(f"{'1' * 9}\n" * 20_000)  # torch is not loaded to label them
    command = f"{sys.executable} -m lengthwise.cli.main label parity < {tmp_path / 'words'}"
    done = subprocess.run(
        f"{command} | head -1; exit ${{PIPESTATUS[0]}}",
        executable="/bin/bash",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"
    assert [line for line in done.stderr.splitlines() if ": working, " not in line] == []


# ---- what does not ---------------------------------------------------------------------------


def test_folder_of_another_run_is_refused(shell: Shell, run_folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in run_folder.iterdir()}
    status, _, err = shell("train", "first", "--out", str(run_folder), *SMALL)
    assert status == 2
    assert "holds a run with" in err
    assert err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in run_folder.iterdir()} == before


def test_words_that_a_run_cannot_read_are_refused_all_together(
    shell: Shell, run_folder: Path
) -> None:
    status, out, err = shell("predict", str(run_folder), stdin="01\n01a\n")
    assert (status, out) == (2, "")
    assert "line 2, column 3: symbol 'a'" in err


def test_damaged_run_is_refused(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("config.json", "model.safetensors"):
        (copy / name).write_bytes((run_folder / name).read_bytes()[:-40])
    status, _, err = shell("predict", str(copy), stdin="01\n")
    assert status == 2
    assert "config.json is not JSON" in err
    (copy / "config.json").write_bytes((run_folder / "config.json").read_bytes())
    status, _, err = shell("predict", str(copy), stdin="01\n")
    assert status == 2
    assert "model.safetensors cannot be read" in err


@pytest.mark.slow_except('config.json-{"format": 2}', "metrics.jsonl-{}\\n")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", '{"format": 2}'),
        ("config.json", '{"format": 2, "language": 5}'),
        ("metrics.jsonl", "{}\n"),
        ("metrics.jsonl", "[]\n"),
        ("evaluation.json", '{"x": 1}'),
        ("scores.jsonl", ""),
        ("scores.jsonl", '{"x": 1}\n'),
    ],
)
def test_report_of_a_damaged_run_is_refused(
    shell: Shell, run_folder: Path, tmp_path: Path, name: str, content: str
) -> None:
    shell("evaluate", str(run_folder), "--lengths", "5", "--words", "4")
    copy = tmp_path / "copy"
    shutil.copytree(run_folder, copy)
    page = tmp_path / "page.html"
    assert shell("report", str(copy), "--out", str(page))[0] == 0
    page.unlink()
    (copy / name).write_text(content)
    status, out, err = shell("report", str(copy), "--out", str(page))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert not page.exists()


def test_a_page_that_cannot_be_written_is_no_traceback(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    status, _, err = shell("report", str(run_folder), "--out", str(tmp_path))
    assert status == 2
    assert err.count("\n") == 1


def test_a_fault_of_ours_is_not_mistaken_for_a_failed_claim(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("lengthwise.cli.describe.describe", fail)
    status, _, err = shell("describe", "parity")
    assert status == 70
    assert "ZeroDivisionError" in err


@pytest.mark.slow
def test_demo_tests_again_what_was_tested_otherwise(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lengthwise.cli.demo.TEST_LENGTHS", range(41, 43))
    out = str(tmp_path / "demo")
    first = shell.json("demo", "--out", out, "--preset", "smoke")
    shell("evaluate", f"{out}/parity", "--lengths", "0", "--words", "4")
    again = shell.json("demo", "--out", out, "--preset", "smoke")
    assert again["runs"]["parity"]["words"] == first["runs"]["parity"]["words"] == 1024


def test_loss_that_is_not_finite_exits_1(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = ["--model", "regular-gpt", "--set", "learning_rate=1e29", "--set", "norm=none"]
    status, _, err = shell("train", "parity", "--out", str(out), *SMALL, *settings)
    assert status == 1
    assert "the loss is" in err
    assert not (out / "model.safetensors").exists()


@pytest.mark.parametrize(("sign", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_stops_a_command_is_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, sign: signal.Signals, expected: int
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        signal.raise_signal(sign)

    before = signal.signal(sign, signal.default_int_handler)  # in the background SIGINT is ignored
    monkeypatch.setattr("lengthwise.cli.describe.describe", interrupt)
    try:
        status, _, err = shell("describe", "parity")
    finally:
        now = signal.signal(sign, before)
    assert status == expected, err
    assert err == "lengthwise: stopped. What was finished is kept.\n"
    assert now is signal.default_int_handler
