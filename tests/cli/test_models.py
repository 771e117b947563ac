"""Models without sub-words, through every command: it works, or says in one line why not."""

import shutil
from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.cli.main import main
from lengthwise.models.recognisers import MODELS

pytestmark = pytest.mark.usefixtures("undrawn")

NAMES = ("elman", "gru", "lstm", "encoder-cls", "chomsky-transformer", "decoder", "scratchpad")
SNAPPED = ("elman", "gru", "lstm")
"""Those whose states `certify`, `extract` and `snap` snap."""
SMALL = ("--preset", "smoke", "--device", "cpu")


FEW = ("elman", "encoder-cls")
"""Whose way is gone quickly; the others go it among the slow tests."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[] if name in FEW else [pytest.mark.slow]) for name in NAMES],
)
def run_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was trained for a moment, and knows little."""
    path: Path = tmp_path_factory.mktemp("runs") / request.param
    assert main(["train", "parity", "--model", request.param, "--out", str(path), *SMALL]) == 0
    return path


def test_training_evaluation_answers_and_the_page(
    shell: Shell, run_folder: Path, tmp_path: Path
) -> None:
    name = run_folder.name
    again = shell.json("train", "parity", "--model", name, "--out", str(run_folder), *SMALL)
    told = MODELS[name].objective
    assert (again["model"], again["supervision"], again["protocol"]) == (name, told, "published")
    assert again["steps"] == 40
    lengths = "36:40" if name == "decoder" else "41:45"  # its positions are learned
    summary = shell.json("evaluate", str(run_folder), "--lengths", lengths, "--device", "cpu")
    assert summary["mean_accuracy"] < 0.6 or name == "scratchpad"
    assert summary["mean_accuracy"] > 0.4
    answered = shell.json("predict", str(run_folder), "--device", "cpu", stdin="\n1\n0110\n")
    assert [each["word"] for each in answered["words"]] == ["", "1", "0110"]
    assert {each["class"] for each in answered["words"]} <= {"0", "1"}
    page = tmp_path / "page.html"
    assert shell("report", str(run_folder), "--out", str(page))[0] == 0
    text = page.read_text()
    assert f"parity, {name}" in text
    assert "not certified" in text


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ("certify",),
            "is not a model of the package that is proved as it runs, such as regular-gpt-binary",
        ),
        (
            ("extract",),
            "Use a RegularGPT. In Python lw.extract also reads networks that keep bits",
        ),
        (
            ("snap",),
            "Use a RegularGPT. In Python lw.extract also reads networks that keep bits",
        ),
        (("predict", "--snapped"), "Use a RegularGPT"),
        (("evaluate", "--snapped", "--lengths", "5"), "Use a RegularGPT"),
        (("analyse",), "Give a run of regular-gpt or regular-gpt-binary."),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_what_needs_sub_words_is_refused_and_leaves_nothing(
    shell: Shell, run_folder: Path, tmp_path: Path, command: tuple[str, ...], message: str
) -> None:
    before = {path.name for path in run_folder.iterdir()}
    name, *rest = command
    if run_folder.name in SNAPPED and "--snapped" in rest:
        message = f"Run `lengthwise snap {run_folder}` first."
    elif run_folder.name in SNAPPED and name in ("certify", "extract", "snap"):
        copied = shutil.copytree(run_folder, tmp_path / run_folder.name)
        status, out, _ = shell(name, str(copied))
        assert status in (0, 1)
        assert out.startswith({"certify": "verdict", "extract": "automaton", "snap": "file"}[name])
        return
    status, out, err = shell(name, str(run_folder), *rest)
    assert (status, out) == (2, ""), err
    assert message in err
    assert err.count("\n") == 1
    assert {path.name for path in run_folder.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gru", "objective=node"), "is not for gru, which learns from final or prefix"),
        (("encoder-cls", "objective=prefix"), "is not for encoder-cls, which learns from final"),
        (("lstm", "num_heads=2"), "'num_heads' is a setting of"),
        (("encoder-cls", "position=alibii"), "unknown position 'alibii'"),
        (("grru", "steps=3"), "unknown model 'grru'. Did you mean 'gru'?"),
    ],
)
def test_slips_are_refused_before_anything_is_written(
    shell: Shell, tmp_path: Path, arguments: tuple[str, str], message: str
) -> None:
    model, setting = arguments
    out = tmp_path / "run"
    status, printed, err = shell(
        "train", "parity", "--model", model, "--set", setting, "--out", str(out)
    )
    assert (status, printed) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_words_past_the_learned_positions_lose_nothing(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    train = ("train", "parity", "--model", "encoder-cls", "--set", "position=learned")
    assert shell(*train, "--set", "max_length=8", "--out", out, *SMALL)[0] == 0
    first = shell.json("evaluate", out, "--lengths", "5", "--words", "8", "--device", "cpu")
    status, printed, err = shell("evaluate", out, "--lengths", "41:60", "--words", "2")
    assert (status, printed) == (2, "")
    assert "at most 9 places, but a word needs 61. Give shorter words, or train on longer" in err
    assert err.count("\n") == 1
    assert first["lengths"] == [5, 5]
    assert (tmp_path / "run" / "evaluation.json").exists()
