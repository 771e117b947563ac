"""The command `arena`: its files, and slips."""

from pathlib import Path

import pytest

from cli.shell import Shell

FEW = ["--preset", "smoke", "--budget", "0.3", "--words", "1", "--set", "steps=2"]


def test_the_command_writes_a_record_and_a_page(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "arena"
    given = ["arena", "elman", "--only", "tomita-1", "--seeds", "3", *FEW, "--out", str(out)]
    found = shell.json(*given)
    assert [cell["seed"] for cell in found["cells"]] == [3]
    assert (out / "arena.json").is_file()
    assert "Arena: regular" in (out / "arena.html").read_text(encoding="utf-8")
    status, printed, _ = shell(*given)
    assert status == 0
    assert printed.splitlines()[1].startswith("elman\t")
    (best,) = shell.json("board", str(out / "arena.json"))["languages"]
    assert best["farthest"]["network"] == "elman"
    status, printed, _ = shell("board", str(out / "arena.json"))
    assert printed.splitlines()[1].startswith("tomita-1\t\t")
    status, _, error = shell("board", str(out / "nowhere.json"))
    assert status == 2
    assert "nowhere.json" in error


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["gru", "--suite", "regula"], "unknown suite 'regula'. Did you mean 'regular'?"),
        (["gru", "--seeds", "2..0"], "seeds are written 0..4 or 0,1,2"),
        (["gru", "--seeds", "1,1"], "a seed is given twice"),
        (["gru", "--workers", "2", "--scheduler", "tcp://a:1"], "Leave --workers out"),
        (["gru", "--set", "heads=2"], "'heads' is not a setting of gru"),
        (["gruu"], "unknown model 'gruu'"),
        (["gru", "--only", "pariti"], "pariti"),
        (["gru", "--budget", "-1"], "above 0"),
        ([], "NETWORK"),
    ],
)
def test_a_slip_is_one_line(shell: Shell, tmp_path: Path, given: list[str], message: str) -> None:
    status, out, error = shell("arena", *given, "--out", str(tmp_path / "arena"))
    assert status == 2
    assert message in error.splitlines()[-1]
    assert not out
    assert not (tmp_path / "arena").exists()
