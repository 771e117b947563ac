"""Files: writes them so that a reader sees the old content or the new, and reads JSON strictly.

All JSON that the package stores is read here, so that a damaged file gives one line in every
command.
"""

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from lengthwise.errors import ConfigError, LengthwiseError, RunError


def cache_folder() -> Path:
    """Return lengthwise's folder among the user's caches."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else _home() / ".cache") / "lengthwise"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user without a home
        return Path(os.devnull)


def require_run_folder(path: Path) -> None:
    """Refuse a path of a run that is not a folder.

    Raises:
        RunError: it is not a folder.
    """
    if not path.is_dir():
        raise RunError(f"{path} is not a folder. Give the folder of a run.")


def require_file_place(path: Path, *endings: str) -> None:
    """Refuse a path at which no file can be written, before work is spent on its content.

    With `endings`, its name has to end in one of them.

    Raises:
        RunError: it is a folder, a device, or below a file.
        ConfigError: its name ends otherwise.
    """
    if path.is_dir():
        raise RunError(f"{path} is a folder, but a file is needed. Give the name of a file.")
    is_device = path.parent == Path("/dev") or (path.exists() and not path.is_file())
    if is_device:  # a file would take its place
        raise RunError(f"{path} is not a file that can be replaced. Give the name of a file.")
    require_folder_place(path.parent)
    if endings:
        require_name(path, *endings)


def require_name(path: Path, *endings: str) -> Path:
    """Return a path whose name ends as its content asks for.

    Raises:
        ConfigError: it ends otherwise.
    """
    if path.suffix not in endings:
        raise ConfigError(f"the file's name must end in {' or '.join(endings)}, but got {path}.")
    return path


def require_folder_place(path: Path) -> None:
    """Refuse a path at which there can be no folder, or one that cannot be written to.

    Raises:
        RunError: it is a file, or below one, or in a folder that cannot be written to.
    """
    nearest = next(parent for parent in (path, *path.parents) if parent.exists())
    if nearest.is_dir():
        if not may_write(nearest):
            raise RunError(
                f"{nearest} cannot be written to. Change its permissions, or use another place."
            )
        return
    if nearest == path:
        raise RunError(f"{path} is a file, but a folder is needed. Use another path.")
    raise RunError(f"{path} cannot be made, since {nearest} is a file. Use another path.")


def may_write(folder: Path) -> bool:
    """Return whether files can be made in a folder, as far as the system tells."""
    return os.access(folder, os.W_OK | os.X_OK)


def write_bytes(path: Path, content: bytes) -> None:
    """Replace `path` by `content`, which is written to a temporary name, synced, and renamed."""
    with _write_aside(path, content) as temporary:
        temporary.replace(path)


def create_json(path: Path, value: Any) -> bool:
    """Create a file that did not exist; return False, and change nothing, if it does."""
    with _write_aside(path, _json(value)) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
    return True


def is_leftover(path: Path) -> bool:
    """Return whether a file has one of our temporary names."""
    return path.name.startswith(".") and path.name.endswith(".tmp")


def remove_leftovers(folder: Path) -> None:
    """Delete the files with temporary names that killed writers left behind."""
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)


@contextmanager
def _write_aside(path: Path, content: bytes) -> Iterator[Path]:
    """Yield a synced file beside `path` under a temporary name, which is deleted afterwards."""
    require_file_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    except OSError as error:
        if error.errno and error.filename in (None, str(temporary)):
            error.filename = str(path)  # the name that people know
        raise
    finally:
        with suppress(OSError):  # such as one of a file system that is only read
            temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_text(path: Path, content: str) -> None:
    """Replace `path` by text in UTF-8, as `write_bytes` does."""
    write_bytes(path, content.encode())


def read_text(path: Path, noun: str, error_type: type[LengthwiseError]) -> str:
    """Read a file in UTF-8, without its byte-order mark; `noun` names its kind in messages.

    Raises:
        error_type: the file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise error_type(
            f"{path}: {noun} is in UTF-8, but byte {error.start + 1} is not."
        ) from None
    except OSError as error:
        raise error_type(f"{path}: cannot be read ({error.strerror}). Give a file.") from None


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by a JSON value, indented for people."""
    write_bytes(path, _json(value))


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Replace `path` by records, one JSON object per line."""
    write_text(path, "".join(json.dumps(record, allow_nan=False) + "\n" for record in records))


_REMEDY = "Restore it, or train again in a new folder."


