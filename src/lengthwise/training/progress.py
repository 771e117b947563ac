"""Display of progress: a bar on a terminal and in notebooks, an occasional line in the logs of
commands, and nothing from Python elsewhere, unless it is asked for.
"""

import html
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
)
from rich.table import Column
from rich.text import Text

from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.evaluation.scores import percent
from lengthwise.messages import format_count, shorter_words
from lengthwise.status_lines import mute, report_time, speak
from lengthwise.training.loop import Progress as TrainingProgress

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_FRAMES = 0.2
_SECONDS_BETWEEN_NOTES = 1.0
_LONGEST_NAME = 18

_LEAST_SHARE, _LEAST_SECONDS, _ENOUGH_SECONDS = 0.02, 5.0, 60.0
"""What an estimate of the time left needs: a share of the work and some seconds, or more seconds.
"""

Shown: TypeAlias = TrainingProgress | bool | None
"""A caller's wish about progress: None is a bar where a person can see it, True also lines
elsewhere, False nothing."""


Note: TypeAlias = str | Callable[[], str]
"""What was reached, or a function that says it, which is asked again while nothing is counted."""


class Count(Protocol):
    """A function of the number done and of the total, which may be None."""

    def __call__(self, done: int, total: int | None, note: Note = "") -> None:
        """Show them; a note says what was reached."""
        ...


Speed: TypeAlias = Callable[[Mapping[str, Any]], str]
"""A function that describes the speed of a record in words."""


def caller_progress(
    progress: Shown, title: str, steps: int, unit: str = "words"
) -> AbstractContextManager[TrainingProgress | None]:
    """Return the progress of training that a caller in Python asked for.

    Raises:
        ConfigError: it is neither True, False, None nor an object with `update`.
    """
    if progress is None or isinstance(progress, bool):
        return training_progress(title, steps, unit) if _is_wanted(progress) else nullcontext()
    if not callable(getattr(progress, "update", None)):
        raise ConfigError(
            f"progress is True, False, or an object with update(step, record), but got "
            f"{progress!r:.40}."
        )
    return nullcontext(progress)


def caller_watch(progress: bool | None) -> Callable[..., AbstractContextManager[Count | None]]:
    """Return the display of counted work that a caller in Python asked for.

    Raises:
        ConfigError: it is neither True, False nor None.
    """
    if progress is not None and not isinstance(progress, bool):
        raise ConfigError(f"progress is True or False, but got {progress!r:.40}.")
    return counting_progress if _is_wanted(progress) else lambda *title, **options: nullcontext()


def _is_wanted(progress: bool | None) -> bool:
    return (sys.stderr.isatty() or is_notebook()) if progress is None else progress


def is_notebook() -> bool:
    """Return whether cells of a notebook are run, where HTML can be shown."""
    return Console().is_jupyter


class TimeLeft:
    """The time that counted work still takes, as soon as there is enough to go by.

    The first piece is left out, since libraries are loaded and networks compiled in it.
    """

    def __init__(self) -> None:
        self._first, self._start, self._total = 0, 0.0, -1

    def seconds(self, done: int, total: int) -> float | None:
        """Return the seconds left if the rest is as fast, or None while nobody can know."""
        now = time.monotonic()
        if total != self._total or done < self._first:
            self._first, self._start, self._total = done, now, total
        counted, elapsed = done - self._first, now - self._start
        is_some = elapsed >= _LEAST_SECONDS and counted >= _LEAST_SHARE * (total - self._first)
        if counted == 0 or not (is_some or elapsed >= _ENOUGH_SECONDS):
            return None
        return elapsed / counted * (total - done)


def _duration(seconds: float | None, before: str = "") -> str:
    """Return a time for a bar, such as `0:01:40`, or nothing."""
    return "" if seconds is None else f"{before}{timedelta(seconds=round(seconds))}"


def _add_note(text: str, note: Note) -> str:
    note = note if isinstance(note, str) else note()
    return f"{text} ({note})" if text and note else text or note


def _text_column(text: str) -> TextColumn:
    """Return a column of a bar, in which nothing is markup."""
    return TextColumn(text, markup=False)


class _Description(TextColumn):
    """The description of a bar, which is cut where the line does not fit."""

    def __init__(self) -> None:
        super().__init__("{task.description}", markup=False, table_column=Column(no_wrap=False))

    def render(self, task: Task) -> Text:
        """Return the text, in one line."""
        text = super().render(task)
        text.no_wrap, text.overflow = True, "ellipsis"
        return text


