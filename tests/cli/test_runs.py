"""Runs as a user handles them: listed, compared, resumed, completed."""

import json
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import lengthwise as lw
from cli.shell import Shell
from lengthwise.cli.commands import PLUGGED
from lengthwise.errors import ConfigError
from lengthwise.problems.base import evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.training.loop import find_kept_record
from lengthwise.training.run_listing import list_runs
from lengthwise.training.runs import RunFolder
from stored_runs import RUNS

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = ["--model", "lstm", "--preset", "smoke", "--device", "cpu"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds at seven lengths, and another network at three, all smoke runs of parity."""
    folder = tmp_path_factory.mktemp("runs")
    for name, model, seed, lengths in (
        ("a0", "lstm", 0, range(10, 41, 5)),
        ("a1", "lstm", 1, range(10, 41, 5)),
        ("b", "gru", 0, [20, 40, 60]),
    ):
        settings = {"seed": seed, "steps": 20, "validate_every": 10}
        plan = make_plan("parity", model, preset="smoke", settings=settings)
        run = train(plan, out=folder / name, device="cpu")
        evaluate_and_store(run, {"lengths": list(lengths), "words": 16})
    return folder


def by_length(folder: Path) -> dict[int, float]:
    """Per cent of right words by length, from the lines of `scores.jsonl` alone."""
    lines = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    return {
        n: 100
        * sum(line["correct"] for line in lines if line["length"] == n)
        / sum(line["total"] for line in lines if line["length"] == n)
        for n in {line["length"] for line in lines}
    }


def test_numbers_of_a_comparison_are_those_of_the_scores(runs: Path) -> None:
    found = lw.compare([runs / "a0", str(runs / "b"), runs / "a1"])
    assert [len(group.runs) for group in found.groups] == [2, 1]
    for run in found.runs:
        plain = {n: y for n, y in by_length(run.path).items() if n in (20, 40)}
        assert run.curve.points == pytest.approx(plain)
        assert run.mean == pytest.approx(sum(plain.values()) / 2)
    (axes,) = found.figure.axes
    mean = [(by_length(runs / "a0")[n] + by_length(runs / "a1")[n]) / 2 for n in (20, 40)]
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == pytest.approx(mean)
    labels = [str(line.get_label()) for line in axes.lines]
    assert labels[:2] == ["lstm", "gru"]
    assert labels[2].startswith("best shortcut: ")
    lstm, gru = axes.lines[:2]
    assert (lstm.get_marker(), lstm.get_linestyle()) != (gru.get_marker(), gru.get_linestyle())


def test_rows_and_lines_have_the_names_that_are_given(shell: Shell, runs: Path) -> None:
    three = [str(runs / name) for name in ("a0", "b", "a1")]
    names = ["--label", "LSTM, 2 seeds", "--label", "a GRU"]
    groups = shell.json("compare", *three, *names)["groups"]
    assert [(group["name"], len(group["runs"])) for group in groups] == [
        ("LSTM, 2 seeds", 2),
        ("a GRU", 1),
    ]
    (axes,) = lw.compare(three, labels=["x", "y"]).figure.axes
    assert [str(line.get_label()) for line in axes.lines][:2] == ["x", "y"]
    for wrong in (["x"], ["x", "x"], ["x", ""], "xy"):
        with pytest.raises(ConfigError, match="each row has a label of its own: 2 rows"):
            lw.compare(three, labels=wrong)


def test_a_comparison_says_what_its_runs_were_tested_on(runs: Path, tmp_path: Path) -> None:
    assert not any("not tested on the same" in note for note in lw.compare([runs / "a0"]).notes)
    again = shutil.copytree(runs / "a0", tmp_path / "again")
    lw.evaluate(lw.load(again), lengths=[20, 40], words=9, seed=5)
    notes = lw.compare([runs / "a0", runs / "a1", again]).notes
    words = "16 of each length, seed 0; 9 of each length, seed 5"
    assert f"The runs were not tested on the same: {words}." in notes
    assert any(note.startswith("Some runs have the same settings and the same") for note in notes)


def test_a_comparison_is_written_as_page_and_figure(
    shell: Shell, runs: Path, tmp_path: Path
) -> None:
    page, figure = tmp_path / "c.html", tmp_path / "c.svg"
    given = ["compare", str(runs / "a0"), str(runs / "a1")]
    paper = tmp_path / "c.pdf"
    figures = ["--figure", str(figure), "--figure", str(paper)]
    found = shell.json(*given, "--out", str(page), *figures, "--width", "page")
    assert found["files"] == [str(page), str(figure), str(paper)]
    assert paper.read_bytes().startswith(b"%PDF")
    assert figure.read_text().startswith("<svg")
    text = page.read_text()
    assert "prefers-color-scheme: dark" in text
    assert 'src="' not in text


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["compare", "{a0}", "{a0}"], "is given twice"),
        (["compare", "{a0}", "{stopped}"], "is about parity and"),
        (["compare", "{a0}", "{unknown}"], "is not a folder"),
        (["compare", "{compiled}"], "holds computed weights"),
        (["compare", "{stopped}"], "is not evaluated yet. Run lengthwise evaluate"),
        (["compare", "{a0}", "--out", "c.txt"], "must end in .html"),
        (["resume", "{compiled}"], "holds computed weights"),
        (["resume", "{unknown}"], "is not a folder"),
        (["ls", "{unknown}"], "is not a folder"),
        (["completion", "tcsh"], "invalid choice"),
        (["train", "parity", "--out", "{a0}", "--model", "gru"], "model='lstm', but now model="),
        (["train", "parity", "--out", "{a0}", "--set", "seed=5"], "training.seed=5 is asked for"),
    ],
)
def test_a_slip_gets_one_line(shell: Shell, runs: Path, arguments: list[str], line: str) -> None:
    places = {"a0": runs / "a0", "unknown": runs / "no", "compiled": RUNS / "compiled"}
    places["stopped"] = RUNS / "recurrent-stopped"
    status, _, error = shell(*[each.format(**places) for each in arguments])
    assert (status, error.count("\n")) == (2, 1), error
    assert line in error


def test_the_list_has_every_state_and_survives_damage(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "a0", tmp_path / "finished")
    shutil.copytree(RUNS / "compiled", tmp_path / "computed")
    shutil.copytree(RUNS / "recurrent-stopped", tmp_path / "stopped")
    for name, text in (("damaged", "{"), ("hostile", '{"format": 2, "model": []}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(text)
    found = {Path(each.folder).name: each for each in list_runs(tmp_path)}
    assert {name: each.state for name, each in found.items() if name != "hostile"} == {
        name: name for name in ("computed", "damaged", "finished", "stopped")
    }
    assert (found["stopped"].step, found["stopped"].steps) == (30, 150)
    best = find_kept_record(RunFolder(runs / "a0").metrics())["validation_accuracy"]
    assert found["finished"].validation_accuracy == best


@pytest.mark.slow
def test_a_run_is_listed_as_running_and_after_a_kill_as_stopped_and_resumed(
    shell: Shell, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    program = "import sys; from lengthwise.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "train", "parity", "--out", str(out), *SMALL]
    slow = ["--set", "steps=100000", "--set", "validate_every=10", "--set", "patience=100000"]
    with subprocess.Popen([*command, *slow], stderr=subprocess.DEVNULL) as process:
        try:
            while not (out / "checkpoint.safetensors").exists() and process.poll() is None:
                time.sleep(0.05)
            assert list_runs(tmp_path)[0].state == "running"
        finally:
            process.send_signal(signal.SIGKILL)
    (listed,) = list_runs(tmp_path)
    assert (listed.state, listed.steps) == ("stopped", 100_000)
    other = tmp_path / "other"
    shutil.copytree(RUNS / "recurrent-stopped", other)
    assert shell.json("resume", str(other), "--device", "cpu")["model"] == "gru"
    again = shell.json("train", "tomita-5", "--out", str(other), "--device", "cpu")
    assert again["steps"] == list_runs(other)[0].step


def test_listing_imports_no_torch() -> None:
    program = (
        "import sys; from lengthwise.cli.main import main; main(['ls', sys.argv[1]]);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(RUNS)], check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["compa"], "compare"),
        (["train", "tomi"], "tomita-4"),
        (["train", "x", "--model", "ls"], "lstm"),
    ],
)
def test_bash_completes(shell: Shell, tmp_path: Path, words: list[str], expected: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    status, script, error = shell("completion", "bash")
    assert status == 0, error
    file = tmp_path / "completion.sh"
    file.write_text(script)
    line = f"COMP_WORDS=(lengthwise {' '.join(words)}); COMP_CWORD={len(words)}; "
    line += f"source {file}; _shtab_lengthwise; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    found = subprocess.run([bash, "-c", line], capture_output=True, text=True, check=False)
    assert expected in found.stdout.split(), found.stderr


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_the_script_is_one_of_the_shell(shell: Shell, tmp_path: Path, name: str) -> None:
    program = shutil.which(name)
    status, script, error = shell("completion", name)
    assert status == 0, error
    assert "compare" in script
    if program is None:
        pytest.skip(f"{name} is not installed, so its script was made but not run")
    file = tmp_path / "script"
    file.write_text(script)
    assert subprocess.run([program, "-n", str(file)], check=False).returncode == 0


def test_a_command_of_another_package_that_is_broken_is_left_out_of_completion(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = EntryPoint(name="broken", value="no_such_module_anywhere", group=PLUGGED.group)
    monkeypatch.setattr(PLUGGED, "_plugins", {**PLUGGED._load_plugins(), "broken": broken})
    status, script, error = shell("completion", "bash")
    assert (status, error.count("\n")) == (0, 1), error
    assert "'broken' cannot be imported" in error
    assert "certify" in script
    assert "broken" in shell("--help")[1]


@pytest.mark.parametrize("kept_bytes", [0, 4, 500, -1])
def test_weights_that_were_cut_off_are_damage_with_a_remedy(
    shell: Shell, runs: Path, tmp_path: Path, kept_bytes: int
) -> None:
    shutil.copytree(runs / "a0", tmp_path / "cut")
    shutil.copytree(runs / "a0", tmp_path / "whole")
    weights = tmp_path / "cut" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:kept_bytes])
    cut, whole = shell.json("ls", str(tmp_path))["runs"]
    assert (cut["state"], whole["state"]) == ("damaged", "finished")
    assert cut["reason"] == (
        f"{weights} is truncated, or not a file of weights. Train again in a new folder."
    )
