"""The reference of settings: every setting of a problem and a model, with its default."""

from dataclasses import replace

from lengthwise.errors import ConfigError, TextError
from lengthwise.problems.base import Plan, Problem
from lengthwise.problems.capabilities import Parametrised
from lengthwise.problems.planning import make_plan, origins_of
from lengthwise.problems.presets import PRESETS
from lengthwise.settings import SettingInfo, describe_settings, merged, sort_settings


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
    setup, origins = kind.setup, dict[str, str]()
    name = plan.model if plan else setup.default_model if model is None else model
    entry = setup.models[name]
    names = setup.settable(entry)
    if plan:
        values, origins = plan.settings, dict(origins_of(plan))
    else:
        usual = [setup.of_model(name), *setup.of_preset(preset, name, spec)]
        values = merged(sort_settings(each.values, names, strict=False) for each in usual)
    found = list[SettingInfo]()
    if spec and issubclass(kind, Parametrised):
        found += kind.own_settings(spec).values()
    objective_there = setup.objective.from_dict(values["objective"])
    kinds = {**setup.sections(entry), "objective": type(objective_there)}
    for section, config in kinds.items():
        found += describe_settings(section, config, names[section], values[section])
    return [
        replace(
            each,
            default=None if each.name in setup.derived else each.default,
            origin=origins.get(each.name, ""),
        )
        for each in found
    ]


def usual_model(
    kind: type[Problem], spec: str, preset: str = "laptop", objective: str | None = None
) -> tuple[str, str]:
    """Return the model that `train SPEC` takes first, and why.

    It is that of the problem, if `spec` cannot be read.
    """
    plan = _planned(spec, None, preset, objective)
    return (plan.model, plan.chosen) if plan else (kind.setup.default_model, "")


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
