"""Plans: one function makes them, from the defaults of models and presets and what users set."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from lengthwise.errors import ConfigError, LanguageError, LengthwiseError, RunError
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import machine_name
from lengthwise.languages.validation import short
from lengthwise.models.entry import Entry
from lengthwise.problems.base import Problem
from lengthwise.problems.capabilities import Formal, Parametrised
from lengthwise.problems.plan import SECTIONS, Plan, Route
from lengthwise.problems.presets import PRESETS
from lengthwise.problems.registry import (
    as_problem,
    kind_of,
    problem_from_dict,
    require_own_options,
)
from lengthwise.problems.results import Options
from lengthwise.problems.setup import Defaults
from lengthwise.settings import Parts, merge_settings, require, sort_settings
from lengthwise.training.construction_files import is_compiled
from lengthwise.training.runs import RunFolder

SET = "set"
"""Origin of a value that a user set."""


def make_plan(
    spec: str | Language | Problem,
    model: str | None = None,
    *,
    preset: str = "laptop",
    settings: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    options: Options | None = None,
) -> Plan:
    """Return everything that determines the result of a run.

    Settings come from the model, the preset and the user, each to the section that it belongs to.
    Of several `settings` a later one overrides an earlier one. `options` are `alphabet` and
    `protocol`, for the problems that have them; a setting `protocol` overrides the option.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
        LengthwiseError: the specification is wrong, or there is nothing to learn from.
    """
    PRESETS[preset]  # raises unless it is a name
    layers = [settings] if isinstance(settings, Mapping) else list(settings)
    given_options = {name: value for name, value in (options or {}).items() if value is not None}
    kind = kind_of(spec) if isinstance(spec, str) else type(as_problem(spec))
    require_own_options(kind, given_options, spec)
    if "protocol" in given_options:
        layers.insert(max(0, len(layers) - 1), {"data.protocol": given_options.pop("protocol")})
    first_model = kind.setup.default_model if model is None else model
    requested = _sort_by_section(kind, kind.setup.models[first_model], spec, layers)
    problem = as_problem(spec, requested.pop("task", {}), given_options)
    if model is not None:
        return _plan(problem, model, preset, requested)
    first, *other_routes = problem.routes(preset, requested)
    if first.model != first_model:
        requested = _sort_by_section(kind, kind.setup.models[first.model], spec, layers)
        requested.pop("task", None)
    later, barrier = _later(problem, other_routes, preset, requested)
    plan = _plan(problem, first.model, preset, requested, first.steps if later else None)
    return replace(plan, later=later, barrier=barrier, chosen=first.chosen)


def _plan(
    problem: Problem, model: str, preset: str, requested: Parts, steps: int | None = None
) -> Plan:
    """Return the plan of a model; `steps` are those of a stage that another follows.

    Of the first four steps a later one overrides an earlier one.
    """
    layers = [
        problem.setup.of_model(model),  # 1. the defaults of the model
        *problem.setup.of_preset(preset, model, problem.name),  # 2. those of the preset
        *_list_defaults(problem, model, preset, requested, steps),  # 3. those that suit the subject
        Defaults(
            SET, {f"{s}.{name}": v for s in requested for name, v in requested[s].items()}
        ),  # 4.
    ]
    return _check_plan(problem, model, preset, requested, layers)  # 5. all of them are checked


def _list_defaults(
    problem: Problem, model: str, preset: str, requested: Parts, steps: int | None
) -> Iterator[Defaults]:
    if isinstance(problem, Formal):
        yield from problem.choose_defaults(preset, problem.setup.models[model], requested)
    if steps is not None:
        yield Defaults("stage that another follows", {"steps": steps})


def _check_plan(
    problem: Problem, model: str, preset: str, requested: Parts, layers: Sequence[Defaults]
) -> Plan:
    """Return the plan with the values of all layers.

    Raises:
        ConfigError: a value does not fit.
    """
    entry: Entry = problem.setup.models[model]
    objectives = [
        layer.values["objective.name"] for layer in layers if "objective.name" in layer.values
    ]
    names = problem.setup.settable(entry, objectives[-1] if objectives else None)
    values_of: Parts = {section: {} for section in SECTIONS}
    origin_of = dict[str, tuple[Any, str]]()
    for origin, values in layers:
        for section, part in sort_settings(values, names, strict=False).items():
            values_of[section] |= part
            origin_of |= {f"{section}.{name}": (value, origin) for name, value in part.items()}
    network, data, objective = problem.configure(model, entry, values_of, requested)
    plan = Plan(
        problem=problem,
        model=model,
        preset=preset,
        network=network,
        data=data,
        objective=objective,
        training=problem.setup.training.from_dict(values_of["training"]),
    )
    follows, none = f"follows from {problem.name}", (None, "")
    origins = {
        name: origin_of[name][1] if origin_of.get(name, none)[0] == value else follows
        for name, value in plan.non_defaults.items()
    }
    return replace(plan, origins=origins)


def origins_of(plan: Plan) -> Mapping[str, str]:
    """Return the origin of each value of a plan that is not the default of its class.

    Of a stored plan it is found again, without the values that were set to what they are by
    default; it is empty if what the plan is about is gone.
    """
    if plan.origins:
        return plan.origins
    problem, requested = plan.problem, {section: dict[str, Any]() for section in SECTIONS}
    name = plan.settings["objective"].get("name")
    try:
        routes = problem.routes(plan.preset, requested) if isinstance(problem, Formal) else ()
        steps = next((e.steps for e in routes if plan.later and e.model == plan.model), None)
        usual = _plan(problem, plan.model, plan.preset, requested, steps)
        if usual.settings["objective"].get("name") != name:
            requested["objective"]["name"] = name
            usual = _plan(problem, plan.model, plan.preset, requested, steps)
    except LengthwiseError:
        return {}
    follow = dict.fromkeys(
        problem.setup.given | problem.setup.derived, f"follows from {problem.name}"
    )
    return {
        name: usual.origins[name]
        if name in usual.origins and usual.non_defaults[name] == value
        else follow.get(name, SET)
        for name, value in plan.non_defaults.items()
    }


def _later(
    problem: Problem, routes: Sequence[Route], preset: str, requested: Parts
) -> tuple[tuple[Plan, ...], str]:
    """Return the plans of the stages after the first, and why there are no more, if a setting that
    is asked for does not fit one."""
    plans = list[Plan]()
    for route in routes:
        try:
            plan = _plan(problem, route.model, preset, requested)
        except ConfigError as error:
            return tuple(plans), str(error).partition(". ")[0]
        plans.append(replace(plan, chosen=route.chosen))
    return tuple(plans), ""


def _sort_by_section(
    kind: type[Problem],
    entry: Entry,
    spec: str | Language | Problem,
    layers: Sequence[Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Return the requested settings by section."""
    if not any(layers):
        return {section: {} for section in SECTIONS}
    names, derived = kind.setup.settable(entry), kind.setup.derived
    if isinstance(spec, str) and issubclass(kind, Parametrised):
        names["task"] = set(kind.own_settings(spec))
    _require_choice(kind, names["objective"], layers)
    _require_settings_of(kind, names, layers)
    requested = merge_settings(sort_settings(layer, names, derived=derived) for layer in layers)
    for section in SECTIONS:
        requested.setdefault(section, {})
    return requested


