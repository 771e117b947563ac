"""A time at which searches stop, wherever they are: a budget for code that knows of none.

Whoever has a budget opens `until`, and loops that may take long call `require_time`.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lengthwise.errors import OutOfTimeError

_END: ContextVar[float] = ContextVar("end", default=math.inf)


@contextmanager
def until(end: float) -> Iterator[None]:
    """Let `require_time` raise past a time of `time.monotonic`, and past that of outer calls."""
    token = _END.set(min(end, _END.get()))
    try:
        yield
    finally:
        _END.reset(token)


def require_time() -> None:
    """Refuse to continue past the time of `until`.

    Raises:
        OutOfTimeError: it is past.
    """
    if time.monotonic() > _END.get():
        raise OutOfTimeError("the time is up. Give a greater budget.")
