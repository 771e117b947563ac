"""Settings of today and of format 1 are the same settings."""

from dataclasses import replace

import pytest

from lengthwise.problems.layout import SECTIONS, Format1
from lengthwise.problems.registry import PROBLEMS
from lengthwise.problems.runs import make_plan, plan_from_dict
from sweep_jobs import in_format_1


@pytest.mark.parametrize("kind", list(PROBLEMS))
def test_every_setting_of_every_model_is_found_again_in_format_1(kind: str) -> None:
    problem = PROBLEMS[kind]
    for model in problem.models:
        classes = problem.sections(problem.models[model])
        known = {section: config.__dataclass_fields__ for section, config in classes.items()}
        every = {
            section: {name: f"{section}.{name}" for name in names}
            for section, names in known.items()
        }
        if problem.format_1 is None:  # it came after format 1
            continue
        written = problem.format_1.write(every)
        assert problem.format_1.read(written, known) == every
        assert set(every) == set(SECTIONS)


def test_names_and_values_of_format_1_are_those_that_stood_there() -> None:
    settings = {"objective": "codebook", "replay": False, "seed": 3}
    plan = make_plan("parity", settings=settings)
    found = plan.stored_settings()
    assert found["recognition"]["supervision"] == "assigned"
    assert found["recognition"]["lessons"] is False
    assert found["loop"]["seed"] == 3
    assert set(found) == {"network", "recognition", "loop"}
    identity = plan.identity()
    assert (identity["protocol"], identity["p_one"]) == ("audited", 0.5)
    assert identity["loop"] == {"seed": 3, "patience": 1}
    settings = {"objective": "composition", "code_consistency": 0.5}
    assert make_plan("parity", settings=settings).stored_settings()["recognition"]["pull"] == 0.5


def test_a_stored_plan_is_the_plan() -> None:
    for spec, model in (("parity", "encoder-cls"), ("tomita-4", None), ("steps:addition", None)):
        plan = make_plan(spec, model, preset="smoke")
        assert plan_from_dict(plan.to_dict()) == plan
        if plan.problem.kind != "recognition":  # each objective has settings of its own now
            old = in_format_1(plan)
            assert plan_from_dict(old) == replace(plan, chosen="")


def test_settings_that_format_1_does_not_know_keep_their_names() -> None:
    known = {"network": {"d_model": 0}, "data": {"window": 0}, "objective": {}, "training": {}}
    stored = {"network": {"d_model": 4, "old": 1}, "text": {"window": 3}, "loop": {"gone": 2}}
    found = Format1(part="text").read(stored, known)
    assert found == {
        "network": {"d_model": 4, "old": 1},
        "data": {"window": 3},
        "objective": {},
        "training": {"gone": 2},
    }
