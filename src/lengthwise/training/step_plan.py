"""Everything that decides what a run on a step task becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from lengthwise.config import Config, parted, require_known
from lengthwise.errors import RunError
from lengthwise.models.step_models import DEFAULT_STEP_MODEL, STEP_MODELS
from lengthwise.tasks.step_specs import make_step_task, settings_of
from lengthwise.tasks.step_tasks import StepTask, step_task
from lengthwise.tasks.task import Task
from lengthwise.training.guided import Guided, GuidedConfig, split_sizes
from lengthwise.training.loop import LoopConfig, Objective
from lengthwise.training.plan import BasePlan
from lengthwise.training.presets import PRESETS


@dataclass(frozen=True, kw_only=True, slots=True)
class StepPlan(BasePlan):
    """A step task, a model that writes, and how it is trained; as `Plan` is for languages."""

    models = STEP_MODELS

    steps: StepTask
    guided: GuidedConfig

    @property
    def task(self) -> Task:
        """The words that it classifies.

        Raises:
            RunError: it completes sequences instead.
        """
        raise RunError(
            f"this run writes {self.steps.name}, and classifies no words of any length. "
            f"Use evaluate or predict."
        )

    @property
    def supervision(self) -> str:
        """What is told in training: the regime."""
        return self.guided.supervision

    @property
    def body(self) -> str | None:
        """The pretrained body and what is done with it, in words, of a model that has one."""
        summary: str | None = self.network.backbone_summary
        return summary

    @property
    def words(self) -> str:
        """Which words it is trained on."""
        return f"{self.guided.examples:,} examples"

    def objective(self) -> Objective:
        """What is learned."""
        return Guided(self.steps, self.guided)

    def settings(self) -> Mapping[str, Config]:
        """Those of the network, the examples and the loop."""
        return {"network": self.network, "guided": self.guided, "loop": self.loop}

    def about(self) -> dict[str, Any]:
        """The step task."""
        return {"steps": self.steps.to_dict()}

    @classmethod
    def own_parts(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """The step task and the examples."""
        return {
            "steps": step_task(values["steps"]),
            "guided": GuidedConfig.from_dict(values["guided"]),
        }


_SMOKE = {"steps": 20, "validate_every": 10, "examples": 64, "validation_words": 32}
"""Of the preset of that name; `laptop` and `paper` take the model's own numbers."""

_MADE_HERE = {"vocab_size", "max_length"}
"""Settings of a network that follow from the task."""


def make_step_plan(
    spec: str,
    model: str | None = None,
    *,
    preset: str = "laptop",
    settings: Mapping[str, Any] | None = None,
) -> StepPlan:
    """Settings from the model, the preset and the user, each to the part that it belongs to.

    Raises:
        ConfigError: a name is unknown, or a value does not fit.
        TaskError: the task has fewer inputs than are asked for.
        CircuitError, LanguageError: the task cannot be made.
    """
    PRESETS[preset]  # raises unless it is a name
    model = model or DEFAULT_STEP_MODEL
    entry = STEP_MODELS[model]
    of_task = settings_of(spec)
    parts: dict[type[Config], set[str]] = {
        entry.config: {f.name for f in fields(entry.config)} - _MADE_HERE - entry.fixed,
        GuidedConfig: {f.name for f in fields(GuidedConfig)},
        LoopConfig: {f.name for f in fields(LoopConfig)},
    }
    require_known(settings or {}, set(of_task).union(*parts.values()))
    chosen = {
        **entry.training,
        **(_SMOKE | dict(entry.smoke) if preset == "smoke" else {}),
        **(settings or {}),
    }
    own = parted(chosen, parts)
    task = make_step_task(spec, {k: v for k, v in (settings or {}).items() if k in of_task})
    guided = GuidedConfig.from_dict(own[GuidedConfig])
    split_sizes(task, guided)
    places = task.num_inputs + len(task.layout(guided.supervision).kept) - 1
    shape = {"vocab_size": task.num_symbols, "max_length": places}
    return StepPlan(
        steps=task,
        model=model,
        preset=preset,
        network=entry.configure({**own[entry.config], **shape}),
        guided=guided,
        loop=LoopConfig.from_dict(own[LoopConfig]),
    )
