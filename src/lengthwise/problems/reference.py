"""The reference of settings: every setting of a problem and a model, with its default."""

from dataclasses import replace

from lengthwise.errors import ConfigError, TextError
from lengthwise.problems.base import Plan, Problem
from lengthwise.problems.capabilities import Parametrised
from lengthwise.problems.planning import make_plan
from lengthwise.problems.presets import PRESETS
from lengthwise.settings import SettingInfo, describe_settings, merge_settings, sort_settings


def settings_reference(
    kind: type[Problem],
    model: str | None = None,
    *,
    preset: str = "laptop",
    spec: str = "",
    objective: str | None = None,
) -> list[SettingInfo]:
    """Return the settings of a problem and a model, section by section.

    Defaults are those of the plan for `spec`, with the model and the preset. Without a
    specification, or a corpus instead, they are those of the model and the preset alone. A
    default that follows from other settings is None. Without an `objective` it is that of the plan.

    Raises:
        ConfigError: there is no such model or preset.
        LengthwiseError: there is nothing that `spec` names.
    """
    return reference_of_plan(kind, usual_plan(spec, model, preset, objective), model, preset, spec)


def reference_of_plan(
    kind: type[Problem], plan: Plan | None, model: str | None, preset: str, spec: str
) -> list[SettingInfo]:
    """Return what `settings_reference` does, from the plan for `spec`, if there is one.

    Raises:
        ConfigError: there is no such model or preset.
    """
    PRESETS[preset]  # raises unless it is a name
    setup = kind.setup
    name = plan.model if plan else model or setup.default_model
    entry = setup.models[name]
    names = setup.settable(entry)
    usual = [setup.of_model(name), *setup.of_preset(preset, name, spec)]
    values = merge_settings(
        sort_settings(defaults.values, names, strict=False) for defaults in usual
    )
    values = plan.settings if plan else values
    infos = list[SettingInfo]()
    if spec and issubclass(kind, Parametrised):
        infos += kind.own_settings(spec).values()
    objective_there = setup.objective.from_dict(values["objective"])
    kinds = {**setup.sections(entry), "objective": type(objective_there)}
    for section, config in kinds.items():
        infos += describe_settings(section, config, names[section], values[section])
    origins = plan.origins if plan else {}
    follow = dict.fromkeys(setup.derived, None)
    return [
        replace(e, default=follow.get(e.name, e.default), origin=origins.get(e.name, ""))
        for e in infos
    ]


def usual_plan(
    spec: str, model: str | None, preset: str = "laptop", objective: str | None = None
) -> Plan | None:
    """Return the plan of `train SPEC`, if there is a specification, and a corpus if it is one."""
    if not spec:
        return None
    try:
        settings = {} if objective is None else {"objective": objective}
        return make_plan(spec, model, preset=preset, settings=settings)
    except TextError:
        return None
    except ConfigError:  # such as of a model that needs a body
        if model is None or objective is not None:
            raise
        return None