def _require_settings_of(
    kind: type[Problem], names: Mapping[str, set[str]], layers: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse a setting that only other models have, and name them."""
    known = set().union(*names.values())
    for name in (name.rpartition(".")[2] for layer in layers for name in layer):
        if name in known:
            continue
        having = [
            model
            for model, entry in kind.setup.models.items()
            if any(name in of_section for of_section in kind.setup.settable(entry).values())
        ]
        if having:
            raise ConfigError(
                f"{name!r} is a setting of {', '.join(having)}, not of this run's model. Give "
                f"--model {having[0]}, or leave the setting out."
            )


def _require_choice(
    kind: type[Problem], names: Collection[str], layers: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse the choice of an objective where there is only one, and the name `supervision`.

    `names` are the settings of objectives.

    Raises:
        ConfigError: a layer has either.
    """
    for layer in layers:
        objective, supervision = layer.get("objective"), layer.get("supervision")
        require(
            "name" in names or not isinstance(objective, str),
            f"{kind.noun} have one objective alone, but got objective={objective!r}. Leave it out.",
        )
        require(
            supervision is None or "supervision" in names,
            f"supervision={supervision!r} is not a setting here. Choose the objective with "
            f"--objective {supervision}, in Python objective={supervision!r}.",
        )


def plan_for(
    out: Path,
    spec: str | Problem,
    model: str | None = None,
    *,
    preset: str | None = None,
    settings: Sequence[Mapping[str, Any]] = (),
    options: Options | None = None,
) -> Plan:
    """Return the plan of the run in a folder if nothing that is given contradicts it.

    Settings that are not given are those of the folder. A folder without a run has none, and the
    plan is then that of `make_plan`.

    Raises:
        RunError: a given value differs from the folder's, or the folder is damaged.
        ConfigError: a name is unknown, or a value does not fit.
    """
    folder = RunFolder(out)
    preset_name = "laptop" if preset is None else preset
    new_plan = make_plan(spec, model, preset=preset_name, settings=settings, options=options)
    if not folder.is_claimed or is_compiled(stored := folder.config()):
        return new_plan
    stored_plan = plan_from_dict(stored)
    is_same = (
        stored_plan.problem == new_plan.problem
        or stored_plan.problem.identity() == new_plan.problem.identity()
    )
    if not is_same or model not in (None, stored_plan.model):
        require_unchanged(folder, stored_plan, new_plan)
        folder.require_same(stored_plan.alone.to_dict(), new_plan.alone.to_dict())
    stored_plan = replace(stored_plan, problem=new_plan.problem)  # its corpus may have been moved

    def fill_in(left_out: frozenset[str]) -> Plan:
        usual = {k: v for k, v in _of_folder(stored_plan).items() if k not in left_out}
        layers, preset_there = [usual, *settings], stored_plan.preset if preset is None else preset
        return make_plan(
            spec, stored_plan.model, preset=preset_there, settings=layers, options=options
        )

    filled = fill_in(stored_plan.problem.setup.derived)
    if filled != stored_plan.alone:  # a derived setting may have been set when the run began
        with suppress(ConfigError):
            filled = fill_in(frozenset())
    folder.require_same(stored_plan.alone.to_dict(), filled.to_dict())
    return stored_plan


def _of_folder(plan: Plan) -> dict[str, Any]:
    """Return the settings of a plan, as a user may give them."""
    names = plan.problem.setup.settable(plan.entry)
    return {
        f"{section}.{name}": value
        for section, values in plan.to_dict().items()
        if section in SECTIONS
        for name, value in values.items()
        if name in names[section]
    }


def require_unchanged(folder: RunFolder, stored_plan: Plan, new_plan: Plan) -> None:
    """Refuse a specification that names another language now than when the run began.

    Raises:
        RunError: a setting of the problem itself is another, and is named; or what the
            specification names has changed: the message has the digests of both automata, and a
            word that tells them apart.
    """
    if (stored_plan.problem.kind, stored_plan.problem.name) != (
        new_plan.problem.kind,
        new_plan.problem.name,
    ):
        return
    if isinstance(stored_plan.problem, Parametrised) and isinstance(new_plan.problem, Parametrised):
        folder.require_same(stored_plan.problem.own_values(), new_plan.problem.own_values())
    try:
        then, now = stored_plan.task.language, new_plan.task.language
    except RunError:  # it is about no language
        return
    if then == now:
        return
    difference = "in its alphabet"
    if then.alphabet == now.alphabet:
        word = then.difference(now)
        difference = "in its states" if word is None else f"on the word {short(now.decode(word))}"
    raise RunError(
        f"{folder.path} holds a run on {stored_plan.problem.name} as it was, {machine_name(then)}, "
        f"but now it is {machine_name(now)}, which differs {difference}. Use another folder, or "
        f"restore the old one."
    )


def plan_from_dict(values: Mapping[str, Any]) -> Plan:
    """Return the plan of a stored run.

    Raises:
        RunError: something is missing, or of the wrong kind, or its language is damaged.
    """
    if "pretraining" in values:
        raise RunError(
            "this folder has the pretraining of a body, and not a run. The command `lengthwise "
            "pretrain` that began it continues it."
        )
    try:
        problem = problem_from_dict(values["problem"])
        return replace(
            _load_plan(problem, values),
            stage=values.get("stage", 1),
            later=tuple(_load_plan(problem, stage) for stage in values.get("later", ())),
            barrier=values.get("barrier", ""),
        )
    except LanguageError as error:
        raise RunError(f"config.json is damaged: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"config.json is damaged ({error!r}). Train again in a new folder."
        ) from None


def _load_plan(problem: Problem, values: Mapping[str, Any]) -> Plan:
    kinds = problem.setup.sections(problem.setup.models[values["model"]])
    try:
        sections: dict[str, Any] = {name: kinds[name].from_dict(values[name]) for name in SECTIONS}
    except ConfigError as error:
        raise RunError(
            f"config.json has a setting that this version of lengthwise does not read: {error} "
            f"Train again in a new folder."
        ) from None
    return Plan(
        problem=problem,
        model=values["model"],
        preset=values["preset"],
        chosen=values.get("chosen", ""),
        **sections,
    )
