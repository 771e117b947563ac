"""The program `lengthwise COMMAND ...`: runs a command and turns errors into exit statuses.

0: done. 1: a claim was checked and does not hold. 2: bad input. 70: a bug in lengthwise.
130: stopped by Ctrl-C. 143: stopped by SIGTERM, as by `kill`, `timeout` and the queues of clusters.
"""

import errno
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from lengthwise.cli.commands import parser_of, summaries
from lengthwise.cli.stopping import MESSAGE, STATUS, is_importing, is_replaceable, stop_at_once
from lengthwise.errors import ClaimError, LengthwiseError, LengthwiseWarning
from lengthwise.escapes import printable
from lengthwise.files import require_run_folder
from lengthwise.memory import lacks_memory, memory_message
from lengthwise.status_lines import report_time, speak
from lengthwise.zoo_paths import PREFIX


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_closed_streams()
    status = 0
    try:
        try:
            status = _status(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            sys.stdout.flush()  # now, since errors of the interpreter's own flush are not ours
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        _drop(sys.stdout)
    except OSError as error:
        _drop(sys.stdout)
        return _complain(f"standard output: {_why(error)}", 2)
    return status


def _status(command_line: Sequence[str]) -> int:
    """Run one command and return its exit status; its output need not be written to the end."""
    try:
        if not command_line or command_line[0] in ("-h", "--help", "help"):
            print(_overview())
            return 0
        if command_line[0] == "--version":
            print(f"lengthwise {version('lengthwise')}")
            return 0
        with _signals_raise(), _our_warnings_in_one_line():
            _run(*command_line)
    except LengthwiseError as error:
        return _complain(str(error), 1 if isinstance(error, ClaimError) else 2)
    except KeyboardInterrupt as stop:
        number = signal.SIGTERM if isinstance(stop, _Terminated) else signal.SIGINT
        return _complain(MESSAGE, STATUS[number])
    except BrokenPipeError:  # no fault of the command; `main` lets the output go
        raise
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        return _complain(
            f"this output is in {error.encoding}, which has no {character!a}. Set "
            f"PYTHONIOENCODING=utf-8.",
            2,
        )
    except OSError as error:
        return _complain(f"{error.filename or command_line[0]}: {_why(error)}", 2)
    except Exception as error:
        return _complain(*_fault(error))
    return 0


def _fault(error: Exception) -> tuple[str, int]:
    """Return the message and the exit status of an error that the package did not raise."""
    if lacks_memory(error):
        return memory_message(error, "Ask for less, or use a larger machine."), 2
    # a bug: print all, with a status other than that of a failed claim
    return f"a bug in lengthwise.\n{traceback.format_exc()}", 70


class _Terminated(KeyboardInterrupt):
    """SIGTERM came."""


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM stop a command by an exception, so that it clears its work away.

    Only the main thread can ask for that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STATUS if is_replaceable(number)}
    for number in before:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise(number: int, frame: FrameType | None) -> None:
    if is_importing(frame):
        stop_at_once(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what it begins is not to be broken off
    raise _Terminated


def _open_closed_streams() -> None:
    """Give a process whose standard streams were closed, such as a daemon, empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _drop(stream: TextIO) -> None:
    """Discard what is still to be written to a stream, so that closing it raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _why(error: OSError) -> str:
    """Return the reason of an error of the system, with a remedy where there is one."""
    reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0)
    return f"{reason}. {remedy}" if remedy else f"{reason}."


_REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM), "Change its permissions, or use another place."),
    errno.EROFS: "Use another place.",
    errno.ENOENT: "Use another place.",
    errno.ENOSPC: "Make room, or use another place.",
}


@contextmanager
def _our_warnings_in_one_line() -> Iterator[None]:
    """Print warnings of the package as one line on standard error, without source code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning
        messages = set[str]()

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, LengthwiseWarning):
                if str(message) not in messages:  # a language may be read more than once
                    speak(str(message))
                messages.add(str(message))
            else:
                usual(message, category, *place)

        warnings.simplefilter("always", LengthwiseWarning)
        warnings.showwarning = show  # type: ignore[assignment]  # the place is handed on
        yield


def _run(name: str, *arguments: str) -> None:
    command, parser = parser_of(name)
    parsed = parser.parse_args(arguments)
    _require_folders(getattr(parsed, "run", None), getattr(parsed, "runs", None))
    with report_time(f"{name}: working"):
        command.run(parsed)


def _require_folders(run: object, runs: object) -> None:
    """Refuse folders of runs that are not there, before torch is loaded to read them.

    Raises:
        RunError: there is no such folder.
    """
    for folder in [run, *(runs if isinstance(runs, list) else ())]:
        if isinstance(folder, Path) and not str(folder).startswith(PREFIX):
            require_run_folder(folder)


def _complain(message: str, status: int) -> int:
    is_fault = status == 70
    try:
        speak(f"lengthwise: {message if is_fault else printable(message)}")
    except OSError:  # nobody reads it, or there is no room; the status tells
        _drop(sys.stderr)
    return status


def _overview() -> str:
    lines = [f"  {name:10} {summary}" for name, summary in summaries().items()]
    return "\n".join(
        [
            "usage: lengthwise COMMAND ...",
            "",
            *lines,
            "",
            "lengthwise COMMAND --help lists its options.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
