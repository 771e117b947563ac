"""Standard streams that end, are full, or are closed: one line at most, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


def _run(command: str, *, buffered: bool) -> tuple[int, str]:
    """Return the exit status and standard error of a command line of the shell."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    asked = {**kept, "PYTHON": sys.executable, **({} if buffered else {"PYTHONUNBUFFERED": "1"})}
    done = subprocess.run(
        ["bash", "-c", f'run() {{ "$PYTHON" -m lengthwise "$@"; }}; {command}'],
        env=asked,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.slow_for("--help-False", "--version-False", "describe --help-True")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("asked", ["languages", "--help", "--version", "describe --help"])
def test_a_reader_that_ends_early_is_no_error(asked: str, buffered: bool) -> None:
    assert _run(f"run {asked} | true; exit ${{PIPESTATUS[0]}}", buffered=buffered) == (0, "")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.slow_for("--help-False", "describe --help-True")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("asked", ["languages", "--help", "describe --help"])
def test_a_full_disk_is_told_in_a_line(asked: str, buffered: bool) -> None:
    status, error = _run(f"run {asked} > {FULL}", buffered=buffered)
    assert (status, error.count("\n")) == (2, 1)
    assert "No space left on device. Make room" in error


@pytest.mark.parametrize("buffered", [True, False])
def test_a_slip_that_nobody_reads_has_its_status(buffered: bool) -> None:
    assert (
        _run("run tarin 2>&1 >/dev/null | true; exit ${PIPESTATUS[0]}", buffered=buffered)[0] == 2
    )
    if FULL.exists():
        assert _run(f"run tarin 2> {FULL}", buffered=buffered)[0] == 2
        assert _run(f"run languages > {FULL} 2>&1", buffered=buffered)[0] == 2


def test_closed_streams_are_empty_ones() -> None:
    assert _run("run languages >&-", buffered=True) == (0, "")
    assert _run("run label parity <&-", buffered=True) == (0, "")
    assert _run("run tarin 2>&-", buffered=True) == (2, "")
