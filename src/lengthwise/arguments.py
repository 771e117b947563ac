"""Checks of single arguments of public functions, which raise errors of one line."""

from numbers import Real
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any

from lengthwise.errors import ConfigError, LengthwiseError


def require_integer(
    name: str, value: Any, least: int = 0, *, error: type[LengthwiseError] = ConfigError
) -> int:
    """Return an integer of at least `least`.

    Raises:
        ConfigError: the value is something else, or smaller; or another error, if one is given.
    """
    try:
        integer = None if isinstance(value, bool) else index(value)
    except TypeError:
        integer = None
    if integer is None or integer < least:
        raise error(f"{name} is an integer of {least} or more, but got {value!r:.40}.")
    return integer


def number(name: str, value: Any, example: float) -> float:
    """Return a number.

    Raises:
        ConfigError: the value is something else.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigError(f"{name} is a number, such as {example}, but got {value!r:.40}.")
    return float(value)


def path_of(name: str, value: Any, example: str = "runs/parity") -> Path:
    """Return the path that is given as a string or a path.

    Raises:
        ConfigError: the value is something else.
    """
    if not isinstance(value, str | PathLike):
        raise ConfigError(f"{name} is a path, such as {example!r}, but got {value!r:.40}.")
    return Path(value)


def require_text(name: str, value: Any, example: str) -> str:
    """Return the value if it is a string.

    Raises:
        ConfigError: the value is something else.
    """
    if not isinstance(value, str):
        raise ConfigError(f"{name} is a string, such as {example!r}, but got {value!r:.40}.")
    return value
