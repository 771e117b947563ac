"""The reference of settings: every setting of a problem and a model, with its default."""

from dataclasses import replace

from lengthwise.errors import ConfigError, TextError
from lengthwise.problems.base import Plan, Problem
from lengthwise.problems.presets import PRESETS
from lengthwise.problems.runs import make_plan
from lengthwise.settings import SettingInfo, describe_settings, sort_settings


def settings_reference(
    kind: type[Problem],
    model: str | None = None,
    *,
    preset: str = "laptop",
    spec: str = "",
    objective: str | None = None,
) -> list[SettingInfo]:
    """Return what can be set of a problem and a model, section by section.

    Defaults are those of the plan for `spec`, with the model and the preset. Without a
    specification, or a corpus at its place, they are those of the model and the preset alone. A
    default that follows from other settings is None. Without an `objective` it is that of the plan.

    Raises:
        ConfigError: there is no such model or preset.
        LengthwiseError: there is nothing that `spec` names.
    """
    PRESETS[preset]  # raises unless it is a name
    plan = _planned(spec, model, preset, objective)
    entry = plan.entry if plan else kind.models[kind.default_model if model is None else model]
    names = kind.settable(entry)
    usual = kind.usual(preset, entry, spec)
    values = sort_settings(usual, names, derived=kind.derived, strict=False)
    values["network"] = {**entry.defaults, **values["network"]}
    if plan:
        values = {name: part.to_dict() for name, part in plan.sections.items()}
    found = list(kind.own_settings(spec).values()) if spec else []
    objective_there = kind.objective_settings.from_dict(values["objective"])
    kinds = {**kind.sections(entry), "objective": type(objective_there)}
    for section, config in kinds.items():
        found += describe_settings(section, config, names[section], values[section])
    return [replace(e, default=None) if e.name in kind.derived else e for e in found]


def usual_model(
    kind: type[Problem], spec: str, preset: str = "laptop", objective: str | None = None
) -> tuple[str, str]:
    """Return the model that `train SPEC` takes first, and why.

    It is that of the problem, if `spec` cannot be read.
    """
    plan = _planned(spec, None, preset, objective)
    return (plan.model, plan.chosen) if plan else (kind.default_model, "")


def _planned(
    spec: str, model: str | None, preset: str, objective: str | None = None
) -> Plan | None:
    """Return the plan, if there is a specification, and a corpus where it is one."""
    if not spec:
        return None
    chosen = {} if objective is None else {"objective": objective}
    try:
        return make_plan(spec, model, preset=preset, settings=chosen)
    except TextError:
        return None
    except ConfigError:  # such as of a model that needs a body
        if model is None or objective is not None:
            raise
        return None
