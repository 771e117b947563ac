"""Step tasks: what a model writes, step by step, before the answer."""

from typing import Any

from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import StepTask

__all__ = ["StepTask", "step_task"]


def step_task(spec: str, **settings: Any) -> StepTask:
    """Return a step task: what a model writes, step by step, before the answer.

    Args:
        spec: `steps:addition` or `steps:multiplication` (settings `bits`, `order`),
            `steps:circuit:FILE` (`order`), or a language such as `steps:group:S5` (`length`).
        settings: those of the specification.

    Returns:
        `.names` are those of the steps, `.outputs` those of the answer, and `.write_steps(inputs)`
        returns what is written for some inputs.

    Examples:
        >>> import lengthwise as lw
        >>> len(lw.steps.step_task("steps:addition", bits=2).names)
        11

    Raises:
        ConfigError: a setting is unknown, or of another kind.
        CircuitError, LanguageError: the circuit, the order or the language is wrong.
    """
    return make_step_task(spec, settings)
