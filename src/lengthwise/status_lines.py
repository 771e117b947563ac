"""Lines on standard error, and a line about work that has shown nothing there for two seconds.

The lines about silent work come after 2, 4, 8, ... further seconds of silence, and at least every
five minutes. None comes while a bar is on show, or while a person or another program is awaited.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import ParamSpec, TypeVar

from lengthwise.escapes import printable_lines

SECONDS = 2.0
"""Silence before the first line."""

_MOST = 300.0
"""Silence before each line in the end."""

P = ParamSpec("P")
T = TypeVar("T")


class _Heard:
    """What standard error showed last, and the work under way."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.num_muted = 0
        self.works: list[object] = []
        """Work under way; the last is the innermost, and the only one that is reported."""


_heard = _Heard()


def speak(line: str) -> None:
    """Print a line for people on standard error, in which a user's string moves no cursor."""
    sys.stderr.write(f"{printable_lines(line)}\n")  # at once, since several threads may speak
    sys.stderr.flush()
    _heard.last = time.monotonic()


@contextmanager
def mute(*, is_shown: bool = False) -> Iterator[None]:
    """Tell of no silence while something is awaited, or, if `is_shown`, while a bar is on show."""
    began = time.monotonic()
    _heard.num_muted += 1
    try:
        yield
    finally:
        _heard.num_muted -= 1
        now = time.monotonic()
        _heard.last = now if is_shown else _heard.last + now - began


@contextmanager
def report_time(what: str | Callable[[], str]) -> Iterator[None]:
    """Print lines during silent work that has no count; `what` names it."""
    over, work, start = threading.Event(), object(), time.monotonic()
    _heard.last = start

    def tell() -> None:
        pause = SECONDS
        while not over.wait(max(_heard.last + pause - time.monotonic(), pause / 20)):
            is_due = time.monotonic() >= _heard.last + pause
            if is_due and _heard.works[-1:] == [work] and not _heard.num_muted:
                name = what if isinstance(what, str) else what()
                with suppress(OSError, ValueError):  # standard error is full or closed
                    speak(f"{name}, {time.monotonic() - start:.0f} s so far")
                pause = min(2 * pause, _MOST)

    _heard.works.append(work)
    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _heard.works.remove(work)


def report_silence(work: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that reports the silent work of a function where a person looks."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def telling(*arguments: P.args, **options: P.kwargs) -> T:
            if not sys.stderr.isatty():
                return function(*arguments, **options)
            with report_time(work):
                return function(*arguments, **options)

        return telling

    return decorate
