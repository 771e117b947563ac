"""Turn the out-of-memory errors of Python, numpy and torch into one message."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lengthwise.errors import ConfigError

_SIGNS = (
    "can't allocate memory",  # torch, on Linux
    "not enough memory",  # torch, on Windows and macOS
    "out of memory",
    "Storage size calculation overflowed",
    "integer multiplication overflow",
    "ALLOC_FAILED",  # CUDA's libraries
)

_KILO = 1024

_ALLOCATED = re.compile(r"allocate ([\d.]+) ?(\w+)")


def lacks_memory(error: BaseException) -> bool:
    """Return whether an error says that memory has run out."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS)
    )


def memory_message(error: BaseException, remedy: str) -> str:
    """Return the message for an error that `lacks_memory`, with the size that was asked for."""
    match = _ALLOCATED.search(str(error))
    size = None if match is None else _size(match[1].rstrip("."), match[2])
    request = "" if size is None else f": another {size} was requested"
    return f"out of memory{request}. {remedy}"


def _size(number: str, unit: str) -> str:
    """Return a size for people, with bytes in the largest unit that fits."""
    if unit not in ("bytes", "byte"):
        return f"{number} {unit}"
    size = float(number)
    for name in ("bytes", "KiB", "MiB"):
        if size < _KILO:
            return f"{size:,.0f} {name}"
        size /= _KILO
    return f"{size:,.1f} GiB"


@contextmanager
def enough_memory(remedy: str) -> Iterator[None]:
    """Turn an error that `lacks_memory` into a `ConfigError` that ends with the remedy."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not lacks_memory(error):
            raise
        raise ConfigError(memory_message(error, remedy)) from error
