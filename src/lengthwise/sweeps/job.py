"""One job of a sweep: the plan of a run, and the tests of the run."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lengthwise.arguments import require_integer
from lengthwise.errors import ConfigError, RunError
from lengthwise.problems.base import Plan
from lengthwise.problems.capabilities import Formal
from lengthwise.problems.planning import plan_from_dict
from lengthwise.problems.sweep_tests import Test, find_repeated
from lengthwise.settings import require
from lengthwise.tasks.task import Task


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A run and its tests."""

    plan: Plan
    tests: tuple[Test, ...]

    def __post_init__(self) -> None:
        names = [test.name for test in self.tests]
        require(bool(names), "a job needs at least one test. Give one.")
        require(
            len(set(names)) == len(names),
            f"a job has two tests called {find_repeated(names)!r}. Name them apart.",
        )
        if isinstance(problem := self.plan.problem, Formal):
            for test in self.tests:  # refused before hours of training, if it has no words
                if test.protocol is not None:
                    Task(language=problem.symbols, protocol=test.protocol)
                if test.p_one is not None:
                    protocol = test.protocol or self.plan.data.protocol
                    Task(language=problem.symbols, protocol=protocol, p_one=test.p_one)

    def __repr__(self) -> str:
        return f"Job({self.title}; {', '.join(test.name for test in self.tests)})"

    @property
    def title(self) -> str:
        """The name of its problem, its model and its seed."""
        return f"{self.plan.title}, seed {self.plan.training.seed}"

    @property
    def digest(self) -> str:
        """Twelve hex digits that change with the plan and with the tests.

        A setting that is added to the package later does not change the digest as long as it has
        its default.
        """
        body = json.dumps({**self.to_dict(), "plan": self.plan.identity()}, sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        """Return the job as plain values, to be sent as JSON; `from_dict` restores it."""
        return {"plan": self.plan.to_dict(), "tests": [test.to_dict() for test in self.tests]}

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


def jobs_over_seeds(plan: Plan, seeds: Sequence[int], tests: Sequence[Test]) -> list[Job]:
    """Return a job with the same plan for each seed.

    Raises:
        ConfigError: there is no seed, or one is repeated.
    """
    if not isinstance(plan, Plan):
        raise ConfigError(f"a plan is needed, but got {plan!r:.60}. Make one with make_plan.")
    require(bool(seeds), "there is no seed. Give at least one.")
    seeds = [require_integer("a seed", seed) for seed in seeds]
    require(
        len(set(seeds)) == len(seeds),
        f"seed {find_repeated(seeds)} is given twice, which would repeat a run. Give each once.",
    )
    return [Job(plan=plan.with_seed(seed), tests=tuple(tests)) for seed in seeds]


def require_distinct(jobs: Sequence[Job]) -> None:
    """Refuse a list in which one run is repeated.

    Raises:
        ConfigError: two jobs have the same plan.
    """
    seen: dict[str, int] = {}
    for number, job in enumerate(jobs, start=1):
        first = seen.setdefault(json.dumps(job.plan.to_dict(), sort_keys=True), number)
        if first != number:
            raise ConfigError(
                f"jobs {first} and {number} are the same run ({job.plan.model}, seed "
                f"{job.plan.training.seed}). Leave one out, or give one job the tests of both."
            )
