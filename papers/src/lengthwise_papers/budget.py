"""A budget of processor time: work that is not done by then is stopped."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lengthwise.errors import ConfigError

_AGAIN = 0.05
"""Seconds until an exception that was lost, since it arose in a destructor, is raised again."""


class BudgetError(Exception):
    """Raised in work that has used up its processor time."""


@contextmanager
def processor_budget(seconds: float) -> Iterator[None]:
    """Raise `BudgetError` in the main thread after so many processor seconds of this process.

    The exception arises between two instructions of Python, so a call of a compiled library is not
    cut short. Work that ends late, since exceptions were lost or turned into others, is refused.

    Raises:
        BudgetError: the work was not done in time.
        ConfigError: the system has no timer of processor time, as Windows does not.
    """
    if not hasattr(signal, "setitimer"):
        raise ConfigError("this system has no timer of processor time. Use Linux or macOS.")

    error = BudgetError(f"{seconds:g} seconds of processor time are used up")
    is_over = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal is_over
        is_over = True
        raise error

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    except Exception as caught:
        if is_over and caught is not error:  # a library has made another exception of it
            raise error from caught
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if is_over:
        raise error
