"""What decides a run, and by what a run is recognised."""

import pytest

from lengthwise.problems.plan import SECTIONS
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.registry import PROBLEMS


@pytest.mark.parametrize("kind", list(PROBLEMS))
def test_no_two_sections_but_that_of_the_network_share_a_name(kind: str) -> None:
    """`Plan.identity` has the settings of these sections in one table."""
    problem = PROBLEMS[kind]
    for model in problem.setup.models:
        found = problem.setup.sections(problem.setup.models[model])
        assert set(found) == set(SECTIONS)
        del found["network"]
        names = [name for config in found.values() for name in config.__dataclass_fields__]
        assert len(names) == len(set(names))


def test_a_run_is_recognised_by_what_differs_from_the_defaults() -> None:
    plan = make_plan("parity", settings={"objective": "codebook", "replay": False, "seed": 3})
    found = plan.identity()["settings"]
    assert found.pop("chunk_lengths") == "all"  # what codebooks need
    assert found == {"name": "codebook", "replay": False, "seed": 3, "patience": 1}
    assert plan.identity() != plan.with_seed(4).identity()


def test_a_stored_plan_is_the_plan() -> None:
    for spec, model in (("parity", "encoder-cls"), ("tomita-4", None), ("steps:addition", None)):
        plan = make_plan(spec, model, preset="smoke")
        assert plan_from_dict(plan.to_dict()) == plan
