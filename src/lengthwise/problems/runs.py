"""Trained runs: made from a specification and a model's name, or loaded from a run folder."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.language import Language
from lengthwise.languages.serialisation import machine_name
from lengthwise.languages.validation import short
from lengthwise.memory import enough_memory
from lengthwise.models.adapted import Adapted, require_trainable
from lengthwise.models.entry import Entry
from lengthwise.problems.base import Plan, Problem, Run
from lengthwise.problems.plan import SECTIONS, Route
from lengthwise.problems.presets import PRESETS
from lengthwise.problems.proof import require_own_network, require_symbols, symbols_of
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.registry import (
    as_problem,
    kind_of,
    problem_from_dict,
    require_own_options,
)
from lengthwise.problems.results import Options
from lengthwise.problems.stages import train_stages
from lengthwise.settings import Parts, merged, require, sort_settings
from lengthwise.tasks.task import Task
from lengthwise.training.autocast import require_autocast
from lengthwise.training.compilation import require_compiler
from lengthwise.training.compiled import Compiled, is_compiled, load_compiled, load_weights
from lengthwise.training.devices import choose_device, environment
from lengthwise.training.distributed import ProcessGroup, join, require_alone
from lengthwise.training.loop import Progress, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig, TextTrainingConfig
from lengthwise.verification.certificate import Certificate


def make_plan(
    spec: str | Language | Problem,
    model: str | None = None,
    *,
    preset: str = "laptop",
    settings: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    options: Options | None = None,
) -> Plan:
    """Return everything that decides what a run becomes.

    Settings come from the model, the preset and the user, each to the section that it belongs to.
    Of several `settings` a later one stands over an earlier one. `options` are `alphabet` and
    `protocol`, for the problems that have them; a setting `protocol` stands over the option.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
        LengthwiseError: the specification is wrong, or there is nothing to learn from.
    """
    plan, asked = _made(spec, model, preset, settings, options)
    unused = plan.problem.unused(asked, [plan, *plan.later])
    require(not unused, unused)
    return plan


def _made(
    spec: str | Language | Problem,
    model: str | None,
    preset: str,
    settings: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    options: Options | None,
) -> tuple[Plan, Parts]:
    """Return the result of `make_plan`, without a look at what is used, and what is asked for."""
    PRESETS[preset]  # raises unless it is a name
    layers = [settings] if isinstance(settings, Mapping) else list(settings)
    own = {name: value for name, value in (options or {}).items() if value is not None}
    kind = kind_of(spec) if isinstance(spec, str) else type(as_problem(spec))
    require_own_options(kind, own, spec)
    if "protocol" in own:
        layers.insert(max(0, len(layers) - 1), {"data.protocol": own.pop("protocol")})
    chosen_model = kind.default_model if model is None else model
    entry = kind.models[chosen_model]
    asked = _sorted(kind, entry, spec, layers)
    problem = as_problem(spec, asked.pop("task", {}), own)
    if model is not None:
        return _planned(problem, model, preset, asked), asked
    first, *others = problem.routes(preset, asked)
    if first.model != chosen_model:
        asked = _sorted(kind, kind.models[first.model], spec, layers)
        asked.pop("task", None)
    later, barrier = _later(problem, others, preset, asked)
    steps = first.steps if later else None
    plan = _planned(problem, first.model, preset, asked, steps=steps)
    return replace(plan, later=later, barrier=barrier, chosen=first.chosen), asked


def _planned(
    problem: Problem, model: str, preset: str, asked: Parts, *, steps: int | None = None
) -> Plan:
    """Return the plan of a model, with the settings that are asked for over the usual ones.

    `steps` are the usual ones, if they are not those of the model.
    """
    entry = problem.models[model]
    usual = problem.usual(preset, entry, problem.name) | problem.suited(preset, entry, asked)
    usual |= {} if steps is None else {"steps": steps}
    names = problem.settable(entry)
    chosen = sort_settings(usual, names, derived=problem.derived, strict=False)
    for section in SECTIONS:
        chosen[section] |= asked[section]
    network, data, objective = problem.configure(model, entry, chosen, asked)
    return Plan(
        problem=problem,
        model=model,
        preset=preset,
        network=network,
        data=data,
        objective=objective,
        training=problem.training.from_dict(chosen["training"]),
    )


def _later(
    problem: Problem, routes: Sequence[Route], preset: str, asked: Parts
) -> tuple[tuple[Plan, ...], str]:
    """Return the plans of the stages after the first, and why there are no more, if a setting that
    is asked for does not fit one."""
    found = list[Plan]()
    for route in routes:
        try:
            plan = _planned(problem, route.model, preset, asked)
        except ConfigError as error:
            return tuple(found), str(error).partition(". ")[0]
        found.append(replace(plan, chosen=route.chosen))
    return tuple(found), ""


def _sorted(
    kind: type[Problem],
    entry: Entry,
    spec: str | Language | Problem,
    layers: Sequence[Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Return the settings that are asked for, by section."""
    names, of_task = kind.settable(entry), kind.own_settings(spec) if isinstance(spec, str) else {}
    if of_task:
        names["task"] = set(of_task)
    _require_choice(kind, names["objective"], layers)
    _require_settings_of(kind, names, layers)
    asked = merged(sort_settings(each, names, derived=kind.derived) for each in layers)
    for section in SECTIONS:
        asked.setdefault(section, {})
    return asked


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
            for model, entry in kind.models.items()
            if any(name in of_section for of_section in kind.settable(entry).values())
        ]
        if having:
            raise ConfigError(
                f"{name!r} is a setting of {', '.join(having)}, not of this run's model. Give "
                f"--model {having[0]}, or leave the setting out."
            )


