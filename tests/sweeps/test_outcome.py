"""Stored outcomes come back, and damaged ones are refused."""

import json
from typing import Any

import pytest

from lengthwise.errors import RunError
from lengthwise.problems.sweep_tests import AtLength, TestResult
from lengthwise.sweeps.outcome import FORMAT, Failure, Outcome

OUTCOME = Outcome(
    digest="0123",
    plan={"model": "gru"},
    tests=(
        TestResult(
            name="far",
            by_length=(AtLength(10, 8, 7), AtLength(20, 8, 2)),
            summary={"shortcuts": {"majority": 0.5}},
        ),
    ),
    steps=20,
    perfect=False,
    seconds=1.5,
    attempts=2,
    parameters=40,
    environment={"device": "cpu"},
    date="2026-01-01",
)


def test_what_is_stored_comes_back() -> None:
    found = Outcome.from_dict(json.loads(json.dumps(OUTCOME.to_dict())))
    assert found == OUTCOME
    assert found.test("far").accuracy_by_length() == {10: 7 / 8, 20: 1 / 4}
    assert found.test("far").shortcuts == {"majority": 0.5}


def test_a_test_that_there_was_not_is_refused_with_those_that_there_were() -> None:
    with pytest.raises(RunError, match=r"job 0123 has no test 'near'\. It has far\."):
        OUTCOME.test("near")


@pytest.mark.parametrize(
    "change",
    [{"tests": [{"name": "far"}]}, {"tests": 3}, {"tests": [{"by_length": [[1]]}]}, {"more": 1}],
)
def test_a_damaged_outcome_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RunError, match=r"a stored outcome is damaged .*Delete it, and run"):
        Outcome.from_dict({**OUTCOME.to_dict(), **change})


@pytest.mark.parametrize("name", ["format", "tests", "steps"])
def test_an_outcome_that_lacks_something_is_refused(name: str) -> None:
    stored = {key: each for key, each in OUTCOME.to_dict().items() if key != name}
    with pytest.raises(RunError, match="a stored outcome is damaged"):
        Outcome.from_dict(stored)


def test_an_outcome_of_another_format_is_not_called_damaged() -> None:
    with pytest.raises(RunError, match=rf"of format {FORMAT + 1}, but this version reads {FORMAT}"):
        Outcome.from_dict({**OUTCOME.to_dict(), "format": FORMAT + 1})


def test_a_failure_is_plain_values() -> None:
    failure = Failure(digest="0", plan={}, error="no memory")
    assert failure.to_dict() == {"digest": "0", "plan": {}, "error": "no memory", "details": ""}
