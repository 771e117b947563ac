"""Ctrl-C ends a command with one line and the status 130, whenever it comes."""

import signal
import subprocess
import sys
import time

import pytest

from lengthwise.cli.stopping import MESSAGE

# The signal comes while the n-th module is imported, from the first line of the command on.
_STOPPED_AT_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
count = 0
def listen(event, arguments):
    global count
    if event == "import" and signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        count += 1
        if count == {at}:
            os.kill(os.getpid(), {number})
sys.addaudithook(listen)
from lengthwise.__main__ import main
sys.argv = ["lengthwise", "train", "parity", "--preset", "smoke", "--out", {out!r}]
sys.exit(main())
"""

_STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def _stop_at_import(at: int, number: signal.Signals, out: object) -> tuple[int, str, str]:
    code = _STOPPED_AT_IMPORT.format(at=at, number=int(number), out=str(out))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "at",
    [1, 200]
    + [
        pytest.param(at, marks=pytest.mark.slow)
        for at in (
            2,
            5,
            20,
            60,
            100,
            300,
            400,
            500,
            600,
            700,
            800,
            1000,
            1200,
            1400,
            1700,
            2000,
            2500,
            3000,
        )
    ],
)
def test_a_command_is_stopped_whatever_is_imported(
    at: int, number: signal.Signals, tmp_path: object
) -> None:
    status, out, error = _stop_at_import(at, number, tmp_path)
    if at > 1000 and status == 0:
        pytest.skip("no longer than that are modules imported")
    assert status == _STATUS[number], error
    lines = [line for line in error.splitlines() if ": working, " not in line]
    assert (out, lines) == ("", [f"lengthwise: {MESSAGE}"])


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.02, *(0.2 * n for n in range(1, 20))])
def test_a_command_is_stopped_at_any_moment(after: float, tmp_path: object) -> None:
    code = (
        "import sys; from lengthwise.cli.stopping import let_signals_stop_at_once; "
        "let_signals_stop_at_once(); print(flush=True); from lengthwise.__main__ import main; "
        f"sys.argv = ['lengthwise', 'train', 'parity', '--out', {str(tmp_path)!r}]; "
        "sys.exit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert process.stdout is not None
    process.stdout.readline()  # the first line of `main` is run
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130, error
    assert error.splitlines()[-1] == f"lengthwise: {MESSAGE}"
    assert "Traceback" not in error


def test_a_signal_that_is_ignored_stays_so() -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from lengthwise.__main__ import main; sys.argv = ['lengthwise', '--version']; main(); "
        "sys.exit(signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)"
    )
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