def _require_choice(
    kind: type[Problem], names: Collection[str], layers: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse the choice of an objective where there is one alone, and the name `supervision`.

    `names` are the settings of objectives.

    Raises:
        ConfigError: a layer has either.
    """
    for layer in layers:
        given, told = layer.get("objective"), layer.get("supervision")
        require(
            "name" in names or not isinstance(given, str),
            f"{kind.noun} have one objective alone, but got objective={given!r}. Leave it out.",
        )
        require(
            told is None or "supervision" in names,
            f"supervision={told!r} is not a setting here. Choose what is learned from with "
            f"--objective {told}, in Python objective={told!r}.",
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
    named = "laptop" if preset is None else preset
    asked = make_plan(spec, model, preset=named, settings=settings, options=options)
    if not folder.is_claimed or is_compiled(stored := folder.config()):
        return asked
    there = plan_from_dict(stored)
    is_same = there.problem == asked.problem or there.problem.identity() == asked.problem.identity()
    if not is_same or model not in (None, there.model):
        _require_unchanged(folder, there, asked)
        folder.require_same(there.alone.to_dict(), asked.alone.to_dict())
    there = replace(there, problem=asked.problem)  # its corpus may have been moved

    def filled_in(left_out: frozenset[str]) -> Plan:
        usual = {k: v for k, v in _of_folder(there).items() if k not in left_out}
        layers, preset_there = [usual, *settings], there.preset if preset is None else preset
        return _made(spec, there.model, preset_there, layers, options)[0]

    found = filled_in(there.problem.derived)
    if found != there.alone:  # a derived setting may have been set when the run began
        with suppress(ConfigError):
            found = filled_in(frozenset())
    folder.require_same(there.alone.to_dict(), found.to_dict())
    return there


def _of_folder(plan: Plan) -> dict[str, Any]:
    """Return the settings of a plan, as a user may give them."""
    names = plan.problem.settable(plan.entry)
    return {
        f"{section}.{name}": value
        for section, values in plan.to_dict().items()
        if section in SECTIONS
        for name, value in values.items()
        if name in names[section]
    }


def train(
    plan: Plan,
    *,
    out: Path | str | None = None,
    device: str = "auto",
    film: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Train by a plan; with `out`, in a run folder, where an interrupted run continues.

    With `film`, the folder keeps what the network holds for some words at validations.

    A run that has ended is loaded, not trained again. Each of several processes that were started
    together trains on a share of every batch, and has the whole model in the end.

    Raises:
        RunError: the folder holds another run.
        ClaimError: the loss is not finite.
        ConfigError: there are several processes, but the problem cannot be divided among them; or
            the device cannot compute in the precision of `autocast`, or torch cannot compile for
            it; or there can be no film; or memory does not suffice. Then a new folder is given up,
            if nothing was trained in it.
    """
    processes = _processes(plan.problem, device)
    folder = None if out is None else RunFolder(Path(out))
    with enough_memory(_LESS):
        return _trained(plan, folder, processes, device=device, film=film, progress=progress)


_LESS = "Lower batch_size, the size of the network, or the length of what it reads."


def _trained(
    plan: Plan,
    folder: RunFolder | None,
    processes: ProcessGroup,
    *,
    device: str,
    film: bool,
    progress: Progress | None,
) -> Run:
    if folder and folder.is_claimed:
        if folder.is_finished:
            claim(folder, plan, environment(device))
            return _concluded(folder, device)
        plan = _plan_there(folder, plan) or plan
    training = plan.training
    _require_possible(plan, folder, device, film=film)
    model, objective = plan.draw(), plan.problem.objective(plan, processes)
    if isinstance(model, Adapted):
        require_trainable(model, *plan.problem.lengths(plan))
    made_with = {**environment(device), **plan.problem.environment(plan)}
    if processes.count > 1:
        made_with["processes"] = str(processes.count)
    if plan.is_staged:
        where = choose_device(device)
        with nullcontext() if folder is None else _claimed(folder, plan, made_with):
            run = train_stages(
                plan, device=where, folder=folder, film=film, made_with=made_with, progress=progress
            )
        if run is not None:
            return run
        assert folder is not None
        return _concluded(folder, device)
    if folder is None:  # everything is checked before anything is written
        model.to(choose_device(device))
        metrics = fit(model, objective, training, progress=progress, processes=processes)
        plan.problem.remember(model)
        return Run(problem=plan.problem, plan=plan, model=model, metrics=metrics)
    with ExitStack() as held:
        if processes.is_main:
            held.enter_context(_claimed(folder, plan, made_with))
            held.enter_context(folder.locked())
        processes.wait()  # until the main process has claimed the folder
        if not folder.is_finished:
            model.to(choose_device(device))
            fit(
                model,
                objective,
                training,
                folder=folder,
                film=plan.problem.film(plan) if film or folder.is_filmed else None,
                progress=progress,
                processes=processes,
            )
        processes.wait()  # until the model is written
    return _concluded(folder, device)


@contextmanager
def _claimed(folder: RunFolder, plan: Plan, made_with: Mapping[str, str]) -> Iterator[None]:
    """Claim a folder for a plan; give it up if the plan is refused before anything is trained."""
    there = folder.path.exists()
    is_created = claim(folder, plan, made_with)
    try:
        with enough_memory(_LESS):
            yield
    except ConfigError:
        if is_created:
            folder.unclaim(keep_folder=there)
        raise


def _require_possible(plan: Plan, folder: RunFolder | None, device: str, *, film: bool) -> None:
    """Refuse what the device cannot compute, and a film that nobody could keep.

    Raises:
        ConfigError: the device cannot compute in the precision of `autocast`, or torch cannot
            compile for it; or there can be no film.
    """
    if film:
        _require_film(plan, folder)
    training = plan.training
    if isinstance(training, MixedTrainingConfig):
        require_autocast(choose_device(device), training.autocast)
    if isinstance(training, TextTrainingConfig) and training.compile:
        require_compiler(choose_device(device))


def _require_film(plan: Plan, folder: RunFolder | None) -> None:
    """Refuse a film that nobody could keep, or that would show nothing.

    Raises:
        ConfigError: there is no folder, or the network of the plan cannot be filmed.
    """
    if folder is None:
        raise ConfigError("a film of training is kept in the run's folder. Give out=DIR.")
    if plan.problem.film(plan) is None:
        raise ConfigError(
            f"a film shows the codes of a network with binary memory, but {plan.model} on "
            f"{plan.problem.name} has none. Leave the film out, or use model regular-gpt-binary."
        )


def _concluded(folder: RunFolder, device: str) -> Run:
    """Load a run that has ended, with what its problem writes then."""
    run = load_run(folder.path, device=device)
    run.problem.conclude(run)
    return run


def _processes(problem: Problem, device: str) -> ProcessGroup:
    """Return the group of processes that train together.

    Raises:
        ConfigError: there are several, but the problem cannot be divided among them.
    """
    if not problem.is_distributed:
        require_alone(f"training on {problem.noun}")
    return join(device)


def claim(folder: RunFolder, plan: Plan, made_with: Mapping[str, str]) -> bool:
    """Create the folder for a plan, or accept one that already has this plan.

    Return whether it was created.

    A folder without settings that were added since is accepted if these have their defaults.

    Raises:
        RunError: the folder holds something else.
    """
    asked = {**plan.to_dict(), "environment": dict(made_with)}
    if folder.is_claimed:
        stored = folder.config()
        if is_compiled(stored):
            raise RunError(
                f"{folder.path} holds computed weights, which are not trained. Use another folder."
            )
        there = plan_from_dict(stored)
        if _are_of_one_run(there, plan):
            return folder.claim(stored)
        _require_unchanged(folder, there, plan)
        same_stage = next((each for each in plan.stages if _names(each) == _names(there)), plan)
        folder.require_same(
            {**there.alone.to_dict(), "environment": {}},
            {**same_stage.alone.to_dict(), "environment": dict(made_with)},
        )
    return folder.claim(asked)


def _names(plan: Plan) -> tuple[str, str]:
    """Return what tells the stages of a run apart."""
    return plan.model, plan.supervision


def _are_of_one_run(there: Plan, plan: Plan) -> bool:
    """Return whether the plan of a folder is that of the first stage of a plan, or a later one."""
    return there.alone in [each.alone for each in plan.stages]


def _plan_there(folder: RunFolder, plan: Plan) -> Plan | None:
    """Return the plan of the stage at which a folder is, if it is one of this plan's run."""
    stored = folder.config()
    there = None if is_compiled(stored) else plan_from_dict(stored)
    return there if there is not None and _are_of_one_run(there, plan) else None


def _require_unchanged(folder: RunFolder, there: Plan, asked: Plan) -> None:
    """Refuse a specification that names another language now than when the run began.

    Raises:
        RunError: a setting of the problem itself is another, and is named; or what the
            specification names has changed: the message has the digests of both automata, and a
            word that tells them apart.
    """
    if (there.problem.kind, there.problem.name) != (asked.problem.kind, asked.problem.name):
        return
    folder.require_same(there.problem.own_values(), asked.problem.own_values())
    try:
        then, now = there.task.language, asked.task.language
    except RunError:  # it is about no language
        return
    if then == now:
        return
    told = "in its alphabet"
    if then.alphabet == now.alphabet:
        word = then.difference(now)
        told = "in its states" if word is None else f"on the word {short(now.decode(word))}"
    raise RunError(
        f"{folder.path} holds a run on {there.problem.name} as it was, {machine_name(then)}, but "
        f"now it is {machine_name(now)}, which differs {told}. Use another folder, or bring the "
        f"old one back."
    )


def plan_from_dict(values: Mapping[str, Any]) -> Plan:
    """Return the plan of a stored run.

    Raises:
        RunError: something is missing, or of the wrong kind.
    """
    if "pretraining" in values:
        raise RunError(
            "this folder has the training of a body, which is no run. The command `lengthwise "
            "pretrain` that began it goes on with it."
        )
    try:
        problem = problem_from_dict(values["problem"])
        return replace(
            _stored_plan(problem, values),
            stage=values.get("stage", 1),
            later=tuple(_stored_plan(problem, each) for each in values.get("later", ())),
            barrier=values.get("barrier", ""),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"config.json is damaged ({error!r}). Train again in a new folder."
        ) from None


def _stored_plan(problem: Problem, values: Mapping[str, Any]) -> Plan:
    kinds = problem.sections(problem.models[values["model"]])
    sections: dict[str, Any] = {name: kinds[name].from_dict(values[name]) for name in SECTIONS}
    return Plan(
        problem=problem,
        model=values["model"],
        preset=values["preset"],
        chosen=values.get("chosen", ""),
        **sections,
    )


def require_own_certificate(made: Certificate, folder: RunFolder) -> None:
    """Refuse a certificate that is not of the run in a folder; no code of a user is imported.

    Raises:
        CertificateError: class, settings or weights of the network differ, or symbols or classes.
        RunError: the folder holds no run, or is damaged.
    """
    require_own_network(made, folder)
    config = folder.config()
    if is_compiled(config):
        require_symbols(made, Compiled.from_dict(config).task.language)
        return
    try:
        problem = problem_from_dict(config["problem"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RunError(f"{folder.path}/config.json is damaged ({error!r:.80}).") from None
    require_symbols(made, symbols_of(problem))


def load_run(path: Path | str, *, device: str = "auto") -> Run:
    """Load the model of a run folder, trained or computed, ready to classify or predict.

    Raises:
        RunError: the folder holds no finished run, or a circuit, or a file is damaged.
    """
    folder = RunFolder(Path(path))
    config = folder.config()
    if is_compiled(config):
        compiled, computed = load_compiled(path)
        assert isinstance(compiled.task, Task)  # raises RunError if it is a circuit
        problem: Problem = Recognition(language=compiled.task.language)
        model = computed.to(choose_device(device))
        problem.remember(model)
        return Run(problem=problem, plan=compiled, model=model, folder=folder)
    plan = plan_from_dict(config)
    model = plan.build()
    load_weights(model, folder.weights(), folder.path)
    model.to(choose_device(device)).eval()
    metrics = folder.metrics()
    if not metrics:
        raise RunError(
            f"{folder.path}/metrics.jsonl must hold a record of every validation, but it is empty "
            f"or missing. Train again in a new folder."
        )
    plan.problem.remember(model)
    return Run(
        problem=plan.problem,
        plan=plan,
        model=model,
        metrics=metrics,
        folder=folder,
        stages=tuple(each.stage_record() for each in folder.ended_stages()),
    )