@contextmanager
def _redrawn() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Yield a function that draws at once, and draws the same again every second."""
    over, one_at_a_time = threading.Event(), threading.Lock()
    drawings = list[Callable[[], None]]()

    def draw(drawing: Callable[[], None]) -> None:
        with one_at_a_time:
            drawings[:] = [drawing]
            drawing()

    def draw_again() -> None:
        while not over.wait(_SECONDS_BETWEEN_NOTES):
            with one_at_a_time, suppress(OSError, ValueError):  # standard error is full or closed
                for drawing in drawings:
                    drawing()

    thread = threading.Thread(target=draw_again, daemon=True)
    thread.start()
    try:
        yield draw
    finally:
        over.set()
        thread.join()


@contextmanager
def _rich_bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """Show a bar on standard error, which is not silent meanwhile."""
    with mute(is_shown=True), Progress(*columns, console=Console(stderr=True)) as bar:
        yield bar


class _NotebookBar:
    """A bar below the cell that runs, redrawn a few times a second; IPython shows it."""

    def __init__(self, title: str) -> None:
        display: Any = import_module("IPython.display")
        self._html, self._title, self._next = display.HTML, title, 0.0
        self._handle: Any = display.display(self._html(self._draw(0, None, "")), display_id=True)

    def show(self, done: int, total: int | None, told: str = "") -> None:
        """Redraw the bar, if the last time is long enough ago or all is done."""
        now = time.monotonic()
        if now >= self._next or done == total:
            self._next = now + _SECONDS_BETWEEN_FRAMES
            self._handle.update(self._html(self._draw(done, total, told)))

    def _draw(self, done: int, total: int | None, status: str) -> str:
        value = "" if total is None else f' value="{done}" max="{total}"'
        of_total = "" if total is None else f"/{total:,}"
        text = html.escape(f"{done:,}{of_total} {status}".strip())
        return (
            f'<div style="font: 14px system-ui, sans-serif">{html.escape(self._title)} '
            f"<progress{value}></progress> {text}</div>"
        )


class NotebookProgress:
    """A bar in a notebook with loss, accuracy and words per second."""

    def __init__(self, title: str, steps: int, speed: "Speed") -> None:
        self._bar, self._steps, self._speed = _NotebookBar(title), steps, speed
        self._validation = ""

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Advance the bar; figures of the last validation stay."""
        self._steps = record.get("stage_steps", self._steps)
        status = f"{_stage(record)}loss {record['loss']:.4f}, {self._speed(record)}"
        if "validation_accuracy" in record:
            self._validation = f", validation {percent(record['validation_accuracy'])} %"
            shorter = shorter_words(record)
            self._validation += shorter and f" on words{shorter}"
            self._validation += ", proved" if record.get("proved") else ""
        self._bar.show(step, self._steps, status + self._validation)


@contextmanager
def training_progress(
    title: str, steps: int, unit: str = "words", full_speed: float | None = None
) -> Iterator[TrainingProgress]:
    """Return the kind of progress that fits standard error; the speed is in `unit` per second.

    If `full_speed` is known, the speed is also shown as a share of it: the utilisation of the
    device.
    """
    speed = partial(_speed, unit=unit, full_speed=full_speed)
    if is_notebook():
        yield NotebookProgress(title, steps, speed)
        return
    if not sys.stderr.isatty():
        yield PlainProgress(title, steps, speed)
        return
    columns = [
        SpinnerColumn(),
        _text_column("{task.description}"),
        BarColumn(bar_width=10),
        _text_column("{task.completed}/{task.total} {task.fields[figures]}"),
        _text_column("{task.fields[left]}"),
    ]
    with _rich_bar(*columns) as bar:
        name = printable(title.partition(",")[0])
        brief = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        yield BarProgress(bar, brief, steps, partial(speed, unit=""))  # to fit into 80 columns


def _speed(record: Mapping[str, Any], unit: str = "words", full_speed: float | None = None) -> str:
    rate = record["words_per_second"]
    share = "" if full_speed is None else f" ({100 * rate / full_speed:.0f} % of peak)"
    return f"{rate:.0f} {unit}/s{share}"


