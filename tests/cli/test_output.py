"""What all commands print in one way."""

import time

import pytest

from lengthwise.cli import output
from lengthwise.cli.output import noting_time


def test_work_that_takes_long_is_told_until_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "_SECONDS_BETWEEN_NOTES", 0.02)
    with noting_time("looking"):
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert lines[0] == "looking, for 0 s now"
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_quick_work_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with noting_time("looking"):
        pass
    assert capsys.readouterr().err == ""
