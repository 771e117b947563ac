"""Jobs that take a second, for the tests of sweeps."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lengthwise.languages.spec import parse
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.sweep_tests import Test, TestResult
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.outcome import Failure, Outcome

SMALL = {
    "steps": 4,
    "validate_every": 2,
    "batch_size": 8,
    "validation_words": 16,
    "max_length": 8,
    "patience": 0,
}
TESTS = (
    Test(name="beyond", lengths=(9, 12, 20), words_per_length=16),
    Test(name="audited", lengths=(8,), words_per_length=16, protocol="audited", seed=3),
)


def small_plan(model: str = "elman", **settings: Any) -> Plan:
    return make_plan(parse("parity"), model, preset="smoke", settings={**SMALL, **settings})


def small_jobs(count: int, model: str = "elman", **settings: Any) -> list[Job]:
    return jobs_over_seeds(small_plan(model, **settings), range(count), TESTS)


def long_job() -> Job:
    """Takes a few seconds, with many checkpoints."""
    (job,) = jobs_over_seeds(small_plan(steps=400, validate_every=10), [0], TESTS)
    return job


def failures(results: Iterable[Outcome | Failure]) -> list[Failure]:
    return [result for result in results if isinstance(result, Failure)]


def outcomes(results: Iterable[Outcome | Failure]) -> list[Outcome]:
    return [result for result in results if isinstance(result, Outcome)]


def figures(results: Sequence[Outcome | Failure]) -> list[Any]:
    """What must not depend on where a job ran."""
    found = []
    for result in results:
        assert isinstance(result, Outcome), result
        found.append((result.digest, list(map(_lasting, result.tests)), result.steps))
    return found


def _lasting(test: TestResult) -> TestResult:
    """The result without the time that it took."""
    summary = {name: value for name, value in test.summary.items() if name != "seconds"}
    return replace(test, summary=summary)