class BarProgress:
    """A rich bar with loss, accuracy, words per second and the time left at most.

    A proof or a perfect validation ends training earlier.
    """

    def __init__(self, bar: Progress, title: str, steps: int, speed: Speed = _speed) -> None:
        self._bar, self._speed, self._stage, self._left = bar, speed, 1, TimeLeft()
        self._row, self._steps = bar.add_task(title, total=steps, figures="", left=""), steps

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Advance the bar; in a run with several stages it is that of the stage."""
        brief = f"loss {record['loss']:.4f} {100 * record['accuracy']:3.0f} % {self._speed(record)}"
        if "stage" in record:
            brief = f"{record['stage']}/{record['stages']} {record['supervision']} {brief}"
            if record["stage"] != self._stage:
                self._stage, self._steps = record["stage"], record["stage_steps"]
                self._left = TimeLeft()
                self._bar.reset(self._row, total=self._steps)
        left = _duration(self._left.seconds(step, self._steps), "≤ ")
        self._bar.update(self._row, completed=step, figures=brief, left=left)


class PlainProgress:
    """A progress that prints a line at most every few seconds, for logs."""

    def __init__(self, title: str, steps: int, speed: Speed = _speed) -> None:
        self._title, self._steps, self._speed = title, steps, speed
        self._next, self._stage, self._left = time.monotonic(), 1, TimeLeft()

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Print a line if the last one is long enough ago."""
        now = time.monotonic()
        if record.get("stage", 1) != self._stage:
            self._stage, self._steps = record["stage"], record["stage_steps"]
            self._left = TimeLeft()
        seconds = self._left.seconds(step, self._steps)
        if now < self._next and "validation_accuracy" not in record:
            return
        self._next = now + _SECONDS_BETWEEN_LINES
        left = ""
        if seconds is not None and not record.get("proved"):
            left = f", at most {seconds:.0f} s left"
            left += " in this stage" if record.get("stages", 1) > 1 else ""
        prefix = f"{self._title}: {_stage(record)}step {step}/{self._steps}"
        speak(f"{prefix}, {figures(record, self._speed)}{left}")


def _stage(record: Mapping[str, Any]) -> str:
    """Return which stage a record is of, where there are several."""
    if "stage" not in record:
        return ""
    details = f"{record['model']}, {record['supervision']}"
    return f"stage {record['stage']} of {record['stages']} ({details}), "


def figures(record: Mapping[str, Any], speed: Speed = _speed) -> str:
    """Describe loss, accuracy and speed in a few words."""
    text = f"loss {record['loss']:.4f}, accuracy {100 * record['accuracy']:.1f} %, {speed(record)}"
    text += (validation := describe_validation(record)) and f", {validation}"
    if "longest" in record:
        text += f", words of up to {record['longest']} symbols"
    if "right_to" in record:
        length = record["right_to"]
        far = "no wrong word" if length is None else f"right to length {length}"
        text += f", {far if length != -1 else 'the empty word is wrong'}"
        if "codes" in record:
            text += f", {format_count(record['codes'], 'code')} so far"
    if "wrong" in record:
        text += f", {record['wrong']} of {record['chunks']} table entries wrong"
    text += ", proved" if record.get("proved") else ""
    return text


def describe_validation(record: Mapping[str, Any]) -> str:
    """Return the result of a validation in a few words; nothing if there was none."""
    if "validation_score" in record and "longest" not in record:
        return f"validation loss {record['validation_loss']:.4f}"
    if "validation_accuracy" in record:
        return f"validation {percent(record['validation_accuracy'])} %"
    return ""


@contextmanager
def counting_progress(title: str, what: str = "words", *, at_once: bool = False) -> Iterator[Count]:
    """Show progress of work that is counted: a bar on a terminal, an occasional line elsewhere.

    It yields a function of the number done and of the total, which may be None. `at_once` writes
    the first line at the first call, for work whose single pieces may take hours.
    """
    estimate = TimeLeft()

    def time_left(done: int, total: int | None) -> float | None:
        return None if total is None else estimate.seconds(done, total)

    def words(note: Note, seconds: float | None) -> str:
        return _add_note(what, note) + (f", about {seconds:.0f} s left" if seconds else "")

    if is_notebook():
        bar = _NotebookBar(title)
        with mute(is_shown=True), _redrawn() as draw:

            def show(done: int, total: int | None, note: Note = "") -> None:
                seconds = time_left(done, total)
                draw(lambda: bar.show(done, total, words(note, seconds)))

            yield show
        return
    if not sys.stderr.isatty():
        last = -math.inf if at_once else time.monotonic()
        counted = title
        reached: tuple[Note, float | None] | None = None

        def tell() -> str:
            return counted if reached is None else f"{counted} {words(*reached)}"

        def line(done: int, total: int | None, note: Note = "") -> None:
            nonlocal last, counted, reached
            counted = f"{title}: {done}" + ("" if total is None else f" of {total}")
            reached = note, time_left(done, total)
            if time.monotonic() - last > _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                speak(tell())

        with report_time(tell):
            yield line
        return
    count = [MofNCompleteColumn(), _text_column(what)] if at_once else []
    left = _text_column("{task.fields[left]}")
    columns = [_Description(), BarColumn(bar_width=10), *count, left]
    with _rich_bar(*columns) as rich_bar, _redrawn() as draw:
        row = rich_bar.add_task(printable(title), total=None, left="")

        def advance(done: int, total: int | None, note: Note = "") -> None:
            left = _duration(time_left(done, total))

            def update() -> None:
                name = "" if at_once else title  # to fit into 80 columns
                described = printable(_add_note(name, note) or title)
                rich_bar.update(row, completed=done, total=total, left=left, description=described)

            draw(update)

        yield advance
