"""The command `monitor`: reads events as they come, and says what holds of each sequence."""

import argparse
import json
import select
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, cast

from lengthwise.cli.output import note
from lengthwise.errors import ConfigError, RunError, WordError
from lengthwise.escapes import printable
from lengthwise.files import read_object, require_file_place, values_of, write_json
from lengthwise.messages import format_count
from lengthwise.monitor import UNKNOWN, Change, Monitor
from lengthwise.problems.subjects import read_subject
from lengthwise.status_lines import mute

_AT_ONCE = 2**20
"""Bytes that are read at a time."""

_BETWEEN_SAVES = 1.0
"""Seconds, at least, after which the state is written again."""

_WAIT = 0.1
"""Seconds between two looks at a file that grows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the automaton, the events and the state to the parser."""
    parser.add_argument(
        "subject",
        metavar="SPEC|RUN",
        help="a language, such as 'ltlf:G (a -> F b)' or att:FILE; a FILE.json of infer; or a run",
    )
    parser.add_argument(
        "events",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="a line for each event, EVENT or KEY<TAB>EVENT (default: standard input)",
    )
    parser.add_argument("--follow", action="store_true", help="wait for more at the end of FILE")
    parser.add_argument(
        "--state",
        type=Path,
        metavar="FILE.json",
        help="keep the state of all sequences there, and continue from it",
    )
    parser.add_argument(
        "--unknown",
        choices=UNKNOWN,
        default="refuse",
        help="an event that is not a symbol of the language: refuse it (default) or skip it",
    )
    parser.add_argument("--every", action="store_true", help="print a line for every event")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each line")
    parser.add_argument("--alphabet", help="all symbols of a regular expression or a formula")


_CONTENT = bytes({*range(256)} - {*b"\t\n"})
"""Bytes of the content of cells, not of what separates them."""

_FORMS = {1: "EVENT", 2: "KEY<TAB>EVENT"}
"""Forms of a line by its number of columns."""


def run(arguments: argparse.Namespace) -> None:
    """Read events to their end, print each change of a verdict, and keep the state."""
    if arguments.follow and arguments.events is None:
        raise ConfigError("--follow is for a FILE; standard input is followed anyway. Omit it.")
    if arguments.state is not None:
        require_file_place(arguments.state, ".json")
    language = read_subject(arguments.subject, arguments.alphabet)
    monitor = Monitor(language, unknown=arguments.unknown)
    state = _State(monitor, arguments.state, arguments.events)
    try:
        for block in _blocks(arguments.events, state, follow=arguments.follow):
            if not block:
                state.save()
                continue
            try:
                _read(monitor, state, block, arguments)
            except WordError:  # the lines before the wrong one are read
                for line in block.splitlines(keepends=True):
                    _read(monitor, state, line, arguments)
                raise
            state.save()
    finally:
        state.save(at_once=True)
        sys.stdout.flush()
    tally = "; ".join(f"{number:,} {verdict}" for verdict, number in monitor.tally().items())
    skipped = f" ({format_count(monitor.skipped, 'event')} skipped)" if monitor.skipped else ""
    note(f"{format_count(state.lines, 'event')}{skipped}: {tally or 'no sequence'}")


class _State:
    """Keeps in a file how far events were read, and the state of the sequences."""

    def __init__(self, monitor: Monitor, file: Path | None, source: Path | None) -> None:
        self.offset, self.lines, self.columns = 0, 0, 0
        self._monitor, self._file = monitor, file
        self._source = None if source is None else str(source.resolve())
        self._next = time.monotonic() + _BETWEEN_SAVES
        self._saved = 0
        if file is None or not file.exists():
            return
        remedy = "Remove it, or give another file for the state."
        with values_of(file, remedy=remedy):
            values = read_object(file, remedy=remedy)
            monitor.restore(values)
            if source is not None and values["source"] == self._source:
                self.offset, self.lines = values["offset"], values["lines"]
            self._saved = self.lines
        if self.offset and source is not None and source.stat().st_size < self.offset:
            raise RunError(
                f"{file} was kept after {self.offset:,} bytes of {source}, which has "
                f"{source.stat().st_size:,} now. Give the file of events that it belongs to, or "
                f"another file for the state."
            )

    def advance(self, size: int, lines: int) -> None:
        """Count bytes and lines that were read."""
        self.offset += size
        self.lines += lines

    def close_line(self, some: bytes) -> bytes:
        """Leave out the end of the last line that was read, which had none then.

        Raises:
            RunError: the line goes on.
        """
        size = next((len(end) for end in (b"\n", b"\r\n") if some.startswith(end)), 0)
        if not size:
            raise RunError(
                f"line {self.lines} of {self._source} had no end when it was read, and goes on "
                f"now. Remove {self._file} to read the file anew; --follow waits for the end."
            )
        self.advance(size, 0)
        return some[size:]

    def save(self, *, at_once: bool = False) -> None:
        """Write the state if there is a file for it, something was read and a second has passed."""
        began = time.monotonic()
        is_due = self.lines > self._saved and began >= self._next
        if self._file is None or not (is_due or at_once):
            return
        place = {"source": self._source, "offset": self.offset, "lines": self.lines}
        write_json(self._file, {**place, **self._monitor.to_dict()})
        self._saved, took = self.lines, time.monotonic() - began
        self._next = began + max(_BETWEEN_SAVES, 20 * took)


