"""Closed schemas of JSON: every field is named and typed, and no other field is allowed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lengthwise.errors import CertificateError


@dataclass(frozen=True, slots=True)
class Maybe:
    """Null, or a value of the form."""

    form: Any


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several strings or forms."""

    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """An object with any names; all its values have the form."""

    form: Any


@dataclass(frozen=True, slots=True)
class Pair:
    """A list of exactly two values of the form."""

    form: Any


Scalar = Choice((str, bool, int, float, Maybe(str)))
"""A plain value."""


def require_form(value: Any, form: Any, place: str = "the file") -> None:
    """Refuse a JSON value that does not have the form.

    A form is a type (`str`, `int`, `float`, `bool`), a string (itself), `[form]` for a list,
    `{name: form}` for an object with exactly these names, or one of the classes above. `float`
    takes integers too; `int` does not take `true`.

    Raises:
        CertificateError: a value has another form; the message names its path.
    """
    if isinstance(form, Maybe):
        if value is not None:
            require_form(value, form.form, place)
    elif isinstance(form, Choice):
        _require(any(_has(value, option) for option in form.options), place, "among the choices")
    elif isinstance(form, Named | Pair | list | dict):
        for name, part, part_form in _parts(value, form, place):
            require_form(part, part_form, f"{place}, {name!a:.40}")
    elif isinstance(form, type):
        types = (int, float) if form is float else (form,)
        _require(type(value) in types, place, f"of type {form.__name__}")
    else:
        _require(value == form, place, repr(form))


def _parts(value: Any, form: Any, place: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield name, value and form of each part of a list or an object."""
    if isinstance(form, Named | dict):
        _require(isinstance(value, Mapping), place, "an object")
        if isinstance(form, dict):
            _require(set(value) == set(form), place, f"an object with just {', '.join(form)}")
        for name, part in value.items():
            yield name, part, form.form if isinstance(form, Named) else form[name]
    else:
        _require(isinstance(value, list | tuple), place, "a list")
        _require(not isinstance(form, Pair) or len(value) == 2, place, "a pair")
        part_form = form.form if isinstance(form, Pair) else form[0]
        for number, part in enumerate(value):
            yield number, part, part_form


def _has(value: Any, form: Any) -> bool:
    try:
        require_form(value, form)
    except CertificateError:
        return False
    return True


def require(holds: bool, requirement: str) -> None:
    """Refuse a certificate that does not meet a requirement.

    Raises:
        CertificateError: the requirement does not hold.
    """
    if not holds:
        raise CertificateError(f"the certificate does not hold. This is not so: {requirement}.")


def _require(holds: bool, place: str, requirement: str) -> None:
    if not holds:
        raise CertificateError(f"{place} is not {requirement}")
