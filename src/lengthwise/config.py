"""Settings: frozen values that are checked where they are made and stored as JSON."""

import hashlib
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from types import NoneType, UnionType
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from lengthwise.errors import ConfigError, unknown_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """Base of every settings class; each lives beside the class that it configures."""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild stored settings; an unknown name or a value of another type is an error.

        Raises:
            ConfigError: the name is not a field, or the value does not fit the field's type.
        """
        if not isinstance(values, Mapping):
            raise ConfigError(f"{cls.__name__} is made from named settings, but got {values!r}.")
        known = [field.name for field in fields(cls)]
        hints = get_type_hints(cls)
        for name, value in values.items():
            if name not in known:
                raise unknown_name(f"{cls.__name__} setting", name, known)
            if not _fits(value, hints[name]):
                raise ConfigError(
                    f"{cls.__name__} setting {name}={value!r} must be {_describe(hints[name])}."
                )
        missing = [f.name for f in fields(cls) if f.name not in values and _is_required(f)]
        if missing:
            raise ConfigError(f"{cls.__name__} needs a value for {', '.join(missing)}.")
        return cls(**{name: _as_type(value, hints[name]) for name, value in values.items()})

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, ready for JSON."""
        return asdict(self)

    def chosen(self) -> dict[str, Any]:
        """The settings that differ from their defaults: new settings leave these as they were."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default or _is_required(field)
        }

    def digest(self) -> str:
        """Twelve hex digits that change with any setting, and with the class."""
        body = json.dumps([type(self).__qualname__, self.to_dict()], sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:12]


def require_known(settings: Iterable[str], known: Collection[str]) -> None:
    """Raise `ConfigError`, with the likeliest name, if a setting is not among the known ones."""
    for name in settings:
        if name not in known:
            raise unknown_name("setting", name, sorted(known))


def parted(
    settings: Mapping[str, Any], parts: Mapping[type[Config], Collection[str]]
) -> dict[type[Config], dict[str, Any]]:
    """The settings of each part; what belongs to none is left out."""
    return {
        part: {name: value for name, value in settings.items() if name in names}
        for part, names in parts.items()
    }


def require_at_least(config: Config, least: Mapping[str, float]) -> None:
    """Raise `ConfigError` if one of the named settings is smaller than it may be."""
    for name, bound in least.items():
        value = getattr(config, name)
        require(value >= bound, f"{name}={value} is too small. Use {bound} or more.")
        require(value < math.inf, f"{name}={value} must be finite.")


def require_options(config: Config) -> None:
    """Raise `ConfigError` if a setting is none of the options that its type names."""
    for name, hint in get_type_hints(type(config)).items():
        value = getattr(config, name)
        told = f"{name}={value!r} is not an option. Use {_describe(hint)}."
        require(get_origin(hint) is not Literal or _fits(value, hint), told)


def require(condition: bool, message: str) -> None:
    """Raise `ConfigError(message)` unless the condition holds."""
    if not condition:
        raise ConfigError(message)


def _is_required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:  # of any number of one kind
        return isinstance(value, list | tuple) and all(_fits(v, get_args(hint)[0]) for v in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _as_type(value: Any, hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(value)
    return float(value) if hint is float else value


def _describe(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return " or ".join(_describe(option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(option) for option in get_args(hint))
    if get_origin(hint) is tuple:
        return f"a list, each {_describe(get_args(hint)[0])}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return "none" if hint is NoneType else names.get(hint, str(hint))