def parse_json(text: str | bytes) -> Any:
    """Return the JSON value of a string, if this package could have written it.

    Python's own reader accepts more (`NaN`, a repeated key), and raises other errors on texts that
    were made to break it.

    Raises:
        ValueError: with the reason, on one line.
    """
    try:
        value = json.loads(
            text if isinstance(text, str) else text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_integer,
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except MemoryError:
        raise ValueError("it is larger than memory") from None
    _check(value)
    return value


def read_json(path: Path, *, remedy: str = _REMEDY) -> Any:
    """Return the JSON value stored in `path`.

    Raises:
        RunError: the file is missing or is not JSON.
    """
    try:
        return parse_json(_content(path))
    except FileNotFoundError:
        raise RunError(f"{path} does not exist.") from None
    except ValueError as error:
        raise RunError(f"{path} is not JSON ({error}). {remedy}") from None


def read_object(path: Path, *, remedy: str = _REMEDY) -> dict[str, Any]:
    """Return the JSON object stored in `path`.

    Raises:
        RunError: the file is missing, is not JSON, or holds another value than an object.
    """
    value = read_json(path, remedy=remedy)
    if not isinstance(value, dict):
        raise RunError(f"{path} must hold a JSON object, but holds {_kind(value)}. {remedy}")
    return value


def read_lines(path: Path, *, remedy: str = _REMEDY) -> Iterator[dict[str, Any]]:
    """Yield the records of a JSONL file; none if there is no file.

    Raises:
        RunError: a line is not a JSON object (the message has its number).
    """
    if not path.exists():
        return
    for number, line in enumerate(_content(path).splitlines(), start=1):
        try:
            record = parse_json(line)
        except ValueError as error:
            raise RunError(f"{path}, line {number} is not JSON ({error}). {remedy}") from None
        if not isinstance(record, dict):
            raise RunError(
                f"{path}, line {number} is not a JSON object, but {_kind(record)}. {remedy}"
            )
        yield record


@contextmanager
def values_of(path: Path, *, remedy: str = _REMEDY) -> Iterator[None]:
    """Report what does not fit in the values of a file as damage of that file.

    Raises:
        RunError: a value is missing, or of the wrong kind.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise RunError(f"{path} is damaged ({error!r:.80}). {remedy}") from None


def require_kinds(record: Any, kinds: Mapping[str, str], *, where: str, remedy: str) -> None:
    """Refuse a record that is not an object, lacks a named value, or has one of another kind.

    The kinds are `a string`, `an integer`, `a number`, `a share` (a number from 0 to 1), `true or
    false`, `a list`, `an object` and `null`; several are joined by ` or `.

    Raises:
        RunError: with the name, the required kind, and the kind that was found.
    """
    if not isinstance(record, Mapping):
        raise RunError(f"{where} must be an object, but it is {_kind(record)}. {remedy}")
    for name, kind in kinds.items():
        found_kind = _kind(record[name]) if name in record else "missing"
        options = kind.split(" or ") if kind != "true or false" else [kind]
        is_number = found_kind in ("a number", "an integer")
        if is_number and "a share" in options:
            fits = -_SLACK <= record[name] <= 1 + _SLACK
            found_kind = "a share" if fits else f"{record[name]!r:.12}, and not from 0 to 1"
        elif is_number and "a number" in options:
            found_kind = "a number"
        if found_kind not in options:
            raise RunError(f"{where}: {name} must be {kind}, but it is {found_kind}. {remedy}")


_SLACK = 1e-9
"""By how much rounding may take a share below 0 or beyond 1."""


# ---- checks of JSON ----------------------------------------------------------------------------

_MOST_LEVELS = 100
"""Greatest nesting of lists and objects: far more than the package writes, and safe to recurse
into."""

_TOO_DEEP = f"lists and objects are nested more than {_MOST_LEVELS} deep"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except MemoryError:
        raise RunError(f"{path} is larger than memory. {_REMEDY}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        count = Counter(name for name, _ in pairs)
        twice = max(count, key=lambda name: count[name])
        raise ValueError(f"the key {twice!r:.60} appears twice in one object")
    return record


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits:.20} is too large")
    return value


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
        raise ValueError(f"the number {digits:.20} has more than 64 bits")
    return int(digits)


def _check(value: Any) -> None:
    """Refuse values that are nested too deep to recurse into, and texts that UTF-8 cannot write."""
    level = [value]
    for _ in range(_MOST_LEVELS + 1):
        for item in level:
            if isinstance(item, str):
                _require_characters(item)
        nested = [item for item in level if isinstance(item, dict | list)]
        if not nested:
            return
        level = [part for item in nested for part in _parts(item)]
    raise ValueError(_TOO_DEEP)


def _require_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ValueError(f"it has half of a character, {half!a}: a lone surrogate") from None


def _parts(value: dict[str, Any] | list[Any]) -> list[Any]:
    return [*value.keys(), *value.values()] if isinstance(value, dict) else value


def _kind(value: Any) -> str:
    """Return the kind of a JSON value for a message."""
    kinds = {list: "a list", str: "a string", bool: "true or false", dict: "an object"}
    kinds |= {int: "an integer", float: "a number", type(None): "null"}
    return kinds[type(value)]


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_file(path: Path) -> None:
    """Make the content of a file survive a power cut."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the system allows a folder to be opened."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
