"""Hook of the docs site: the tables of `settings.md`, made from the settings classes.

Training has one table, and so has each kind of network, each objective and each problem.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lengthwise.cli.settings import format_default
from lengthwise.escapes import table_in_markdown
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
    """Put the tables below the text of the page."""
    return f"{markdown}\n\n{sections()}" if page.file.src_uri == "settings.md" else markdown


def sections() -> str:
    """Return the tables of training, networks, objectives and problems."""
    parts = [*_training(), *_networks(), *_objectives(), "## Problems", *map(_problem, _kinds())]
    return "\n\n".join(parts)


def _kinds() -> list[type[Problem]]:
    return list(PROBLEMS.values())


def _settings(kind: type[Problem], model: str | None = None) -> Settings:
    """Return the settings of a model of a problem, or of its default one."""
    return {each.name: each for each in settings_reference(kind, model or kind.setup.default_model)}


def _within(settings: Settings, section: str) -> Settings:
    return {name: each for name, each in settings.items() if name.startswith(f"{section}.")}


def _models() -> dict[str, tuple[Settings, str]]:
    """Return the settings of each model, as in the first problem that has it, and its summary."""
    found: dict[str, tuple[Settings, str]] = {}
    for kind in _kinds():
        for model, entry in kind.setup.models.items():
            known, _ = found.get(model, ({}, ""))
            found[model] = {**_settings(kind, model), **known}, entry.summary
    return found


def _training() -> list[str]:
    """Return a row for each setting of training, and one for each model with its defaults."""
    problems = {kind.kind: _within(_settings(kind), "training") for kind in _kinds()}
    about = {name: each for settings in problems.values() for name, each in settings.items()}
    rows = [
        [f"`{name}`", *(_default(of.get(name)) for of in problems.values()), *_about(each)]
        for name, each in about.items()
    ]
    models = {model: settings for model, (settings, _) in _models().items()}
    differing = [
        name
        for name in ("objective.name", *about)
        if len({_default(of[name]) for of in models.values() if name in of}) > 1
    ]
    defaults = [
        [f"`{model}`", *(_default(settings.get(name)) for name in differing)]
        for model, settings in models.items()
    ]
    return [
        "## Training",
        "Defaults are those of the default model of each problem, with the preset `laptop`.",
        table_in_markdown(["setting", *problems, *ABOUT], rows),
        "Each model has defaults of its own:",
        table_in_markdown(["model", *(f"`{name}`" for name in differing)], defaults),
    ]


def _networks() -> list[str]:
    """Return a table for those models that have the same settings."""
    groups: dict[tuple[str, ...], dict[str, tuple[Settings, str]]] = {}
    for model, (settings, summary) in _models().items():
        network = _within(settings, "network")
        groups.setdefault(tuple(network), {})[model] = network, summary
    parts = ["## Networks"]
    for group in groups.values():
        networks = {model: settings for model, (settings, _) in group.items()}
        lines = [f"- `{model}`: {summary}." for model, (_, summary) in group.items()]
        parts += [f"### {', '.join(f'`{model}`' for model in group)}", "\n".join(lines)]
        parts.append(_table(networks))
    return parts


def _objectives() -> list[str]:
    """Return what each objective of words gives, with a table of its settings."""
    parts = ["## Supervision", "`--objective NAME` chooses what a model of words learns from."]
    for name, one in OBJECTIVES.items():
        names = {each.name for each in fields(one.settings)} - {"name"}
        own = {e.name: e for e in describe_settings("objective", one.settings, names, {})}
        parts += [f"### `{name}`", f"{one.told[0].upper()}{one.told[1:]}."]
        if own:
            parts.append(_table({name: own}))
    return parts


def _problem(kind: type[Problem]) -> str:
    """Return the settings of a problem itself: its task, its data and, if it has one, its loss."""
    usual = f"`{kind.prefix}...`" if kind.prefix else "everything that no other prefix fits"
    named, default = _NAMED.get(kind.kind, usual), kind.setup.default_model
    parts = [
        f"### {kind.kind.capitalize().replace('-', ' ')}",
        f"Specifications: {named}. The default model is `{default}`.",
        *_own(kind),
    ]
    settings = _settings(kind)
    shown = dict(_within(settings, "data"))
    if not issubclass(kind.setup.objective, AnyObjectiveConfig):
        shown |= _within(settings, "objective")
    return "\n\n".join([*parts, _table({default: shown})])


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


def _default(setting: SettingInfo | None) -> str:
    """Return a default as `--set` takes it; a dash if it follows from other settings."""
    if setting is None:
        return ""
    if setting.default is None:
        return "-"
    return f"`{format_default(setting.default)}`" if setting.default != "" else "empty"
