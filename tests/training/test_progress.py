"""What a person sees of progress: at a terminal, in a notebook, in a log."""

import io
import itertools
import re
import sys
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Self

import pytest

import lengthwise as lw
from lengthwise import status_lines
from lengthwise.errors import ConfigError
from lengthwise.training import progress as progress_module
from lengthwise.training.progress import TimeLeft, counting_progress, training_progress

RECORD = {"loss": 0.25, "accuracy": 0.5, "words_per_second": 1234.0}


class Hand:
    """A clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        monkeypatch.setattr(progress_module, "time", self)

    def monotonic(self) -> float:
        return self.seconds


def test_the_time_left_is_said_only_when_there_is_enough_to_go_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, left = Hand(monkeypatch), TimeLeft()
    assert left.seconds(1, 1001) is None
    clock.seconds = 4
    assert left.seconds(500, 1001) is None, "four seconds are too few"
    clock.seconds = 10
    assert left.seconds(10, 1001) is None, "a hundredth of the work is too little"
    assert left.seconds(101, 1001) == pytest.approx(90)
    clock.seconds = 70
    assert left.seconds(8, 1001) == pytest.approx(9930), "after a minute anything is better"
    assert left.seconds(0, 50) is None, "of other work nothing is known yet"


def test_lines_come_at_once_at_validations_and_not_for_every_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Hand(monkeypatch)
    with training_progress("parity", 100) as progress:
        for step in range(1, 51):
            progress.update(step, RECORD)
        clock.seconds = 10
        progress.update(51, {**RECORD, "validation_accuracy": 1.0})
        progress.update(52, {**RECORD, "validation_accuracy": 0.99999})
    out, err = capsys.readouterr()
    first, second, third = err.splitlines()
    assert out == ""
    assert first == "parity: step 1/100, loss 0.2500, accuracy 50.0 %, 1234 words/s"
    assert second.startswith("parity: step 51/100, loss 0.2500")
    assert "validation 100.00 %, at most 10 s left" in second
    assert "validation 99.99 %" in third, "100.00 means all"


def test_one_of_several_stages_bounds_what_is_left_of_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, stage = Hand(monkeypatch), {"stage": 2, "stages": 2, "stage_steps": 100, "model": "gru"}
    record = {**RECORD, **stage, "supervision": "codebook"}
    with training_progress("parity", 300) as progress:
        for step in range(1, 51):
            progress.update(step, record)
        clock.seconds = 10
        progress.update(51, {**record, "validation_accuracy": 1.0})
    assert capsys.readouterr().err.splitlines()[-1].endswith("at most 10 s left in this stage")


def test_counting_says_nothing_of_work_that_is_done_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with counting_progress("testing") as progress:
        progress(1, 2)
    assert capsys.readouterr().err == ""


def test_the_first_line_of_counted_work_comes_at_once_if_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with counting_progress("reproducing", "runs", at_once=True) as progress:
        progress(0, 30)
        progress(1, 30)
    assert capsys.readouterr().err == "reproducing: 0 of 30 runs\n"


class Cell:
    """What a notebook shows below a cell: the HTML of a display, and its updates."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shown: list[str] = []
        fake: Any = ModuleType("IPython.display")
        fake.HTML = str
        fake.display = self._display
        monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
        monkeypatch.setitem(sys.modules, "IPython.display", fake)
        shell = type("ZMQInteractiveShell", (), {})()
        monkeypatch.setattr("builtins.get_ipython", lambda: shell, raising=False)

    def _display(self, html: str, *, display_id: bool) -> Self:
        assert display_id
        self.shown.append(html)
        return self

    def update(self, html: str) -> None:
        self.shown.append(html)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


SMALL: dict[str, Any] = {"preset": "smoke", "steps": 4, "validate_every": 2}


def test_python_says_nothing_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    run = lw.train("parity", **SMALL)
    lw.evaluate(run, lengths=[3], words_per_length=4)
    assert capsys.readouterr() == ("", "")


def test_python_prints_lines_if_it_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    lw.train("parity", progress=True, **SMALL)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("parity, regular-gpt-binary: step 4/4, loss")
    assert "validation" in lines[-1]