def _blocks(source: Path | None, state: _State, *, follow: bool) -> Iterator[bytes]:
    """Yield whole lines as soon as they come, many at a time; the last may lack its end.

    Yield nothing, `b""`, from time to time where no line comes.
    """
    with _open(source) as stream:
        is_open, rest = False, b""
        if state.offset:
            stream.seek(state.offset - 1)
            is_open = stream.read(1) != b"\n"
        while True:
            with mute():
                is_ready = _is_ready(stream)
                some = stream.read1(_AT_ONCE) if is_ready else b""
                if not some and follow:
                    time.sleep(_WAIT)
            if not some and (follow or not is_ready):
                yield b""
                continue
            if is_open and some:
                some, is_open = state.close_line(some), False
            whole, end, rest = (rest + some).rpartition(b"\n")
            if end:
                yield whole + end
            if not some:
                break
        if rest:
            yield rest


def _is_ready(stream: BufferedReader) -> bool:
    """Return whether something can be read, or the end is reached, within a second."""
    try:
        return bool(select.select([stream], [], [], _BETWEEN_SAVES)[0])
    except (OSError, ValueError):  # not a file, or a system where only sockets can be asked
        return True


def _open(source: Path | None) -> AbstractContextManager[BufferedReader]:
    if source is not None:
        return source.open("rb")
    if isinstance(sys.stdin, TextIOWrapper):
        return nullcontext(cast(BufferedReader, sys.stdin.buffer))
    return nullcontext(BufferedReader(BytesIO(sys.stdin.read().encode())))


def _read(monitor: Monitor, state: _State, block: bytes, arguments: argparse.Namespace) -> None:
    """Read a block of lines, and print what changes."""
    size = len(block)
    block = block.replace(b"\r\n", b"\n").removesuffix(b"\n")
    state.columns = state.columns or 1 + (b"\t" in block.partition(b"\n")[0])
    number = 1 + block.count(b"\n")
    try:
        if _separators(block) != (b"\t" * (state.columns - 1) + b"\n") * number:
            raise WordError(
                f"a line is {_FORMS[state.columns]}, as the first, but this is "
                f"{block[:40].decode(errors='replace')!r}. Write all lines alike."
            )
        cells = block.replace(b"\n", b"\t").decode().split("\t")
        keys = cells[::2] if state.columns > 1 else None
        changes = monitor.read_many(cells[1::2] if keys else cells, keys, every=arguments.every)
    except UnicodeDecodeError:
        raise WordError(f"line {state.lines + 1} is not UTF-8. Convert it.") from None
    except WordError as error:
        raise WordError(f"line {state.lines + 1}: {error}") from None
    if changes:
        show = _as_json if arguments.json else _as_line
        sys.stdout.write("\n".join(map(show, changes)) + "\n")
        sys.stdout.flush()
    state.advance(size, number)


def _separators(block: bytes) -> bytes:
    return block.translate(None, delete=_CONTENT) + b"\n"


def _as_line(change: Change) -> str:
    verdict = change.verdict
    cells = [change.key, f"{change.count}", change.event, str(verdict), " ".join(verdict.to_change)]
    return "\t".join(map(printable, cells)).strip("\t")


def _as_json(change: Change) -> str:
    verdict = change.verdict
    values: dict[str, Any] = {"key": change.key, "count": change.count, "event": change.event}
    values |= {"verdict": verdict.name, "final": verdict.is_final}
    values["to_change"] = verdict.to_change
    return printable(json.dumps(values, ensure_ascii=False))
