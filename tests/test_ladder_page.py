"""The page about the ladder works as it stands."""

import json
import re
import shlex
from pathlib import Path

import pytest

from lengthwise.cli.main import main

RESULTS = Path(__file__).parents[1] / "results"
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
    assert len(shown) == 6
    for command, output in shown:
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr().out.partition("Which transformer can carry it\n")[2]
        printed = printed.partition("\n\n")[0]
        assert output.split() == printed.split()


def test_two_layers_lose_balanced_words_at_even_lengths() -> None:
    """What the page says of the exceptions, by the records."""
    records = json.loads((RESULTS / "own-ladder.json").read_text())["records"]
    named = {"regex:(ab)*", "regex:(a(ab)*b)*", "d-2", "d-3", "d-4"}
    runs = [one for one in records if one["network"] == "2 layers" and one["language"] in named]
    lost = [one["accuracy_by_length"] for one in runs if not one["carries"]]
    assert lost
    for shares in lost:
        odd, even = ([n for n in shares if int(n) % 2 == rest] for rest in (1, 0))
        assert all(shares[n] >= 0.98 for n in odd)
        assert all(shares[n] < 0.95 for n in even if int(n) >= 194)
    early = sorted(shares["92"] for shares in lost)
    assert early[0] == 0.5
    assert early[1] >= 0.89
