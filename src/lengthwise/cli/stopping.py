"""Ctrl-C and SIGTERM before a command runs and while a module is imported: an end at once.

An exception there would show where it happened, or pass through code in C, such as that of torch,
which aborts. While a command runs, `main` turns the signals into exceptions instead, so that the
command clears away its workers and files.
"""

import os
import signal
import sys
from types import FrameType

MESSAGE = "stopped. What was finished is kept."

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}
"""Exit status of a command that was stopped by a signal."""


def is_replaceable(number: signal.Signals) -> bool:
    """Return whether a signal has a handler of ours or of Python; as under nohup, it may have none.

    SIGTERM ends the ranks of torchrun by itself, since they may be waiting for each other.
    """
    if number == signal.SIGTERM and "WORLD_SIZE" in os.environ:
        return False
    return signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, stop_at_once)


def let_signals_stop_at_once() -> None:
    """Let Ctrl-C and SIGTERM end this process at once."""
    for number in STATUS:
        if is_replaceable(number):
            signal.signal(number, stop_at_once)


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a module is being imported."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def stop_at_once(number: int, frame: FrameType | None = None) -> None:
    """End the process with the line and the status of a command that was stopped."""
    for signal_number in STATUS:
        signal.signal(signal_number, signal.SIG_IGN)
    try:
        sys.stdout.flush()
        os.write(2, f"lengthwise: {MESSAGE}\n".encode())
    finally:  # nobody may read them
        os._exit(STATUS[signal.Signals(number)])
