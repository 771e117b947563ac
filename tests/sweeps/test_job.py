"""What a job is: its digest, its journey through JSON, and what is refused."""

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lengthwise.errors import ConfigError, LengthwiseError, RunError
from lengthwise.problems.sweep_tests import Test
from lengthwise.sweeps.job import Job, jobs_over_seeds, require_distinct
from sweep_jobs import TESTS, small_jobs, small_plan


@pytest.mark.slow
def test_a_job_survives_json_in_another_process_with_its_digest() -> None:
    job = small_jobs(1)[0]
    stored = json.dumps(job.to_dict())

    assert Job.from_dict(json.loads(stored)) == job
    code = (
        "import json, sys; from lengthwise.sweeps.job import Job;"
        "print(Job.from_dict(json.load(sys.stdin)).digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=stored, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == job.digest


def test_every_part_of_a_job_is_in_its_digest() -> None:
    job = small_jobs(1)[0]
    first, second = TESTS
    others = [
        Job(plan=small_plan(steps=5), tests=TESTS),
        Job(plan=small_plan("lstm"), tests=TESTS),
        replace(job, tests=(first,)),
        replace(job, tests=(second, first)),
        *(
            replace(job, tests=(replace(first, **change), second))
            for change in (
                {"name": "other"},
                {"lengths": (9, 12, 21)},
                {"words_per_length": 17},
                {"protocol": "audited"},
                {"seed": 1},
                {"p_one": 0.3},
            )
        ),
    ]

    assert len({job.digest, *(other.digest for other in others)}) == len(others) + 1
    assert len(job.digest) == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lengths": ()}, "test 'a' has no length. Give at least one."),
        ({"lengths": (3, 4, 3)}, "test 'a' has length 3 twice. Give each once."),
        (
            {"lengths": (3, -1)},
            "a length of test 'a' is an integer of 0 or more, but got -1.",
        ),
        (
            {"lengths": "41:50"},
            "test 'a' has lengths='41:50'. Give a list of integers; parse_lengths reads 41:500.",
        ),
        (
            {"lengths": 5},
            "test 'a' has lengths=5. Give a list of integers; parse_lengths reads 41:500.",
        ),
        ({"words_per_length": 0}, "test 'a' has words_per_length=0. Use 1 or more."),
    ],
)
def test_a_test_without_words_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Test(**{"name": "a", "lengths": (3,), **change})
    assert str(caught.value) == message


def test_lengths_are_any_whole_numbers() -> None:
    for lengths in (range(3, 6), np.arange(3, 6), (n for n in (3, 4, 5))):
        assert Test(name="a", lengths=lengths).lengths == (3, 4, 5)  # type: ignore[arg-type]


def test_tests_are_told_apart_and_have_a_known_protocol() -> None:
    plan, test = small_plan(), TESTS[0]
    with pytest.raises(ConfigError, match="two tests called 'beyond'"):
        Job(plan=plan, tests=(test, test))
    with pytest.raises(ConfigError, match="at least one test"):
        Job(plan=plan, tests=())
    with pytest.raises(LengthwiseError, match="Did you mean 'audited'"):
        Job(plan=plan, tests=(replace(test, protocol="audit"),))
    for protocol, p_one in ((None, 1.5), ("audited", 0.3)):
        with pytest.raises(LengthwiseError, match="p_one"):
            Job(plan=plan, tests=(replace(test, protocol=protocol, p_one=p_one),))


def test_the_same_run_is_not_asked_for_twice() -> None:
    plan = small_plan()
    with pytest.raises(ConfigError, match="seed 1 is given twice"):
        jobs_over_seeds(plan, [0, 1, 1], TESTS)
    with pytest.raises(ConfigError, match="no seed"):
        jobs_over_seeds(plan, [], TESTS)
    jobs = small_jobs(2)
    again = replace(jobs[1], tests=TESTS[:1])
    with pytest.raises(ConfigError, match=r"jobs 2 and 3 are the same run \(elman, seed 1\)"):
        require_distinct([*jobs, again])
    require_distinct(jobs)


def test_a_damaged_job_is_named() -> None:
    with pytest.raises(RunError, match="a stored job is damaged"):
        Job.from_dict({"plan": small_plan().to_dict()})


def test_a_setting_that_comes_later_leaves_digests_alone() -> None:
    """A stored job without a setting, as an older version wrote it, is the same job."""
    job = small_jobs(1)[0]
    stored = job.to_dict()
    del stored["plan"]["objective"]["closure"]
    assert Job.from_dict(stored).digest == job.digest
    assert "closure" not in job.plan.identity()["settings"]
    assert "p_one" not in stored["tests"][0]
    moved = replace(job, tests=(replace(job.tests[0], p_one=0.3),))
    assert Job.from_dict(moved.to_dict()) == moved
