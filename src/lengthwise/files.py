"""Writing files so that a reader sees the old content or the new, never a half."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lengthwise.errors import RunError


def write_bytes(path: Path, content: bytes) -> None:
    """Replace `path` by `content`: written to a temporary name, synced, and renamed."""
    with _written_aside(path, content) as temporary:
        temporary.replace(path)


def create_json(path: Path, value: Any) -> bool:
    """Make a file that did not exist; False, and nothing changed, if it does."""
    with _written_aside(path, _json(value)) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
    return True


def is_leftover(path: Path) -> bool:
    """Whether a file has one of our temporary names."""
    return path.name.startswith(".") and path.name.endswith(".tmp")


def remove_leftovers(folder: Path) -> None:
    """Delete what writers that were killed left behind under temporary names."""
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)


@contextmanager
def _written_aside(path: Path, content: bytes) -> Iterator[Path]:
    """A synced file beside `path`, under a name of our own, for as long as the block runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def write_text(path: Path, content: str) -> None:
    """`write_bytes` for text in UTF-8."""
    write_bytes(path, content.encode())


def write_json(path: Path, value: Any) -> None:
    """`write_text` for a JSON value, indented for people."""
    write_bytes(path, _json(value))


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """`write_text` for records, one JSON object a line."""
    write_text(path, "".join(json.dumps(record, allow_nan=False) + "\n" for record in records))


def read_json(path: Path) -> Any:
    """The JSON value stored in `path`.

    Raises:
        RunError: the file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{path} does not exist.") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is not JSON ({error}). Restore it or train again.") from None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSONL file; none if there is no file.

    Raises:
        RunError: a line is not a JSON object (the line is named).
    """
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            raise RunError(
                f"{path}, line {number} is not JSON. Restore it or train again."
            ) from None
        if not isinstance(record, dict):
            raise RunError(f"{path}, line {number} is not a JSON object.")
        yield record


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the system allows a folder to be opened."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
