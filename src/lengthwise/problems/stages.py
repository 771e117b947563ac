"""Training in stages: a run that ends without a proof continues with the plan of its next stage.

The stages of a run share its folder. One that ends without a proof is moved to `DIR/stages`, whole
or not at all, and then the folder is made ready for the next. Both can be repeated, so a run that
is killed at any moment continues with the same result. When no stage is left, the run keeps the
weights of the stage that came nearest: a proved one, or else the one that is right on the longest
words.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import torch

from lengthwise.errors import ClaimError, RunError
from lengthwise.problems.base import Plan, Run, remember_subject
from lengthwise.problems.recognition.routes import judge_model
from lengthwise.training.loop import Ending, Progress, fit_stage
from lengthwise.training.runs import RunFolder

if TYPE_CHECKING:
    from lengthwise.training.film import Film


@dataclass(frozen=True, slots=True)
class Ended:
    """A stage that ended without a proof."""

    record: Mapping[str, Any]
    """The record of its end, and of the distance to a proof."""
    source: Run | RunFolder
    """The stage itself: its folder if it has one."""

    @property
    def rank(self) -> tuple[bool, float, float]:
        """The order of stages by their distance to a proof; lowest if there are no weights."""
        right_to, accuracy = self.record["right_to"], self.record["validation_accuracy"]
        return (
            self.record["proved"],
            inf if right_to is None else right_to,
            -inf if accuracy is None else accuracy,
        )


class StageProgress:
    """A progress that adds to each record which stage it is of."""

    def __init__(self, progress: Progress, about: Mapping[str, Any]) -> None:
        self._progress, self._about = progress, about

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Pass the record on."""
        self._progress.update(step, {**record, **self._about})


def train_stages(
    plan: Plan,
    *,
    device: torch.device,
    folder: RunFolder | None = None,
    film: bool = False,
    made_with: Mapping[str, str],
    progress: Progress | None = None,
) -> Run | None:
    """Train the stage of a plan, and those that follow it until one is proved.

    With a `folder`, which must hold the plan, the run is stored there and not returned, and it
    continues if it was interrupted. With `film`, each stage whose network has codes is filmed.

    Raises:
        RunError: another process is training in the folder.
        ClaimError: every stage met a number that is not finite before its first validation.
    """
    with ExitStack() as locks:
        ended = list[Ended]()
        if folder is not None:
            locks.enter_context(folder.lock())
            if folder.is_finished:
                return None
            if folder.config().get("stage", 1) != plan.stage:
                raise RunError(
                    f"another process has continued {folder.path} in the meantime. Run the "
                    f"command again."
                )
            ended = [Ended(stage.stage_record(), stage) for stage in folder.list_ended_stages()]
            film = (
                film
                or folder.is_filmed
                or any(stage.is_filmed for stage in folder.list_ended_stages())
            )
        while True:
            if len(ended) < plan.stage:
                steps = sum(stage.record["steps"] for stage in ended)
                stage_progress = _of_stage(progress, plan, steps)
                run, ending, error = _train_stage(plan, device, folder, stage_progress, film=film)
                if ending == "perfect":
                    return replace(run, stages=tuple(stage.record for stage in ended))
                ended.append(_retire(run, ending, error, folder))
            if not plan.later or any(stage.record["proved"] for stage in ended):
                return _nearest(ended, folder)
            plan = plan.next
            if folder is not None:
                folder.begin_stage({**plan.to_dict(), "environment": dict(made_with)})
                locks.enter_context(folder.lock())  # the configuration is another file now


def _of_stage(progress: Progress | None, plan: Plan, steps_before: int) -> Progress | None:
    if progress is None:
        return None
    stage_values = {
        "stage": plan.stage,
        "stages": plan.num_stages,
        "model": plan.model,
        "supervision": plan.supervision,
        "stage_steps": plan.training.steps,
        "steps_before": steps_before,
    }
    return StageProgress(progress, stage_values)


def empty_film(plan: Plan) -> "Film | None":
    """Return an empty film of training by a plan, or None if its network has no binary memory."""
    from lengthwise.problems.recognition.film import film_of  # noqa: PLC0415  seldom

    return film_of(plan)


def _train_stage(
    plan: Plan,
    device: torch.device,
    folder: RunFolder | None,
    progress: Progress | None,
    *,
    film: bool,
) -> tuple[Run, Ending, str]:
    """Train one stage; return it, how it ended, and the error that ended it."""
    problem, model = plan.problem, plan.draw().to(device)
    metrics, ending, error = fit_stage(
        model,
        problem.objective(plan),
        plan.training,
        folder=folder,
        film=empty_film(plan) if film else None,
        progress=progress,
    )
    remember_subject(model, problem)
    run = Run(problem=problem, plan=plan, model=model, metrics=metrics, folder=folder)
    return run, ending, error


def _retire(run: Run, ending: Ending, error: str, folder: RunFolder | None) -> Ended:
    """Judge a stage that ended without a proof, and store it."""
    plan = run.require_plan()
    standing: Mapping[str, Any] = {"proved": False, "right_to": -1, "first_wrong": None}
    if run.metrics:
        standing = judge_model(run.model, run.language)
    record = {**run.records.of_stage(ending), "reason": "", **standing, "error": error}
    if folder is None:
        return Ended(record, run)
    name, weights = f"{plan.stage}-{plan.supervision}", run.model.state_dict()
    stored = folder.end_stage(name, record, run.metrics, weights if run.metrics else {})
    return Ended(record, stored)


def _nearest(ended: list[Ended], folder: RunFolder | None) -> Run | None:
    """Return the stage that is nearest to a proof, and end the run in the folder with it."""
    best = max(ended, key=lambda stage: stage.rank)
    if best.record["validation_accuracy"] is None:
        raise ClaimError(f"no stage reached a validation: {best.record['error']}")
    if isinstance(best.source, Run):
        return replace(best.source, stages=tuple(stage.record for stage in ended))
    assert folder is not None
    folder.keep_stage(best.source)
    return None
