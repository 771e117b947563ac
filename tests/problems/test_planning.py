"""Plans: the owner of each default, and where each number of a plan comes from."""

from pathlib import Path

import pytest

from lengthwise.cli.main import main
from lengthwise.errors import RunError
from lengthwise.problems.planning import make_plan, origins_of, plan_from_dict


def test_a_later_step_stands_over_an_earlier_one() -> None:
    """The preset over the model, the model in a preset over that, and the user over all."""
    smoke = make_plan("parity", "gru", preset="smoke")
    assert (smoke.network.d_model, smoke.origins["network.d_model"]) == (16, "preset smoke")
    paper = make_plan("parity", "gru", preset="paper")
    rate = "training.learning_rate"
    assert (paper.training.learning_rate, paper.origins[rate]) == (3e-4, "gru, paper")
    asked = make_plan("parity", "gru", preset="paper", settings={"d_model": 24})
    assert (asked.network.d_model, asked.origins["network.d_model"]) == (24, "set")


def test_the_origin_of_each_number_that_is_not_the_default_of_its_class_is_kept() -> None:
    plan = make_plan("group:S5", "gru-binary", settings={"steps": 700})
    of_objective = "objective codebook, laptop, 120 states"
    assert plan.origins["network.d_model"] == of_objective
    assert plan.origins["training.learning_rate"] == of_objective
    assert plan.origins["training.patience"] == "model gru-binary"
    assert plan.origins["training.steps"] == "set"
    assert plan.origins["network.vocab_size"] == "follows from group:S5"
    parts = {name: part.non_defaults() for name, part in plan.sections.items()}
    names = {f"{section}.{name}" for section, values in parts.items() for name in values}
    assert set(plan.origins) == names


def test_an_objective_that_stands_in_for_another_says_so() -> None:
    plan = make_plan("count:0:33:01", "regular-gpt-binary")
    assert plan.objective.name == "codebook"
    assert plan.origins["objective.name"] == "in place of composition"
    assert plan.origins["network.d_model"] == "objective codebook, laptop, 33 elements"


def test_the_steps_of_a_stage_that_another_follows_are_its_own() -> None:
    plan = make_plan("parity")
    assert (plan.training.steps, len(plan.later)) == (1_000, 1)
    assert plan.origins["training.steps"] == "stage that another follows"
    alone = make_plan("parity", "regular-gpt-binary")
    assert (alone.training.steps, alone.origins.get("training.steps")) == (20_000, None)


@pytest.mark.parametrize(
    ("spec", "model", "settings"),
    [
        ("parity", None, {}),
        ("tomita-3", "gru-binary", {"steps": 700, "max_length": 12}),
        ("d-2", "regular-gpt-binary", {"objective": "transition", "learning_rate": 1e-4}),
        ("steps:addition", None, {"examples": 50}),
    ],
)
def test_the_origins_of_a_stored_plan_are_found_again(
    spec: str, model: str | None, settings: dict[str, object]
) -> None:
    plan = make_plan(spec, model, settings=settings)
    stored = plan_from_dict(plan.to_dict())
    assert not stored.origins
    assert stored == plan, "origins are no part of what a plan is"
    assert origins_of(stored) == plan.origins


def test_settings_and_report_show_the_origin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")  # for the report
    assert main(["settings", "parity"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0][:3] == ["setting", "default", "origin"]
    assert ["training.steps", "1000", "stage that another follows"] in [row[:3] for row in rows]
    small = ["--preset", "smoke", "--model", "gru", "--set", "steps=2"]
    assert main(["train", "parity", *small, "--out", str(tmp_path / "run")]) == 0
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<td>network.d_model</td><td>16</td><td>preset smoke</td>" in page
    assert "<td>training.steps</td><td>2</td><td>set</td>" in page


def test_a_stored_setting_that_is_no_more_is_said_to_be_so() -> None:
    stored = make_plan("parity", preset="smoke").to_dict()
    stored["data"]["curriculum"] = "none"
    with pytest.raises(
        RunError, match=r"does not read: unknown setting 'curriculum'.* Train again"
    ):
        plan_from_dict(stored)


@pytest.mark.parametrize(("spec", "name"), [("gray", "function"), ("parity", "language")])
def test_a_damaged_function_or_language_is_said_to_be_in_its_file(spec: str, name: str) -> None:
    values = make_plan(spec, "gru", preset="smoke").to_dict()
    del values["problem"][name]["alphabet"]
    with pytest.raises(RunError, match=f"config.json is damaged: a stored {name}"):
        plan_from_dict(values)
