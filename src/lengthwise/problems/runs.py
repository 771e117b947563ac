"""Trained runs: made from a specification and a model's name, or loaded from a run folder."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from lengthwise.errors import ConfigError, LanguageError, RunError
from lengthwise.memory import enough_memory
from lengthwise.models.custom_network import Adapted, require_trainable
from lengthwise.problems.base import Plan, Problem, Run, remember_subject
from lengthwise.problems.capabilities import Concluding, Distributed, Proving
from lengthwise.problems.functions.problem import recognition_of
from lengthwise.problems.planning import plan_from_dict, require_unchanged
from lengthwise.problems.registry import problem_from_dict
from lengthwise.problems.stages import empty_film, train_stages
from lengthwise.tasks.task import Task
from lengthwise.training.autocast import require_autocast
from lengthwise.training.construction_files import (
    Compiled,
    is_compiled,
    load_compiled,
    load_weights,
)
from lengthwise.training.devices import choose_device, environment
from lengthwise.training.distributed import ProcessGroup, join, require_alone
from lengthwise.training.loop import Objective, Progress, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import MixedTrainingConfig, TextTrainingConfig

if TYPE_CHECKING:
    from lengthwise.proofs.check.certificate import Certificate


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
            it; or there can be no film; or memory runs out. Then a new folder is given up,
            if nothing was trained in it.
    """
    processes = _processes(plan.problem, device)
    folder = None if out is None else RunFolder(Path(out))
    with enough_memory(_LESS):
        return _train(plan, folder, processes, device=device, film=film, progress=progress)


_LESS = "Lower batch_size, the size of the network, or the length of what it reads."


