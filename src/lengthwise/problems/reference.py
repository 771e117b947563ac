"""The reference of settings: every setting of a problem and a model, with its default."""

from lengthwise.problems.base import Problem
from lengthwise.problems.presets import PRESETS
from lengthwise.settings import SettingInfo, describe_settings, sort_settings


def settings_reference(
    kind: type[Problem], model: str | None = None, *, preset: str = "laptop", spec: str = ""
) -> list[SettingInfo]:
    """Return the settings of a problem and a model that a user can set, section by section.

    Defaults are those of the model and the preset, and of the problem that `spec` names.

    Raises:
        ConfigError: there is no such model or preset.
    """
    PRESETS[preset]  # raises unless it is a name
    entry = kind.models[model or kind.default_model]
    names = kind.settable(entry)
    usual = kind.usual(preset, entry, spec)
    values = sort_settings(usual, names, aliases=kind.aliases, strict=False)
    values["network"] = {**entry.defaults, **values["network"]}
    found = list(kind.own_settings(spec).values()) if spec else []
    for section, config in kind.sections(entry).items():
        found += describe_settings(section, config, names[section], values[section])
    return found
