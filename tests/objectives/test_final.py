"""Labels of whole words alone: what is chosen by default, and a proof at the end."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.cli.main import main
from lengthwise.errors import ConfigError, RunError
from lengthwise.languages.spec import parse
from lengthwise.objectives.curriculum import Curriculum
from lengthwise.objectives.final import FinalLoss
from lengthwise.objectives.own_automaton import OwnAutomaton
from lengthwise.problems.plan import Plan
from lengthwise.problems.planning import make_plan, plan_for
from lengthwise.problems.runs import train
from lengthwise.proofs.search.certify import certify

SMALL: dict[str, Any] = {
    "objective": "final",
    "d_model": 32,
    "num_bits": 8,
    "batch_size": 64,
    "validation_words": 64,
    "max_length": 9,
    "validate_every": 5,
    "steps": 200,
    "learning_rate": 1e-2,
}


def test_a_network_told_labels_alone_settles_and_is_proved() -> None:
    run = train(make_plan("parity", "gru-binary", settings=SMALL))
    last = run.metrics[-1]
    assert last["step"] < 200
    assert (last["perfect"], last["states"], last["longest"]) == (True, 2, 9)
    assert certify(run.model, parse("parity")).verdict == "equivalent"
    assert certify(run.model, parse("first")).verdict == "counterexample"


@pytest.mark.slow
def test_the_command_says_on_how_many_states_it_settled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = [item for k, v in SMALL.items() for item in ("--set", f"{k}={v}")]
    out = str(tmp_path / "run")
    assert main(["train", "parity", "--model", "gru-binary", *settings, "--out", out]) == 0
    told = capsys.readouterr()
    assert "settled on an automaton of 2 states; 100.00 % on fresh words of length 0..9" in told.out
    assert f"next: lengthwise certify {out}" in told.err
    assert main(["certify", out]) == 0


@pytest.mark.parametrize("spec", ["parity", "modular-arithmetic", "group:S5"])
def test_defaults_are_the_same_for_all_languages(spec: str) -> None:
    plan = make_plan(spec, "gru-binary", settings={"objective": "final"})
    same = make_plan("d-12", "gru-binary", settings={"objective": "final"})
    assert isinstance(plan.problem.objective(plan), OwnAutomaton)
    assert (plan.data, plan.training, plan.objective) == (same.data, same.training, same.objective)
    assert (plan.network.num_bits, plan.network.d_model) == (16, 64)


def test_a_curriculum_is_for_labels_alone_and_any_model() -> None:
    asked = {"objective": "final", "curriculum": 3}
    for model in ("gru", "regular-gpt-binary", "encoder-cls"):
        plan = make_plan("parity", model, preset="smoke", settings=asked)
        assert type(plan.problem.objective(plan)) is Curriculum
    plan = make_plan("parity", "gru-binary", settings={**asked, "curriculum": 0})
    assert type(plan.problem.objective(plan)) is FinalLoss
    with pytest.raises(ConfigError, match=r"curriculum is a setting of objective final, but"):
        make_plan("parity", "gru-binary", settings={"curriculum": 3})
    with pytest.raises(ConfigError, match=r"curriculum=-1"):
        make_plan("parity", "gru", settings={"curriculum": -1})


def test_the_empty_word_is_a_word() -> None:
    plan = make_plan("parity", "gru-binary", settings={"objective": "final"})
    assert plan.data.min_length == 0


@pytest.mark.parametrize(
    ("model", "objective", "setting"),
    [
        ("regular-gpt-binary", "final", {"margin": 0.5}),
        ("regular-gpt-binary", "codebook", {"code_consistency": 2.0}),
        ("regular-gpt-binary", "composition", {"chunk_lengths": "all"}),
        ("gru-binary", "final", {"replay": False}),
    ],
)
def test_settings_of_proofs_are_for_their_objectives(
    model: str, objective: str, setting: dict[str, Any]
) -> None:
    (name,) = setting
    said = rf"^{name} is a setting of objective .*, but this run learns from '{objective}'"
    with pytest.raises(ConfigError, match=said):
        make_plan("parity", model, settings={"objective": objective, **setting})


def test_settings_of_proofs_reach_the_objectives_that_have_a_use_of_them() -> None:
    asked = {"objective": "composition", "margin": 0.5, "replay": False}
    plan = make_plan("parity", "regular-gpt-binary", settings=asked)
    assert (plan.objective.margin, plan.objective.replay) == (0.5, False)
    asked = {"objective": "codebook", "chunk_lengths": "all", "replay": False}
    plan = make_plan("parity", "gru-binary", settings=asked)
    assert (plan.objective.chunk_lengths, plan.objective.replay) == ("all", False)


def test_a_setting_of_one_stage_alone_keeps_the_others_away() -> None:
    plan = make_plan("parity", settings={"margin": 0.5})
    assert (plan.supervision, plan.later) == ("composition", ())
    assert plan.chosen == "margin is not for regular-gpt-slots"
    with pytest.raises(ConfigError, match=r"chunk_lengths is a setting of objective codebook, but"):
        make_plan("parity", settings={"chunk_lengths": "all"})


def test_only_what_a_user_gives_is_refused(tmp_path: Path) -> None:
    folder, model = tmp_path / "run", "regular-gpt-binary"
    told = {"objective": "codebook", "steps": 2}
    plan = make_plan("parity", model, preset="smoke", settings=told)
    train(plan, out=folder)

    def again(**settings: Any) -> Plan:
        return plan_for(folder, "parity", model, preset="smoke", settings=[settings])

    assert again() == plan
    with pytest.raises(ConfigError, match=r"^margin is a setting of objective composition"):
        again(objective="codebook", margin=0.7)
    with pytest.raises(RunError, match=r"objective.name='codebook', but now .*'final'"):
        again(objective="final")
