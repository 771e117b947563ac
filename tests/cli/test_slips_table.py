"""Every slip of the table `slips.txt`: one line that says what to do instead, and nothing written.

A slip of the table is three lines: the command, what it reads (if anything), and what it answers:

    $ label parity
    < 0x1
    2 line 1, column 2: symbol 'x' is not in the alphabet. Use: 0 1

`...` stands for any text. All commands are given in the folder that `prepared.py` fills.
"""

import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.prepared import prepare
from extras import skip_if_refused
from lengthwise.cli.commands import WINGS, summaries
from lengthwise.cli.main import main
from own_commands import OWN_COMMANDS


class Slip(NamedTuple):
    """A command line, its standard input, and the exit status and line that answer it."""

    command: str
    given: str
    status: int
    line: str


def read(table: Path) -> Iterator[Slip]:
    """The slips of the table, in its order."""
    command, given = "", ""
    for line in table.read_text(encoding="utf-8").splitlines():
        match line[:1]:
            case "$":
                command, given = line[2:], ""
            case "<":
                given += line[2:].encode("latin-1", "backslashreplace").decode("unicode_escape")
                given += "\n"
            case "2":
                yield Slip(command, given, 2, line[2:])
            case _:
                assert not line or line.startswith("#"), line


SLIPS = [
    slip
    for slip in read(Path(__file__).with_name("slips.txt"))
    if slip.command.split()[0] in summaries() or slip.command.split()[0] not in WINGS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a run of every kind; it is the current one, and Python imports from it."""
    path = tmp_path_factory.mktemp("slips")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setattr(sys, "path", [str(path), *sys.path])
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        prepare(path)
        yield path
    sys.modules.pop("mine", None)


def listing(folder: Path) -> dict[str, int]:
    """All files and folders below a folder, with the times of their last change."""
    return {
        str(path): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


def test_the_table_has_a_hundred_slips_and_one_of_every_command() -> None:
    commands = [slip.command for slip in SLIPS]
    assert len(set(commands)) >= 100
    assert len({(slip.command, slip.given) for slip in SLIPS}) == len(SLIPS)
    assert {command.split()[0] for command in commands} >= set(OWN_COMMANDS)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.command} {slip.given.strip()}")
def test_a_slip_is_told_in_one_line_and_leaves_nothing(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    slip: Slip,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(slip.given))
    before = listing(folder)
    capsys.readouterr()
    status = main(shlex.split(slip.command))
    out, error = capsys.readouterr()
    skip_if_refused(status, error)
    assert (status, out, error.count("\n")) == (slip.status, "", 1), error
    pattern = re.escape(f"lengthwise: {slip.line}\n").replace(re.escape("..."), ".*")
    assert re.fullmatch(pattern, error), error
    assert listing(folder) == before