def test_python_shows_a_bar_on_a_terminal_unless_it_is_silenced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for asked, is_shown in ((None, True), (True, True), (False, False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        run = lw.train("parity", progress=asked, **SMALL)
        assert ("4/4" in terminal.getvalue()) == is_shown
        terminal.truncate(0)
        lw.evaluate(run, lengths=[3], words_per_length=4, progress=asked)
        assert ("evaluating" in terminal.getvalue()) == is_shown


def test_a_verification_shows_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    made = lw.compile("regex:(a{2}[/a])*")
    for asked, is_shown in ((None, True), (False, False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        made.verify(longest=3, progress=asked)
        assert ("verifying regex:(a{2}[/a])*" in terminal.getvalue()) == is_shown


def test_counted_work_in_a_log_is_told_again_while_no_piece_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    monkeypatch.setattr(status_lines, "SECONDS", 0.02)
    with counting_progress("reproducing", "runs", at_once=True) as progress:
        progress(1, 30)
        while heard.getvalue().count("\n") < 3:
            time.sleep(0.01)
    first, second, _ = heard.getvalue().splitlines()[:3]
    assert first == "reproducing: 1 of 30 runs"
    assert second.startswith("reproducing: 1 of 30 runs, ")


def test_a_notebook_has_a_bar_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = Cell(monkeypatch)
    run = lw.train("parity", **SMALL)
    assert '<progress value="4" max="4">' in cell.shown[-1]
    assert "validation" in cell.shown[-1]
    before = len(cell.shown)
    lw.evaluate(run, lengths=[3], words_per_length=4)
    assert '<progress value="4" max="4">' in cell.shown[-1]
    seen = len(cell.shown)
    assert seen > before
    lw.train("parity", progress=False, **SMALL)
    lw.evaluate(run, lengths=[3], words_per_length=4, progress=False)
    assert len(cell.shown) == seen
    assert capsys.readouterr() == ("", "")


def test_a_progress_of_ones_own_is_called_and_anything_else_refused() -> None:
    seen: list[int] = []

    class Own:
        def update(self, step: int, record: Mapping[str, Any]) -> None:
            seen.append(step)

    run = lw.train("parity", progress=Own(), **SMALL)
    assert seen == [1, 2, 3, 4]
    with pytest.raises(ConfigError, match=r"an object with update\(step, record\), but got 3"):
        lw.train("parity", progress=3, **SMALL)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="progress is True or False, but got 3"):
        lw.evaluate(run, lengths=[3], progress=3)  # type: ignore[arg-type]


def test_lines_of_counted_work_say_what_runs_and_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Hand(monkeypatch)
    with counting_progress("sweep", "jobs", at_once=True) as progress:
        progress(0, 4, "parity, seed 0")
        clock.seconds = 30
        progress(2, 4, "parity, seed 2")
    assert capsys.readouterr().err.splitlines() == [
        "sweep: 0 of 4 jobs (parity, seed 0)",
        "sweep: 2 of 4 jobs (parity, seed 2), about 30 s left",
    ]


def test_a_note_is_asked_again_wherever_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "_SECONDS_BETWEEN_NOTES", 0.01)
    monkeypatch.setattr(progress_module, "_SECONDS_BETWEEN_FRAMES", 0.0)
    monkeypatch.setattr(status_lines, "SECONDS", 0.01)

    def require_two_notes(shown: Callable[[], str]) -> None:
        steps, found = itertools.count(), set[str]()
        with counting_progress("sweep", "jobs", at_once=True) as progress:
            progress(0, 2, lambda: f"parity, step {next(steps)}")
            while len(found) < 2:
                assert next(steps) < 1_000, shown()
                found |= set(re.findall(r"parity, step \d+", shown()))
                time.sleep(0.01)
            progress(2, 2)
        assert re.search("2(/| of )2", shown())

    for screen in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(progress_module, "_SECONDS_BETWEEN_LINES", -1.0)
        require_two_notes(screen.getvalue)
    cell = Cell(monkeypatch)
    require_two_notes(lambda: "".join(cell.shown))
