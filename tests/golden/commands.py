"""Run command lines of lengthwise in this process."""

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from lengthwise.cli.main import main

NO_JSON = ("report",)
"""Commands whose result is a file."""


@dataclass(frozen=True, slots=True)
class Result:
    """Exit status, standard output and standard error of a command."""

    status: int
    out: str
    err: str


def run(line: str) -> Result:
    """Run `COMMAND ARGUMENTS << LINE,LINE` with `--json` and return what it gave."""
    command, _, words = line.partition(" << ")
    arguments = shlex.split(command)
    if arguments[0] not in NO_JSON:
        arguments.append("--json")
    out, err = io.StringIO(), io.StringIO()
    stdin = io.StringIO("".join(f"{word}\n" for word in words.split(",")) if words else "")
    with (
        mock.patch.object(sys, "stdin", stdin),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main(arguments)
    return Result(status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Make a folder the current one for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
