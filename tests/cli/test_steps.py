"""The commands on step tasks, as a user gives them."""

from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")

SMALL = [
    *("--set", "bits=3", "--set", "examples=40", "--set", "validation_words=8"),
    *("--preset", "smoke", "--device", "cpu"),
]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows little."""
    path = tmp_path_factory.mktemp("runs") / "addition"
    assert main(["train", "steps:addition", "--out", str(path), *SMALL]) == 0
    return path


def test_train_says_what_was_trained_and_how_to_go_on(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "a run")
    status, text, error = shell(
        "train", "steps:addition", "--out", out, *SMALL, "--set", "supervision=weak"
    )
    assert status == 0
    assert "addition of 3-bit numbers, representation 2, step-decoder (weak superv" in text
    assert "40 examples" in text
    assert f"next: lengthwise evaluate '{out}'" in error
    found = shell.json("train", "steps:addition", "--out", out, *SMALL, "--set", "supervision=weak")
    assert (found["supervision"], found["model"]) == ("weak", "step-decoder")
    assert found["task"] == "addition of 3-bit numbers, representation 2"


def test_evaluate_is_on_unseen_inputs(shell: Shell, run_folder: Path) -> None:
    found = shell.json("evaluate", str(run_folder))
    assert found["words"] == 16
    assert found["interval_95"][0] <= found["exact_match"] <= found["interval_95"][1]
    assert (run_folder / "evaluation.json").exists()
    status, text, _ = shell("evaluate", str(run_folder), "--words", "5")
    assert status == 0
    assert "of 5 inputs" in text
    assert "95 % interval" in text


def test_predict_writes_outputs_and_steps(shell: Shell, run_folder: Path) -> None:
    status, text, _ = shell("predict", str(run_folder), stdin="101011\n000 000\n")
    assert status == 0
    assert [len(line) for line in text.splitlines()] == [3, 3]
    assert set(text) <= {"0", "1", "\n"}
    (word,) = shell.json("predict", str(run_folder), stdin="101011\n")["words"]
    assert word["word"] == "101011"
    assert len(word["steps"]) == 16
    assert word["outputs"] == "".join(str(word["steps"][f"e{i}"]) for i in (1, 2, 3))
    assert shell("predict", str(run_folder), stdin="") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", 'order=["e1"]'], "has all outputs, but 'e2' is missing"),
        (["--set", 'order=["e2","c2","e1","e3"]'], "'e2' comes before 'c2'"),
        (
            ["--set", "examples=64"],
            "so examples=64 leave none to test on. Set examples=32, or at most 62.",
        ),
        (["--set", "supervision=final"], "one of 'weak', 'medium', 'strong'"),
        (["--model", "lstm"], "unknown step model 'lstm'"),
        (["--preset", "smok"], "unknown preset 'smok'"),
        (["--protocol", "audited"], "--protocol is for languages"),
        (["--alphabet", "ab"], "--alphabet is for languages"),
    ],
)
def test_slips_in_training_are_told_in_one_line(
    shell: Shell, tmp_path: Path, arguments: list[str], message: str
) -> None:
    out = tmp_path / "run"
    status, text, error = shell("train", "steps:addition", "--out", str(out), *SMALL, *arguments)
    assert (status, text) == (2, "")
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["evaluate", "DIR", "--lengths", "1:5"], "and no other size"),
        (["evaluate", "DIR", "--words", "17"], "16 inputs are set apart"),
        (["evaluate", "DIR", "--seed", "7"], "Leave --seed out"),
        (["evaluate", "DIR", "--snapped"], "--snapped is for languages"),
        (["predict", "DIR", "--snapped"], "--snapped is for languages"),
        (["certify", "DIR"], "step-decoder has no proof"),
        (["extract", "DIR", "--out", "DIR/x.att"], "classifies no words of a formal language"),
        (["analyse", "DIR"], "classifies no words of a formal language"),
    ],
)
def test_what_is_not_for_this_run_is_refused(
    shell: Shell, run_folder: Path, command: list[str], message: str
) -> None:
    filled = [part.replace("DIR", str(run_folder)) for part in command]
    status, _, error = shell(*filled)
    assert status == 2
    assert message in error
    assert error.count("\n") == 1


def test_a_run_has_a_section_in_the_report(shell: Shell, run_folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    status, text, error = shell("report", str(run_folder), "--out", str(page))
    assert (status, text, error) == (0, f"{page}\n", "")
    assert "addition of 3-bit numbers" in page.read_text()


def test_settings_of_a_model_that_needs_a_body_are_listed(shell: Shell) -> None:
    listed = shell.json("settings", "steps:addition", "--model", "gpt2")["settings"]
    assert {"task.bits", "network.body"} <= {each["name"] for each in listed}
