"""The commands of docs/explorer.md, in their order, as they stand but for serving."""

import re
import shlex
from pathlib import Path

import pytest

from lengthwise.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "explorer.md"


@pytest.mark.slow
def test_the_commands_of_the_page_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^lengthwise .*$", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(lines) == 8
    for line in lines:
        command = shlex.split(line, comments=True)[1:]
        serves = command[0] == "explore" and "--out" not in command
        assert main([*command, *(["--out", "served.html"] if serves else [])]) == 0, line
    assert {path.name for path in tmp_path.glob("*.html")} == {"served.html", "parity.html"}
