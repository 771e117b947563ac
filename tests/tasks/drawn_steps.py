"""All tasks of steps by name, and inputs drawn for them."""

from typing import Any

import pytest
import torch

from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import StepTask

TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "addition": ("steps:addition", {"bits": 3}),
    "addition, representation 1": ("steps:addition", {"bits": 3, "order": 1}),
    "carries": ("steps:addition", {"bits": 3, "order": "carries"}),
    "own order": ("steps:addition", {"bits": 2, "order": ["c2", "e2", "e1"]}),
    "multiplication": ("steps:multiplication", {"bits": 2}),
    "states": ("steps:parity", {"length": 5}),
    "group": ("steps:group:S3", {"length": 3}),
}

every_task = pytest.mark.parametrize("name", TASKS)


def task_of(name: str) -> StepTask:
    return make_step_task(*TASKS[name])


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
