"""Settings: frozen values that are checked when they are made, and stored as JSON.

Settings nest by owner: `network.d_model`, `training.steps`, `data.max_length`. A user may give a
name without its section wherever only one section has it; `sort_settings` finds the section.
"""

import ast
import inspect
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from lengthwise.errors import ConfigError, unknown_name

_MOST_WHOLE = 2**62
"""Largest integer that a setting takes, so that JSON holds it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """Base of every settings class; each is defined beside the class that it configures.

    Bounds of one setting are declared with it (`Setting`). A class with a rule about several checks
    it in its own `__post_init__`, after that of its base.
    """

    def __post_init__(self) -> None:
        check_settings(self)

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
        values = {name: _plain(value, hints.get(name)) for name, value in values.items()}
        for name, value in values.items():
            if name not in known:
                raise unknown_name("setting", name, known)
            if not _fits(value, hints[name]):
                raise ConfigError(f"{name}={value!r:.60} must be {_describe(hints[name])}.")
            too_large = f"{name}={value} is too large. Use {_MOST_WHOLE} or less."
            require(not isinstance(value, int) or value <= _MOST_WHOLE, too_large)
        missing = [f.name for f in fields(cls) if f.name not in values and _is_required(f)]
        if missing:
            raise ConfigError(f"{cls.__name__} needs a value for {', '.join(missing)}.")
        return cls(**{name: _as_type(value, hints[name]) for name, value in values.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, ready for JSON."""
        return asdict(self)

    def non_defaults(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults, and those that have none."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default or _is_required(field)
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """Declaration of a setting, its meaning and its values: `Annotated[int, Setting(...)]`."""

    meaning: str = ""
    """Meaning of the setting; if this is empty, it is the docstring under the field."""
    unit: str = ""
    """Unit of the value: `symbols`, `steps`."""
    letter: str = ""
    """The letter that papers use for it."""
    least: float | None = None
    above: float | None = None
    """A bound that the value must be above."""
    most: float | None = None
    below: float | None = None
    """A bound that the value must be below."""
    options: Mapping[str, Any] | None = None
    """The catalogue that has its values as names."""

    def require(self, name: str, value: Any) -> None:
        """Refuse a value outside the bounds, or one that is not a name among the options.

        Raises:
            ConfigError: it is.
        """
        if self.options is not None:
            self.options[value]  # raises unless it is a name
        assignment = f"{name}={value:,}" if isinstance(value, int) else f"{name}={value}"
        if self.least is not None:
            remedy = f"Use {_format_bound(self.least)} or more."
            require(value >= self.least, f"{assignment} is too small. {remedy}")
        if self.above is not None:
            remedy = f"Use a number above {_format_bound(self.above)}."
            require(value > self.above, f"{assignment} is too small. {remedy}")
        if self.most is not None:
            require(
                value <= self.most,
                f"{assignment} is too large. Use {_format_bound(self.most)} or less.",
            )
        if self.below is not None:
            remedy = f"Use a number below {_format_bound(self.below)}."
            require(value < self.below, f"{assignment} is too large. {remedy}")
        require(value not in (math.inf, -math.inf), f"{assignment} must be finite.")


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingInfo:
    """One line of the reference of settings."""

    name: str
    """Name with the section: `training.steps`."""
    kind: str
    """Description of the values that it takes."""
    default: Any
    """The default; None if it follows from other settings."""
    unit: str = ""
    letter: str = ""
    meaning: str = ""
    origin: str = ""
    """Who set the default, unless it is that of the class: `preset smoke`."""


class NoSettings(Config):
    """A section without settings."""


RENAMED = {
    "backbone": "network.body",
    "lessons": "objective.replay",
    "longest_word": "network.max_length",
    "pull": "objective.code_consistency",
}
"""Present names of settings by former ones, which are refused."""

Parts = dict[str, dict[str, Any]]
"""Values of settings by section and name."""


def sort_settings(
    values: Mapping[str, Any],
    sections: Mapping[str, Collection[str]],
    *,
    derived: Collection[str] = (),
    strict: bool = True,
) -> Parts:
    """Find the section of each setting that a user gives.

    A setting is named with its section (`training.steps`), or without (`steps`) where only one
    section has it. A section may be given whole, as a mapping, or by its name alone if it has one:
    `objective="codebook"`. Unless `strict`, a name that belongs to no section is
    ignored.

    Raises:
        ConfigError: a name is unknown, has the wrong section, belongs to several sections, or is
            given twice.
    """
    parts: Parts = {section: {} for section in sections}
    spelled: dict[tuple[str, str], str] = {}
    for name, value in _flat(values, sections):
        home = _section_of(name, sections, derived, strict)
        if home is None:
            continue
        if home in spelled and strict:
            raise ConfigError(f"{spelled[home]} is also given as {name}. Give it once.")
        spelled[home] = name
        parts[home[0]][home[1]] = value
    return parts


def merge_settings(layers: Iterable[Parts]) -> Parts:
    """Merge settings by section; a later layer overrides an earlier one.

    A layer that names another variant for a section than an earlier one drops the settings of that.
    """
    parts: Parts = {}
    for layer in layers:
        for section, values in layer.items():
            before = parts.setdefault(section, {})
            if "name" in values and before.get("name", values["name"]) != values["name"]:
                before.clear()
            before.update(values)
    return parts


def _flat(
    values: Mapping[str, Any], sections: Mapping[str, Collection[str]]
) -> Iterable[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, str) and name in sections and "name" in sections[name]:
            yield f"{name}.name", value
        elif name in sections:
            require(
                isinstance(value, Mapping),
                f"{name} is a section of settings, but got {value!r:.40}. Give one of its "
                f"settings, such as training.steps=5000, or a table.",
            )
            yield from ((f"{name}.{inner}", setting) for inner, setting in value.items())
        else:
            yield name, value


def _section_of(
    name: str,
    sections: Mapping[str, Collection[str]],
    derived: Collection[str],
    strict: bool,
) -> tuple[str, str] | None:
    """Return section and name of a setting, or None if it belongs to no section."""
    section, dot, short = name.rpartition(".")
    if dot and section in sections and short in sections[section]:
        return section, short
    homes = [each for each, names in sections.items() if short in names]
    if not strict:
        # An argument of a network of one's own may be named like a setting of the package.
        packages = [home for home in homes if home != "network"]
        return ((packages or homes)[0], short) if homes and not dot else None
    now = RENAMED.get(short, "")
    if now.rpartition(".")[2] in sections.get(now.partition(".")[0], ()) and not homes:
        raise ConfigError(f"{name!r} is the former name of {now}, and is not read. Give {now}.")
    if dot and section not in sections:
        raise unknown_name("section of settings", section, list(sections))
    if dot and homes:
        suggestions = " or ".join(f"{home}.{short}" for home in homes)
        raise ConfigError(
            f"{section} has no setting {short!r}, but there is {suggestions}. Give that."
        )
    if dot:
        raise unknown_name(f"setting of {section}", short, sorted(sections[section]))
    if len(homes) > 1:
        homes = [home for home in homes if f"{home}.{short}" not in derived] or homes
    if len(homes) > 1:
        first, *others = [f"{home}.{short}" for home in homes]
        raise ConfigError(
            f"{short!r} could be {first} or {' or '.join(others)}. Give the setting that you mean."
        )
    if not homes:
        known = {name for names in sections.values() for name in names}
        raise unknown_name("setting", name, sorted(known))
    return homes[0], short


def describe_settings(
    section: str, config: type[Config], names: Collection[str], values: Mapping[str, Any]
) -> list[SettingInfo]:
    """Return the entries of the reference for the settings of one section, in their order.

    `values` are defaults that replace those of the class.
    """
    kind: Any = config
    hints, declared = get_type_hints(config), declarations(kind)
    meanings, settings = _meanings(kind), list[SettingInfo]()
    for field in fields(config):
        if field.name not in names:
            continue
        declared_setting = declared.get(field.name, Setting())
        default = values.get(field.name, None if field.default is MISSING else field.default)
        settings.append(
            SettingInfo(
                name=f"{section}.{field.name}",
                kind=_list_values(declared_setting.options)
                if declared_setting.options
                else _describe(hints[field.name]),
                default=default,
                unit=declared_setting.unit,
                letter=declared_setting.letter,
                meaning=meanings.get(field.name) or declared_setting.meaning,
            )
        )
    return settings


@cache
def _meanings(config: type[Config]) -> Mapping[str, str]:
    """Return the docstrings under the fields of a class and of its bases, each as one line."""
    docstrings: dict[str, str] = {}
    for base in reversed(config.__mro__):
        if not issubclass(base, Config) or base is Config or base.__module__ == "types":
            continue  # a class that is made as the program runs has no source
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(body, ast.ClassDef)
        for statement, after in zip(body.body, body.body[1:], strict=False):
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                docstrings[statement.target.id] = " ".join(str(after.value.value).split())
    return docstrings


def require_known(settings: Iterable[str], known: Collection[str]) -> None:
    """Raise `ConfigError`, with the most similar name, if a setting is not among the known ones."""
    for name in settings:
        if name not in known:
            raise unknown_name("setting", name, sorted(known))


def flatten(value: Any, prefix: str = "") -> dict[str, Any]:
    """Flatten nested settings to `{"train.seed": 0}`, so that a difference can be named."""
    if not isinstance(value, dict):
        return {prefix: value}
    result = {}
    for key, inner in value.items():
        result.update(flatten(inner, f"{prefix}.{key}" if prefix else str(key)))
    return result


def check_settings(config: Config) -> None:
    """Refuse values that the declarations of a class do not allow.

    Raises:
        ConfigError: a number is outside its bounds, or a name is not among the options.
    """
    kind: Any = type(config)  # mypy takes types of dataclasses for unhashable
    for name, setting in declarations(kind).items():
        if (value := getattr(config, name)) is not None:
            setting.require(name, value)
    for name, hint in _choices(kind).items():
        value = getattr(config, name)
        problem = f"{name}={value!r} is not an option. Use {_describe(hint)}."
        require(_fits(value, hint), problem)


@cache
def declarations(config: Any) -> Mapping[str, Setting]:
    """Return the declarations of a class of settings, by name; some settings have none."""
    return {
        name: declaration
        for name, hint in get_type_hints(config, include_extras=True).items()
        for declaration in getattr(hint, "__metadata__", ())
        if isinstance(declaration, Setting)
    }


@cache
def _choices(config: Any) -> Mapping[str, Any]:
    """Return the types of a class of settings that list options, by name."""
    hints = get_type_hints(config).items()
    return {name: hint for name, hint in hints if get_origin(hint) is Literal}


def require(condition: bool, message: str) -> None:
    """Raise `ConfigError(message)` if the condition is false."""
    if not condition:
        raise ConfigError(message)


def _is_required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _plain(value: Any, hint: Any) -> Any:
    """Return a number of numpy as Python's, and `none` as None where that is an option."""
    options = get_args(hint) if isinstance(hint, UnionType) else ()
    if isinstance(value, str) and value.lower() == "none":
        return None if NoneType in options and str not in options else value
    if isinstance(value, Integral) and not isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, int) else value


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:  # of any length, with elements of one type
        return isinstance(value, list | tuple) and all(_fits(v, get_args(hint)[0]) for v in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _as_type(value: Any, hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(value)
    is_number = hint is float or (float in get_args(hint) and type(value) is int)
    return float(value) if is_number else value


def _format_bound(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _list_values(names: Iterable[object]) -> str:
    return "one of " + ", ".join(map(repr, names))


def _describe(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return " or ".join(_describe(option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return _list_values(get_args(hint))
    if get_origin(hint) is tuple:
        return f"a list, each {_describe(get_args(hint)[0])}"
    names = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}
    return "none" if hint is NoneType else names.get(hint, str(hint))
