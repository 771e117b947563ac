"""Training with codes that are told: what it calls proved is proved, and a stop loses nothing."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.languages.spec import parse
from lengthwise.objectives.chunk_table import ChunkTable
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify
from lengthwise.training.loop import Step
from proofs.trained import SMALL

SETTINGS: dict[str, Any] = {
    **{name: value for name, value in SMALL.items() if name != "num_bits"},
    "objective": "codebook",
    "noise": 0.0,
}


def plan_for(spec: str = "parity", **settings: Any) -> Plan:
    return make_plan(parse(spec), settings={**SETTINGS, **settings})


def goal_of(plan: Plan) -> ChunkTable:
    goal = plan.problem.objective(plan)
    assert isinstance(goal, ChunkTable)
    return goal


@pytest.mark.slow_except("parity", "tomita-5")
@pytest.mark.parametrize("spec", ["parity", "cycle-navigation", "tomita-5", "group:S3"])
def test_what_training_calls_proved_is_proved(spec: str) -> None:
    run = train(plan_for(spec))
    last = run.metrics[-1]
    assert last["proved"]
    assert last["perfect"]
    assert last["wrong"] == 0
    assert last["room"] > 0
    made = certify(run.model, run.language)
    assert made.verdict == "equivalent"
    assert not any(record["perfect"] for record in run.metrics[:-1])


def test_a_code_that_was_not_told_can_serve_in_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong chunks delay no proof that exploration finds, unless they are many."""
    plan = plan_for("parity")
    model = train(plan).model
    goal = goal_of(plan)
    judge = goal._judge

    def with_wrong(count: int) -> bool:
        monkeypatch.setattr(
            goal, "_judge", lambda m: ({**judge(m)[0], "wrong": count}, judge(m)[1])
        )
        with torch.no_grad():
            return goal.validate(model, torch.Generator().manual_seed(0)).perfect

    assert with_wrong(1)
    assert not with_wrong(10_000)


def test_bits_follow_from_the_language_and_are_not_the_users() -> None:
    assert plan_for("group:S3").network.num_bits == 9
    assert plan_for("group:S3", num_bits=9).network.num_bits == 9
    with pytest.raises(ConfigError, match="have 9 bits, so num_bits=8 does not fit"):
        plan_for("group:S3", num_bits=8)
    assert plan_from_dict(plan_for("group:S3").to_dict()) == plan_for("group:S3")


def test_gradients_reach_all_weights_and_replay_follows_from_the_weights() -> None:
    plan = plan_for("tomita-5", steps=20, validate_every=20)
    model = train(plan).model.train()

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(3)

    goal, again = goal_of(plan), goal_of(plan)
    step = goal.step(model, generator(), generator())
    assert step.loss.item() == again.step(model, generator(), generator()).loss.item()
    assert goal._replay is not None
    assert len(goal._replay) > 0
    assert model.training
    step.loss.backward()  # type: ignore[no-untyped-call]
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name
    untaught = goal_of(plan_for("tomita-5", replay=False))
    untaught.step(model, generator(), generator())
    assert untaught._replay is not None
    assert len(untaught._replay) == 0


class StopError(Exception):
    """Stands for a kill."""


@pytest.mark.slow_except("31")
@pytest.mark.parametrize("stop_at", [1, 31])
def test_stopped_run_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    plan = plan_for("tomita-5", noise=0.2, steps=40, validate_every=10)
    train(plan, out=tmp_path / "whole", device="cpu")
    step, count = ChunkTable.step, 0

    def stopping(
        self: ChunkTable, model: nn.Module, data: torch.Generator, noise: torch.Generator
    ) -> Step:
        nonlocal count
        count += 1
        if count == stop_at:
            raise StopError
        return step(self, model, data, noise)

    monkeypatch.setattr(ChunkTable, "step", stopping)
    with pytest.raises(StopError):
        train(plan, out=tmp_path / "broken", device="cpu")
    train(plan, out=tmp_path / "broken", device="cpu")
    for name in ("model.safetensors", "config.json"):
        whole, broken = tmp_path / "whole" / name, tmp_path / "broken" / name
        assert broken.read_bytes() == whole.read_bytes()


def test_continuous_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="binary"):
        lw.train("parity", "regular-gpt", objective="codebook", out=tmp_path / "a")


@pytest.mark.slow
def test_double_precision_is_that_of_the_trained_model_and_of_its_proof(tmp_path: Path) -> None:
    """Training is the same in both; what is stored and proved is not."""
    runs = {
        precision: train(plan_for("group:S3", precision=precision), out=tmp_path / precision)
        for precision in ("single", "double")
    }
    assert {p.dtype for p in runs["single"].model.parameters()} == {torch.float32}
    assert {p.dtype for p in runs["double"].model.parameters()} == {torch.float64}
    made = {name: certify(run.model, run.language) for name, run in runs.items()}
    assert {one.verdict for one in made.values()} == {"equivalent"}
    radius = {name: one.margins.sign_radius or 0 for name, one in made.items() if one.margins}
    assert 0 < radius["double"] < 1e-6 * radius["single"]
    for single, double in zip(*(run.model.parameters() for run in runs.values()), strict=True):
        assert torch.equal(single.double(), double)
