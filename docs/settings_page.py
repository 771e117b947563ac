"""Hook of the docs site: the tables of `settings.md`, every setting of every model, by problem.

They follow from the package, so they are made with the site.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lengthwise.cli.settings import shown_default
from lengthwise.escapes import table_in_markdown
from lengthwise.objectives.base import WordObjective
from lengthwise.objectives.catalogue import OBJECTIVES, AnyObjectiveConfig
from lengthwise.problems.base import Problem
from lengthwise.problems.capabilities import Parametrised
from lengthwise.problems.inferred.problem import InferredProblem
from lengthwise.problems.inferred.settings import settings_of_inference
from lengthwise.problems.reference import settings_reference
from lengthwise.problems.registry import PROBLEMS
from lengthwise.settings import SettingInfo, describe_settings

Settings = Mapping[str, SettingInfo]
"""The settings of one model by name, such as `training.steps`."""

ABOUT = ["unit", "letter", "values", "meaning"]
"""Columns that say the same of a setting in every model."""

TASKS = ("steps:addition", "steps:multiplication", "steps:circuit:FILE", "steps:LANGUAGE")
"""Tasks whose own settings the page shows, besides those of section and model."""

_NAMED = {
    "labelled-words": "`words:...` with `--model`",
    "inferred": "`words:...` without `--model`, and `inferred:FILE`",
}
"""What is said of specifications beside their prefix."""


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put the tables below what the page says of settings in general."""
    return f"{markdown}\n\n{sections()}" if page.file.src_uri == "settings.md" else markdown


def sections() -> str:
    """Return the settings of training, which all problems share, and a section for each problem."""
    return "\n\n".join([_training(), *(_section(kind) for kind in PROBLEMS.values())])


def _training() -> str:
    """Return a row for each setting of training, with its default in each problem."""
    problems = {kind.kind: _settings(kind, kind.setup.default_model) for kind in PROBLEMS.values()}
    about = {name: each for settings in problems.values() for name, each in settings.items()}
    rows = [
        [
            f"`{name}`",
            *(_default(of[name]) if name in of else "" for of in problems.values()),
            *_about(each),
        ]
        for name, each in about.items()
        if name.startswith("training.")
    ]
    return "\n\n".join(
        [
            "## Training",
            (
                "Defaults are those of the default model of each problem, with the preset "
                "`laptop`; a problem without an entry does not have the setting."
            ),
            table_in_markdown(["setting", *problems, *ABOUT], rows),
        ]
    )


def _section(kind: type[Problem]) -> str:
    """Return the settings of the default model, and the networks of the others."""
    models = {model: _settings(kind, model) for model in kind.setup.models}
    default = models.pop(kind.setup.default_model)
    usual = f"`{kind.prefix}...`" if kind.prefix else "everything that no other prefix fits"
    named = _NAMED.get(kind.kind, usual)
    rest = {name: each for name, each in default.items() if not name.startswith("training.")}
    return "\n\n".join(
        [
            f"## {kind.kind.capitalize().replace('-', ' ')}",
            f"Specifications: {named}. The default model is `{kind.setup.default_model}`:",
            *_own(kind),
            _table({kind.setup.default_model: rest}),
            *_objectives(kind),
            *_others(kind, default, models),
        ]
    )


def _settings(kind: type[Problem], model: str) -> Settings:
    return {each.name: each for each in settings_reference(kind, model)}


def _own(kind: type[Problem]) -> list[str]:
    """Return a table of the settings that belong to the problem itself, if it has any."""
    found: dict[str, SettingInfo] = {}
    tasks: dict[str, list[str]] = {}
    if not issubclass(kind, Parametrised):
        return []
    for spec in TASKS:
        for each in kind.own_settings(spec).values() if spec.startswith(kind.prefix) else ():
            found.setdefault(each.name, each)
            tasks.setdefault(each.name, []).append(f"`{spec}`")
    if issubclass(kind, InferredProblem):
        found = {each.name: each for each in settings_of_inference()}
        tasks = {name: ["`words:FILE`"] for name in found}
    if not found:
        return []
    rows = [[f"`{name}`", ", ".join(tasks[name]), *_about(found[name])] for name in found]
    return [table_in_markdown(["setting", "tasks", *ABOUT], rows)]


def _objectives(kind: type[Problem]) -> list[str]:
    """Return what each objective tells, and a table of its settings, if there are several."""
    if not issubclass(kind.setup.objective, AnyObjectiveConfig):
        return []
    told = [f"- `{name}`: {each.told}." for name, each in OBJECTIVES.items()]
    rows = [
        [f"`{name}`", f"`{each.name}`", _default(each), *_about(each)]
        for name, one in OBJECTIVES.items()
        for each in describe_settings("objective", one.settings, _own_names(one), {})
    ]
    return [
        "`--objective NAME` chooses what is learned from:",
        "\n".join(line for line in told),
        table_in_markdown(["objective", "setting", "default", *ABOUT], rows),
    ]


def _own_names(objective: WordObjective) -> set[str]:
    return {each.name for each in fields(objective.settings)} - {"name"}


def _others(kind: type[Problem], default: Settings, models: Mapping[str, Settings]) -> list[str]:
    """Return what differs in other models: a table for those with the same network settings."""
    parts = []
    groups: dict[tuple[str, ...], dict[str, Settings]] = {}
    for model, settings in models.items():
        groups.setdefault(_network(settings), {})[model] = settings
    for names, group in groups.items():
        parts.append(f"### {', '.join(f'`{model}`' for model in group)}")
        lines = [f"- `{model}`: {kind.setup.models[model].summary}." for model in group]
        parts.append("\n".join(line for line in lines))
        differences = {model: _difference(default, settings) for model, settings in group.items()}
        if len(set(differences.values())) == 1:
            differences = {"": next(iter(differences.values()))}
        for model, difference in differences.items():
            if difference:
                parts.append(f"`{model}`: {difference}" if model else difference)
        if names != _network(default):
            networks = {
                model: {name: settings[name] for name in names} for model, settings in group.items()
            }
            parts.append(_table(networks))
    return parts


def _network(settings: Settings) -> tuple[str, ...]:
    return tuple(name for name in settings if name.startswith("network."))


def _difference(default: Settings, settings: Settings) -> str:
    """Return the defaults in which a model differs from the default one, and what it lacks."""
    same_network = _network(settings) == _network(default)
    compared = [name for name in settings if same_network or not name.startswith("network.")]
    changed = [
        f"`{name}={shown_default(settings[name].default)}`"
        for name in compared
        if name not in default or settings[name].default != default[name].default
    ]
    missing = [
        f"`{name}`" for name in default if name not in settings and not name.startswith("network.")
    ]
    found = f"Other defaults: {', '.join(changed)}." if changed else ""
    return f"{found} Not there: {', '.join(missing)}." if missing else found


def _table(models: Mapping[str, Settings]) -> str:
    """Return a row for each setting, with its default in each of these models."""
    first = next(iter(models.values()))
    columns = ["setting", *([f"`{model}`" for model in models] if len(models) > 1 else ["default"])]
    rows = [
        [f"`{name}`", *(_default(settings[name]) for settings in models.values()), *_about(about)]
        for name, about in first.items()
    ]
    return table_in_markdown([*columns, *ABOUT], rows)


def _about(setting: SettingInfo) -> list[str]:
    return [setting.unit, setting.letter, setting.kind, setting.meaning]


def _default(setting: SettingInfo) -> str:
    """Return a default as `--set` takes it; a dash where it follows from other settings."""
    if setting.default is None:
        return "-"
    return f"`{shown_default(setting.default)}`" if setting.default != "" else "empty"
