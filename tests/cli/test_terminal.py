"""Commands at a terminal, given strings that are markup to one reader or another."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.shell import Shell


def at_terminal(*arguments: str, folder: Path, columns: int = 80) -> tuple[int, str]:
    """Return the exit status of a command at a pseudo-terminal, and what it showed there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-m", "lengthwise", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # the way in which Linux says that the terminal was closed
            piece = b""
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    return process.wait(), b"".join(pieces).decode()


def plain(shown: str) -> str:
    """Return what was shown without the escape sequences of colours and of the cursor."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["regex:(a[/a])*", r"regex:([bold][/bold])*a", "regex:a{2}(:smile:)*", "regex:[{}]a"]
)
def test_a_specification_is_no_markup(spec: str, tmp_path: Path) -> None:
    small = ["--preset", "smoke", "--set", "steps=2", "--model", "gru"]
    status, shown = at_terminal("train", spec, "--out", "r", *small, folder=tmp_path)
    assert status == 0, shown
    assert spec[-17:] in plain(shown)
    status, shown = at_terminal("verify", spec, "--longest", "8", folder=tmp_path)
    assert status == 0, shown
    assert f"verifying {spec}" in plain(shown)
    status, shown = at_terminal("evaluate", "r", "--lengths", "3,4", folder=tmp_path)
    assert status == 0, shown
    status, shown = at_terminal("compare", "r", folder=tmp_path, columns=200)
    assert status == 0, shown
    assert spec in plain(shown)
    status, shown = at_terminal("ls", ".", folder=tmp_path, columns=200)
    assert status == 0, shown
    assert spec in plain(shown)


def test_names_of_settings_are_whole_at_80_columns(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, whose output passes for a terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    status, shown, _ = shell("settings")
    assert status == 0
    assert "┏━" in shown
    assert "network.num_heads" in shown
    assert "…" not in shown


def test_a_folder_is_whole_and_its_control_characters_are_shown(tmp_path: Path) -> None:
    folder = "\x1b[31m [bold] " + "long/" * 30 + "run"
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "config.json").write_text('{"format": 9, "model": "[/a]"}')
    status, shown = at_terminal("ls", ".", folder=tmp_path)
    assert status == 0
    assert "\\u001b[31m [bold] long/" + "long/" * 29 + "run" in plain(shown)
    assert "\x1b[31m" not in shown


def test_a_refusal_shows_control_characters_and_stays_in_its_line(tmp_path: Path) -> None:
    status, shown = at_terminal("describe", "regex:\x1b[2J\n(", folder=tmp_path)
    assert status == 2
    assert "\x1b[2J" not in shown
    assert shown.count("\n") == 1
