"""Silent work is told, and nothing else is."""

import io
import sys
import time
from itertools import pairwise

import pytest

from lengthwise import status_lines
from lengthwise.status_lines import mute, report_silence, report_time, speak


@pytest.fixture(autouse=True)
def _patience_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_lines, "SECONDS", 0.02)


def _lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def _wait_for_a_line(stream: io.StringIO) -> None:
    while not stream.getvalue():
        time.sleep(0.01)


def test_work_that_takes_long_is_told_until_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    with report_time("looking"):
        while heard.getvalue().count("\n") < 3:
            time.sleep(0.01)
    lines = heard.getvalue().splitlines()
    assert lines[0].startswith("looking, ")
    time.sleep(0.1)
    assert heard.getvalue().splitlines() == lines


def test_each_line_is_awaited_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    spoken: list[float] = []
    monkeypatch.setattr(status_lines, "_MOST", 0.16)

    def listen(line: str) -> None:
        spoken.append(time.monotonic())
        status_lines._heard.last = spoken[-1]

    monkeypatch.setattr(status_lines, "speak", listen)
    with report_time("looking"):
        while len(spoken) < 6:
            time.sleep(0.01)
    pauses = [after - before for before, after in pairwise(spoken)][:5]
    expected = (0.04, 0.08, 0.16, 0.16, 0.16)
    assert all(pause >= least for pause, least in zip(pauses, expected, strict=True)), pauses


def test_only_the_innermost_work_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    with report_time("outer"):
        with report_time(lambda: "inner"):
            _wait_for_a_line(heard)
        inner = heard.getvalue()
        heard.truncate(0)
        _wait_for_a_line(heard)
    assert "inner" in inner
    assert "outer" not in inner
    assert "outer" in heard.getvalue()


def test_quick_work_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with report_time("looking"):
        pass
    assert _lines(capsys) == []


def test_nothing_is_told_while_a_person_is_awaited(capsys: pytest.CaptureFixture[str]) -> None:
    with report_time("looking"), mute():
        time.sleep(0.2)
    assert _lines(capsys) == []


def test_a_function_tells_of_its_silence_at_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Heard(io.StringIO):
        is_terminal = True

        def isatty(self) -> bool:
            return self.is_terminal

    heard = Heard()
    monkeypatch.setattr(sys, "stderr", heard)

    @report_silence("looking")
    def look() -> str:
        if heard.is_terminal:
            _wait_for_a_line(heard)
        else:
            time.sleep(0.2)
        return "found"

    assert look() == "found"
    assert heard.getvalue().startswith("looking, ")
    heard.is_terminal = False
    heard.truncate(0)
    assert look() == "found"
    assert heard.getvalue() == ""


def test_a_line_for_people_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    speak("a\x1b[2Jb")
    assert _lines(capsys) == [r"a\u001b[2Jb"]
