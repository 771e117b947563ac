"""Settings of constructions: the keyword arguments of the functions that compute weights."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lengthwise.errors import ConfigError, unknown_name


def complete(
    function: Callable[..., Any], given_values: Mapping[str, Any], also: Iterable[str] = ()
) -> dict[str, Any]:
    """Complete the chosen settings of a function with its defaults.

    `also` are further known names, for the error message.

    Raises:
        ConfigError: one is unknown, or of another type than its default.
    """
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for name, value in given_values.items():
        if name not in defaults:
            raise unknown_name("setting", name, [*also, *defaults])
        kind = type(defaults[name])
        fits = _is_number(value) if kind is float else isinstance(value, kind)
        if not fits or isinstance(value, bool):
            words = {float: "a number", int: "an integer", str: "a word"}[kind]
            raise ConfigError(f"setting {name}={value!r} must be {words}.")
    return {
        name: type(default)(given_values.get(name, default)) for name, default in defaults.items()
    }


def _is_number(value: object) -> bool:
    """Return whether a value is a finite float, or an integer within the range of floats."""
    return isinstance(value, int | float) and abs(value) < 2**1023