def _train(
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
            return _load_ended(folder, device)
        plan = _plan_there(folder, plan) or plan
    training = plan.training
    _require_possible(plan, folder, device, film=film)
    model, objective = plan.draw(), _share(plan, processes)
    if isinstance(model, Adapted) and isinstance(plan.problem, Proving):
        require_trainable(model, *plan.problem.lengths(plan))
    made_with = environment(device)
    if (origin := plan.network.weights_origin()) is not None:
        made_with["body"] = origin
    if processes.count > 1:
        made_with["processes"] = str(processes.count)
    if plan.is_staged:
        torch_device = choose_device(device)
        with nullcontext() if folder is None else _claim_folder(folder, plan, made_with):
            run = train_stages(
                plan,
                device=torch_device,
                folder=folder,
                film=film,
                made_with=made_with,
                progress=progress,
            )
        if folder is None:
            assert run is not None
            return run
        return _load_ended(folder, device)
    if folder is None:  # everything is checked before anything is written
        model.to(choose_device(device))
        metrics = fit(model, objective, training, progress=progress, processes=processes)
        remember_subject(model, plan.problem)
        return Run(problem=plan.problem, plan=plan, model=model, metrics=metrics)
    with ExitStack() as held:
        if processes.is_main:
            held.enter_context(_claim_folder(folder, plan, made_with))
            held.enter_context(folder.lock())
        processes.wait()  # until the main process has claimed the folder
        if not folder.is_finished:
            model.to(choose_device(device))
            fit(
                model,
                objective,
                training,
                folder=folder,
                film=empty_film(plan) if film or folder.is_filmed else None,
                progress=progress,
                processes=processes,
            )
        processes.wait()  # until the model is written
    return _load_ended(folder, device)


@contextmanager
def _claim_folder(folder: RunFolder, plan: Plan, made_with: Mapping[str, str]) -> Iterator[None]:
    """Claim a folder for a plan; give it up if the plan is refused before anything is trained."""
    existed = folder.path.exists()
    is_created = claim(folder, plan, made_with)
    try:
        with enough_memory(_LESS):
            yield
    except ConfigError:
        if is_created:
            folder.unclaim(keep_folder=existed)
        raise


def _require_possible(plan: Plan, folder: RunFolder | None, device: str, *, film: bool) -> None:
    """Refuse what the device cannot compute, and a film without a folder or binary memory.

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
        from lengthwise.training.compilation import require_compiler  # noqa: PLC0415  seldom

        require_compiler(choose_device(device))


def _require_film(plan: Plan, folder: RunFolder | None) -> None:
    """Refuse a film that nobody could keep, or that would show nothing."""
    if folder is None:
        raise ConfigError("a film of training is kept in the run's folder. Give out=DIR.")
    if empty_film(plan) is None:
        raise ConfigError(
            f"a film shows the codes of a network with binary memory, but {plan.model} on "
            f"{plan.problem.name} has none. Leave the film out, or use model regular-gpt-binary."
        )


def _load_ended(folder: RunFolder, device: str) -> Run:
    """Load a run that has ended, with what its problem writes then."""
    run = load_run(folder.path, device=device)
    if isinstance(run.problem, Concluding):
        run.problem.conclude(run)
    return run


def _processes(problem: Problem, device: str) -> ProcessGroup:
    """Return the group of processes that train together.

    Raises:
        ConfigError: there are several, but the problem cannot be divided among them.
    """
    if not isinstance(problem, Distributed):
        require_alone(f"training on {problem.noun}")
    return join(device)


def _share(plan: Plan, processes: ProcessGroup) -> Objective:
    """Return the objective of this process, on its share of every batch."""
    if isinstance(plan.problem, Distributed):
        return plan.problem.share(plan, processes)
    return plan.problem.objective(plan)


def claim(folder: RunFolder, plan: Plan, made_with: Mapping[str, str]) -> bool:
    """Create the folder for a plan, or accept one that already has this plan.

    Return whether it was created.

    A folder without settings that were added since is accepted if these have their defaults.

    Raises:
        RunError: the folder holds something else.
    """
    config = {**plan.to_dict(), "environment": dict(made_with)}
    if folder.is_claimed:
        stored = folder.config()
        if is_compiled(stored):
            raise RunError(
                f"{folder.path} holds computed weights, which are not trained. Use another folder."
            )
        stored_plan = plan_from_dict(stored)
        if _are_of_one_run(stored_plan, plan):
            return folder.claim(stored)
        require_unchanged(folder, stored_plan, plan)
        same_stage = next(
            (stage for stage in plan.stages if _names(stage) == _names(stored_plan)), plan
        )
        folder.require_same(
            {**stored_plan.alone.to_dict(), "environment": {}},
            {**same_stage.alone.to_dict(), "environment": dict(made_with)},
        )
    return folder.claim(config)


def _names(plan: Plan) -> tuple[str, str]:
    """Return what tells the stages of a run apart."""
    return plan.model, plan.supervision


def _are_of_one_run(stored_plan: Plan, plan: Plan) -> bool:
    """Return whether the plan of a folder is that of the first stage of a plan, or a later one."""
    return stored_plan.alone in [stage.alone for stage in plan.stages]


def _plan_there(folder: RunFolder, plan: Plan) -> Plan | None:
    """Return the plan of the stage at which a folder is, if it is one of this plan's run."""
    stored = folder.config()
    stored_plan = None if is_compiled(stored) else plan_from_dict(stored)
    return stored_plan if stored_plan is not None and _are_of_one_run(stored_plan, plan) else None


def require_own_certificate(certificate: "Certificate", folder: RunFolder) -> None:
    """Refuse a certificate that is not of the run in a folder; no code of a user is imported.

    Raises:
        CertificateError: class, settings or weights of the network differ, or symbols or classes.
        RunError: the folder holds no run, or is damaged.
    """
    from lengthwise.problems.run_certificate import require_own_network, require_symbols  # noqa: PLC0415  seldom

    require_own_network(certificate, folder)
    config = folder.config()
    if is_compiled(config):
        language = Compiled.from_dict(config).task.language
        require_symbols(certificate, recognition_of(language).symbols)
        return
    try:
        problem = problem_from_dict(config["problem"])
    except LanguageError as error:
        raise RunError(f"{folder.path}/config.json is damaged: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RunError(f"{folder.path}/config.json is damaged ({error!r:.80}).") from None
    require_symbols(certificate, problem.symbols if isinstance(problem, Proving) else None)


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
        try:
            problem: Problem = recognition_of(compiled.task.language)
        except LanguageError as error:
            raise RunError(f"{folder.path}/config.json: {error}") from None
        model = computed.to(choose_device(device))
        remember_subject(model, problem)
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
    remember_subject(model, plan.problem)
    return Run(
        problem=plan.problem,
        plan=plan,
        model=model,
        metrics=metrics,
        folder=folder,
        stages=tuple(stage.stage_record() for stage in folder.list_ended_stages()),
    )
