"""The command `sweep`: its runs, its page, resuming, and slips."""

from pathlib import Path

import pytest

from cli.shell import Shell
from lengthwise.cli.sweep import parse_values
from lengthwise.errors import ConfigError

FEW = ["--preset", "smoke", "--set", "steps=2", "--words", "2", "--lengths", "41:43"]


def test_a_sweep_ends_in_a_comparison_and_resumes(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    given = ["sweep", "parity", "--models", "gru,elman", "--seeds", "0..1", *FEW]
    given += ["--set", "d_model=4,8", "--out", str(out)]
    found = shell.json(*given)
    assert [(group["name"], len(group["runs"])) for group in found["groups"]] == [
        (f"{model}, d_model={width}", 2) for model in ("gru", "elman") for width in (4, 8)
    ]
    assert found["lengths"] == [41, 42, 43]
    assert "d_model=8" in (out / "compare.html").read_text(encoding="utf-8")
    outcomes = sorted(out.glob("*/outcome.json"))
    stamps = [path.stat().st_mtime_ns for path in outcomes]
    assert shell.json(*given) == found
    assert len(outcomes) == 8
    assert [path.stat().st_mtime_ns for path in outcomes] == stamps


def test_values_are_numbers_or_names() -> None:
    assert parse_values(["d_model=8", "position=none,rope", "clip=0.5,1"]) == {
        "d_model": [8],
        "position": ["none", "rope"],
        "clip": [0.5, 1],
    }


@pytest.mark.parametrize("texts", [["d_model"], ["=2"], ["a=1", "a=2"], ["a=1,1"]])
def test_values_that_are_written_otherwise_are_refused(texts: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"written KEY=VALUE|given twice|a value twice"):
        parse_values(texts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["parity"], "--models"),
        (["parity", "--models", "gru,gru"], "are the same run"),
        (["parity", "--models", "gruu"], "unknown model 'gruu'"),
        (["parity", "--models", "gru", "--set", "num_heads=2"], "'num_heads' is not a setting"),
        (["parity", "--models", "gru", "--seeds", "a"], "seeds are written"),
        (["parity", "--models", "gru", "--preset", "tiny"], "unknown preset 'tiny'"),
        (["pariti", "--models", "gru"], "pariti"),
    ],
)
def test_a_slip_is_one_line(shell: Shell, tmp_path: Path, given: list[str], message: str) -> None:
    status, out, error = shell("sweep", *given, "--out", str(tmp_path / "sweep"))
    assert status == 2
    assert message in error.splitlines()[-1]
    assert not out
    assert not (tmp_path / "sweep").exists()
