"""Display of progress while a model trains: a bar on a terminal, an occasional line elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from lengthwise.training.loop import Progress as TrainingProgress

_SECONDS_BETWEEN_LINES = 5.0
_LONGEST_NAME = 18

Speed: TypeAlias = Callable[[Mapping[str, Any]], str]
"""A function that describes the speed of a record in words."""


@contextmanager
def training_progress(
    title: str, steps: int, unit: str = "words", full_speed: float | None = None
) -> Iterator[TrainingProgress]:
    """Return the kind of progress that fits standard error; the speed is in `unit` per second.

    If `full_speed` is known, the speed is also shown as a share of it: the utilisation of the
    device.
    """
    speed = partial(_speed, unit=unit, full_speed=full_speed)
    if not sys.stderr.isatty():
        yield PlainProgress(title, steps, speed)
        return
    columns = [
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.completed}/{task.total} {task.fields[figures]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True)) as bar:
        name = title.partition(",")[0]
        brief = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        yield BarProgress(bar, brief, steps, partial(speed, unit=""))  # to fit into 80 columns


def _speed(record: Mapping[str, Any], unit: str = "words", full_speed: float | None = None) -> str:
    rate = record["words_per_second"]
    share = "" if full_speed is None else f" ({100 * rate / full_speed:.0f} % of peak)"
    return f"{rate:.0f} {unit}/s{share}"


class BarProgress:
    """A rich bar with loss, accuracy, words per second and time left."""

    def __init__(self, bar: Progress, title: str, steps: int, speed: Speed = _speed) -> None:
        self._bar, self._speed = bar, speed
        self._row = bar.add_task(title, total=steps, figures="")

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Advance the bar."""
        brief = f"loss {record['loss']:.4f} {100 * record['accuracy']:3.0f} % {self._speed(record)}"
        self._bar.update(self._row, completed=step, figures=brief)


class PlainProgress:
    """A progress that prints a line at most every few seconds, for logs."""

    def __init__(self, title: str, steps: int, speed: Speed = _speed) -> None:
        self._title, self._steps, self._speed = title, steps, speed
        self._start = self._next = time.monotonic()
        self._first: int | None = None

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Print a line if the last one is long enough ago."""
        now = time.monotonic()
        if self._first is None:
            self._first, self._start = step, now
        if now < self._next and "validation_accuracy" not in record:
            return
        self._next = now + _SECONDS_BETWEEN_LINES
        done = step - self._first
        left = ""
        if done and not record.get("proved"):
            left = f", at most {(now - self._start) / done * (self._steps - step):.0f} s left"
        print(
            f"{self._title}: step {step}/{self._steps}, {figures(record, self._speed)}{left}",
            file=sys.stderr,
            flush=True,
        )


def figures(record: Mapping[str, Any], speed: Speed = _speed) -> str:
    """Describe loss, accuracy and speed in a few words."""
    text = f"loss {record['loss']:.4f}, accuracy {100 * record['accuracy']:.1f} %, {speed(record)}"
    if "validation_score" in record:
        text += f", validation loss {record['validation_loss']:.4f}"
    elif "validation_accuracy" in record:
        text += f", validation {100 * record['validation_accuracy']:.2f} %"
    if "right_to" in record:
        length = record["right_to"]
        far = f"right to length {'any' if length is None else length}"
        text += f", {far if length != -1 else 'the empty word is wrong'}"
    if "wrong" in record:
        text += f", {record['wrong']} of {record['chunks']} chunks wrong"
    text += ", proved" if record.get("proved") else ""
    return text


@contextmanager
def counting_progress(
    title: str, what: str = "words"
) -> Iterator[Callable[[int, int | None], None]]:
    """Show progress of work that is counted: a bar on a terminal, an occasional line elsewhere.

    It yields a function of the number done and of the total, which may be None.
    """
    if not sys.stderr.isatty():
        last = time.monotonic()

        def line(done: int, total: int | None) -> None:
            nonlocal last
            if time.monotonic() - last > _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                of = "" if total is None else f" of {total}"
                print(f"{title}: {done}{of} {what}", file=sys.stderr, flush=True)

        yield line
        return
    columns = [TextColumn(title), BarColumn(bar_width=20), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True)) as bar:
        row = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(row, completed=done, total=total)
