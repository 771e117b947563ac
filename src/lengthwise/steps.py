"""Step tasks: what a model writes, step by step, before the answer."""

from typing import Any

from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import StepTask

__all__ = ["StepTask", "step_task"]


def step_task(spec: str, **settings: Any) -> StepTask:
    """Return the step task of a specification, with `.written(inputs)`, `.names`, `.outputs`:
    `steps:addition` (`bits`, `order`), `steps:multiplication` (`bits`, `order`),
    `steps:circuit:FILE` (`order`), or a language such as `steps:group:S5` (`length`).

    Raises:
        ConfigError: a setting is unknown, or of another kind.
        CircuitError, LanguageError: the circuit, the order or the language is wrong.
    """
    return make_step_task(spec, settings)
