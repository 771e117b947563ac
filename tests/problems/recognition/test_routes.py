"""Routes to a proof: which are taken, that they end with one, and what is too large for one."""

from pathlib import Path

import pytest

from lengthwise.errors import ConfigError
from lengthwise.files import read_json
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify


@pytest.mark.parametrize(
    ("spec", "models"),
    [
        ("parity", ["regular-gpt-binary", "regular-gpt-slots"]),
        ("d-2", ["regular-gpt-binary", "regular-gpt-slots"]),
        ("tomita-3", ["regular-gpt-slots"]),
        ("group:Z31", ["regular-gpt-slots"]),
        ("d-99", ["regular-gpt-slots"]),
        ("regex:(0|1)*1" + "(0|1)" * 12, ["scratchpad-window"]),
    ],
)
def test_the_routes_follow_from_the_numbers_of_state_maps_and_states(
    spec: str, models: list[str]
) -> None:
    made = make_plan(spec)
    assert [each.model for each in made.stages] == models
    assert all(each.chosen for each in made.stages)
    small = make_plan(spec, preset="smoke")
    assert small.stages[0].model == models[0]
    assert small.later == ()


def test_the_folder_says_why(tmp_path: Path) -> None:
    run = train(
        make_plan("tomita-3", settings={"steps": 2, "d_model": 4}), out=tmp_path, device="cpu"
    )
    stored = read_json(tmp_path / "config.json")
    assert stored["chosen"] == run.require_plan().chosen
    assert stored["chosen"].startswith("there are more than 16 state maps")
    assert "chosen" not in make_plan("tomita-3", "regular-gpt-slots").to_dict()


@pytest.mark.slow_except("regex:(b*a){64}[ab]*")
@pytest.mark.parametrize(
    "spec", ["group:Z31", "regex:a{13}", "regex:(a{13})*", "regex:(b*a){64}[ab]*"]
)
def test_the_default_is_proved_where_the_number_of_state_maps_misled(spec: str) -> None:
    run = train(make_plan(spec), device="cpu")
    assert certify(run.model, run.language).verdict == "equivalent"
    assert sum(each["steps"] for each in run.records.stages) <= 1_500


def test_an_automaton_too_large_for_every_route_is_refused_with_its_numbers() -> None:
    long = "regex:(0|1)*1" + "(0|1)" * 12
    with pytest.raises(
        ConfigError,
        match=r"up to 4,096 states, and this one has at least 8,192; .* up to 1,000 state maps, "
        r"and there are more than 5,000. Use --model scratchpad-window, which learns its 16,384",
    ):
        make_plan(long, "regular-gpt-slots")
