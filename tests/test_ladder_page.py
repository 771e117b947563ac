"""The page about the ladder works as it stands."""

import re
import shlex
from pathlib import Path

import pytest

from lengthwise.cli.main import main

PAGE = (Path(__file__).parents[1] / "docs" / "ladder.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.S | re.M)


def test_commands_and_code_of_the_page_work(capsys: pytest.CaptureFixture[str]) -> None:
    for line in "".join(block for kind, block in BLOCKS if not kind).splitlines():
        assert main(shlex.split(line)[1:]) == 0
    capsys.readouterr()
    (script,) = (block for kind, block in BLOCKS if kind == "python")
    exec(compile(script, "ladder.md", "exec"), {})
    assert capsys.readouterr().out.startswith("solvable False\n1 turns 2 states in a circle")


def test_outputs_of_the_page_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(
        r"^`(lengthwise describe .*?)`\n\n```text\n(.*?)```", PAGE, flags=re.S | re.M
    )
    assert len(shown) == 2
    for command, output in shown:
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr().out.partition("Which transformer can carry it\n")[2]
        printed = printed.partition("\n\n")[0]
        assert output.split() == printed.split()
