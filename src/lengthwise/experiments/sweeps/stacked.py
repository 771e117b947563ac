"""Which jobs can be trained as one? Those whose runs differ in seed, rate or clip alone.

The runs of a stack end in the folders of their jobs, so that the sweep finds them trained and only
tests them.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import torch

from lengthwise.errors import ConfigError
from lengthwise.experiments.sweeps.folder import JobFolder
from lengthwise.experiments.sweeps.job import Job
from lengthwise.experiments.sweeps.stopwatch import Stopwatch
from lengthwise.training.members import members_of
from lengthwise.training.runs import RunFolder
from lengthwise.training.stack import require_stackable, train_stack
from lengthwise.training.train import Plan


def train_stacked(
    jobs: Sequence[Job],
    folder: Path,
    *,
    device: str = "auto",
    told: Callable[[int, int], None] | None = None,
) -> int:
    """Train what can be trained together and is not trained yet; how many runs were trained.

    Jobs that cannot be stacked are left to the sweep, as are those that another process is at, and
    stacks that fail. `told(done, all)` hears of stacks.
    """
    groups = stacks(
        [job for job in jobs if not RunFolder(JobFolder.of(job, folder).run).is_finished]
    )
    trained = 0
    for done, group in enumerate(groups, start=1):
        try:
            trained += _train(group, folder, device)
        except Exception:  # such as no room for all of them: alone each is tried and recorded
            continue
        if told:
            told(done, len(groups))
    return trained


def _train(group: Sequence[Job], folder: Path, device: str) -> int:
    """Train a stack in the folders of its jobs; how many of its runs had not ended before."""
    places = [JobFolder.of(job, folder) for job in group]
    with ExitStack() as locks:
        for job, place in zip(group, places, strict=True):
            locks.enter_context(place.locked())
            place.describe(job)
        new = [place for place in places if not RunFolder(place.run).is_finished]
        outs = [place.run for place in places]
        train_stack(_plans(group), outs=outs, device=device, progress=Stopwatch(new))
    return len(new)


def stacks(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs that can be trained together, two or more of each; in their order."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        if isinstance(job.plan, Plan):
            groups.setdefault(_alike(job.plan), []).append(job)
    return [group for group in groups.values() if len(group) > 1 and _fits(group)]


def _plans(jobs: Sequence[Job]) -> list[Plan]:
    """The plans of those that are about languages."""
    return [job.plan for job in jobs if isinstance(job.plan, Plan)]


def _alike(plan: Plan) -> str:
    """Equal for plans that differ in what the runs of a stack may differ in."""
    loop = replace(plan.loop, seed=0, learning_rate=1.0, clip=1.0)
    return str(replace(plan, loop=loop).chosen())


def _fits(group: Sequence[Job]) -> bool:
    try:
        require_stackable(_plans(group))
        with torch.device("meta"):
            members_of(group[0].plan.build())
    except ConfigError:
        return False
    return True
