"""The ladder of a language, and its shallowest rung."""

import pytest
import torch

from lengthwise.constructions.defaults import COMPARED_AT
from lengthwise.constructions.known_constructions import construct
from lengthwise.constructions.rungs import RUNGS
from lengthwise.constructions.shallowest import climb, shallowest
from lengthwise.languages.spec import parse
from lengthwise.models.looped_recogniser import LoopedRecogniser
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.models.state_slots import StateSlots


@pytest.mark.slow_except("parity-cascade", "tomita-4-ltl")
@pytest.mark.parametrize(
    ("spec", "rung"),
    [
        ("parity", "cascade"),
        ("group:(1 2 3),(3 4 5)", "scan"),
        ("tomita-4", "ltl"),
        ("ltl:a S b", "ltl"),
        ("d-12", ""),
    ],
)
def test_the_shallowest_is_taken(spec: str, rung: str) -> None:
    language = parse(spec)
    steps = {step.name: step for step in climb(language)}
    assert list(steps) == list(RUNGS)
    found = shallowest(language)
    reached = [step for step in steps.values() if step.design is not None]
    assert found.layers == min(step.layers or 0 for step in reached)
    assert not rung or found.name == rung
    made = construct(spec, {"rung": "auto"})
    assert made.settings.get("rung", "tree") == found.name
    assert found.design is not None
    assert made.num_parameters == found.design.num_parameters
    assert made.range == found.range


def test_sizes_are_those_of_the_networks() -> None:
    for step in climb(parse("tomita-2")):
        made = construct("tomita-2", {"rung": step.name})
        told = step.to_dict()
        assert told["reached"]
        assert told["refused"] is None
        assert told["parameters"] == sum(p.numel() for p in made.model.parameters())
        assert told["range"] == made.range
        assert told["heads"] == getattr(made.model.config, "num_heads", 1)
        assert told["width"] == made.model.config.d_model  # type: ignore[union-attr]
        model = made.model
        if isinstance(model, RegularGPT | StateSlots | LoopedRecogniser):
            layers = model.steps(COMPARED_AT)
        else:
            assert isinstance(model.layers, torch.nn.ModuleList)
            layers = len(model.layers)
        assert told[f"layers_at_{COMPARED_AT}"] == layers


def test_a_rung_that_is_not_reached_says_why() -> None:
    told = next(step.to_dict() for step in climb(parse("parity")) if step.name == "ltl")
    assert not told["reached"]
    assert "cyclic group of order 2" in told["refused"]
    assert told["parameters"] is None
    assert told["range"] == {}
