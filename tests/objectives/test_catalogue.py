"""Every objective of the catalogue: its settings, the models that it fits, and what is refused."""

import ast
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.base import WordObjective
from lengthwise.objectives.catalogue import (
    OBJECTIVES,
    AnyObjectiveConfig,
    objectives_of,
    require_own,
)
from lengthwise.problems.planning import make_plan
from lengthwise.registry import Catalogue
from lengthwise.settings import describe_settings

SOURCE = Path(__file__).parents[2] / "src" / "lengthwise"

names = pytest.mark.parametrize("name", list(OBJECTIVES))


@names
def test_an_objective_says_what_is_told_and_fits_a_model(name: str) -> None:
    assert OBJECTIVES[name].told.startswith("training is given ")
    assert any(name in objectives_of(entry) for entry in MODELS.values())
    assert OBJECTIVES[name].fits(MODELS[_model_of(name)])


@names
def test_the_settings_of_an_objective_are_its_own(name: str) -> None:
    kind = OBJECTIVES[name].settings
    settings = kind.from_dict({"name": name})
    assert AnyObjectiveConfig.from_dict(settings.to_dict()) == settings
    known = {each.name for each in fields(kind)}
    for each in describe_settings("objective", kind, known, {}):
        assert each.meaning
        assert not each.meaning.startswith("With ")
    for other in OBJECTIVES:
        for setting in {each.name for each in fields(OBJECTIVES[other].settings)} - known:
            said = rf"^{setting} is a setting of objective .*{other}"
            with pytest.raises(ConfigError, match=said):
                require_own(setting, name)


@names
def test_an_objective_has_a_loss_for_the_model_that_is_trained_where_none_is_named(
    name: str,
) -> None:
    plan = make_plan("parity", _model_of(name), preset="smoke", settings={"objective": name})
    assert plan.supervision == name
    model, data = plan.draw(), torch.Generator().manual_seed(0)
    step = plan.problem.objective(plan).step(model, data, torch.Generator())
    assert step.loss.isfinite()
    assert plan.to_dict()["objective"]["name"] == name


def _model_of(name: str) -> str:
    return "scratchpad" if name == "states" else OBJECTIVES[name].model


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        ("parity", {"supervision": "final"}, "with --objective final, in Python objective='final'"),
        ("parity", {"objective": "fnal"}, "unknown objective 'fnal'. Did you mean 'final'"),
        ("parity", {"objective.bits": "firm", "objective": "final"}, "bits='firm'"),
        ("parity", {"objective": "final", "margin": 0.2}, "^margin is a setting of objective comp"),
        ("parity", {"objective": "composition", "margin": -1.0}, "margin=-1.0 is too small"),
        (
            "steps:addition",
            {"objective": "final"},
            "have one objective alone, but got",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(
    spec: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        make_plan(spec, settings=settings)
    assert "\n" not in str(caught.value)


def test_an_objective_is_named_with_its_settings_in_one_table() -> None:
    asked = {"objective": {"name": "codebook", "replay": False}}
    plan = make_plan("parity", "regular-gpt-binary", settings=asked)
    assert (plan.supervision, plan.objective.replay) == ("codebook", False)


def test_a_later_choice_drops_the_settings_of_an_earlier_one() -> None:
    layers: list[dict[str, Any]] = [
        {"objective": "composition", "margin": 0.5},
        {"objective": "codebook"},
    ]
    assert make_plan("parity", "regular-gpt-binary", settings=layers).supervision == "codebook"


def test_a_broken_objective_of_another_package_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken(Catalogue[WordObjective]):
        def __getitem__(self, name: str) -> WordObjective:
            if name == "theirs":
                raise ConfigError("cannot be imported")
            return OBJECTIVES[name]

    broken = Broken("objective", {"theirs": "nowhere:THEIRS", "final": "x:y", "maps": "x:y"})
    monkeypatch.setattr("lengthwise.objectives.catalogue.OBJECTIVES", broken)
    assert objectives_of(MODELS["gru"]) == ("final",)


def test_no_other_module_compares_names_of_objectives() -> None:
    """Whoever asks what is learned from asks the class."""
    allowed = {SOURCE / "models" / "recognisers.py", SOURCE / "models" / "own.py"}
    for path in (*SOURCE.glob("problems/**/*.py"), *SOURCE.glob("models/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        compared = [
            side.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare)
            for side in (node.left, *node.comparators)
            if isinstance(side, ast.Constant) and path not in allowed
        ]
        assert not set(compared) & (set(OBJECTIVES) - {"final"}), path
