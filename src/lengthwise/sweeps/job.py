"""One job of a sweep: the plan of a run, and the tests that the run takes."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lengthwise.config import require
from lengthwise.errors import ConfigError, RunError
from lengthwise.tasks.task import Task
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.train import AnyPlan, plan_from_dict


@dataclass(frozen=True, kw_only=True, slots=True)
class Test:
    """Fresh words of these lengths, drawn with a seed of their own."""

    __test__ = False  # pytest takes classes of this name for its own

    name: str
    lengths: tuple[int, ...]
    words_per_length: int = 512
    protocol: str | None = None
    """Protocol of the words; None for that of training."""
    seed: int = 0

    def __post_init__(self) -> None:
        about = f"test {self.name!r}"
        require(bool(self.lengths), f"{about} has no length. Give at least one.")
        require(min(self.lengths) >= 0, f"{about} has length {min(self.lengths)}. Use 0 or more.")
        require(
            len(set(self.lengths)) == len(self.lengths),
            f"{about} has length {_repeated(self.lengths)} twice. Give each once.",
        )
        require(
            self.words_per_length >= 1,
            f"{about} has words_per_length={self.words_per_length}. Use 1 or more.",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A run, and what it is tested on."""

    plan: AnyPlan
    tests: tuple[Test, ...]

    def __post_init__(self) -> None:
        names = [test.name for test in self.tests]
        require(bool(names), "a job needs at least one test. Give one.")
        require(
            len(set(names)) == len(names),
            f"a job has two tests called {_repeated(names)!r}. Name them apart.",
        )
        for test in self.tests:  # what cannot be drawn is refused before hours of training
            if test.protocol is not None:
                Task(language=self.plan.task.language, protocol=test.protocol)

    @property
    def digest(self) -> str:
        """Twelve hex digits that change with the plan and with the tests.

        A setting that comes to the package later leaves the digests of its default alone.
        """
        body = json.dumps({**self.to_dict(), "plan": self.plan.chosen()}, sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        """Return the job as plain values, to be sent as JSON; `from_dict` restores it."""
        tests = [{**asdict(test), "lengths": list(test.lengths)} for test in self.tests]
        return {"plan": self.plan.to_dict(), "tests": tests}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Job":
        """Rebuild the job that `to_dict` stored.

        Raises:
            RunError: something is missing, or of the wrong kind.
        """
        try:
            tests = [{**test, "lengths": tuple(test["lengths"])} for test in values["tests"]]
            plan = values["plan"]
            return cls(plan=plan_from_dict(plan), tests=tuple(Test(**test) for test in tests))
        except (KeyError, TypeError) as error:
            raise RunError(f"a stored job is damaged ({error!r}). Make it again.") from None


def unseen(plan: StepPlan) -> tuple[Test, ...]:
    """Return the test of a run on a step task: all inputs that are set apart for it."""
    return (Test(name="unseen", lengths=(plan.steps.num_inputs,)),)


def jobs_over_seeds(plan: AnyPlan, seeds: Sequence[int], tests: Sequence[Test]) -> list[Job]:
    """Return a job for each seed, of the same plan.

    Raises:
        ConfigError: there is no seed, or one comes twice.
    """
    require(bool(seeds), "there is no seed. Give at least one.")
    require(
        len(set(seeds)) == len(seeds),
        f"seed {_repeated(seeds)} comes twice, and would be the same run. Give each once.",
    )
    return [
        Job(plan=replace(plan, loop=replace(plan.loop, seed=seed)), tests=tuple(tests))
        for seed in seeds
    ]


def require_distinct(jobs: Sequence[Job]) -> None:
    """Refuse a list in which one run comes twice.

    Raises:
        ConfigError: two jobs have the same plan.
    """
    seen: dict[str, int] = {}
    for number, job in enumerate(jobs, start=1):
        first = seen.setdefault(json.dumps(job.plan.to_dict(), sort_keys=True), number)
        if first != number:
            raise ConfigError(
                f"jobs {first} and {number} are the same run ({job.plan.model}, seed "
                f"{job.plan.loop.seed}). Leave one out, or give one job the tests of both."
            )


def _repeated(values: Iterable[Any]) -> Any:
    """Return the first value that comes a second time."""
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
