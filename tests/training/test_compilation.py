"""Is a compiled network the same, and is it compiled where it is to be?"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.training.compilation import compile_for_training

SMALL = {"window": 8, "chunk_size": 4, "batch_size": 2, "steps": 2, "validate_every": 1}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "text.txt").write_text("some words of a text, and some more of them. " * 200)
    lw.text.prepare(tmp_path / "text", tmp_path / "text.txt", vocab_size=257)
    text = f"text:{tmp_path / 'text'}"
    found = make_plan(text, "regular-gpt-lm", preset="smoke", settings=SMALL)
    return replace(found, training=replace(found.training, compile=True))


def test_it_is_compiled_for_gradients_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def mark(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        return lambda *given: -function(*given)

    monkeypatch.setattr(torch, "compile", mark)
    double = compile_for_training(lambda x: 2 * x)
    assert double(torch.tensor(3.0)) == -6
    with torch.no_grad():
        assert double(torch.tensor(3.0)) == 6


def test_training_steps_are_compiled_and_validation_is_not(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        def program(*given: Any) -> Any:
            seen.append(torch.is_grad_enabled())
            return function(*given)

        return program

    monkeypatch.setattr(torch, "compile", note)
    train(plan, device="cpu")
    assert seen == [True, True, True]  # the trial of the compiler, and two steps


def test_where_nothing_can_be_compiled_a_line_says_so(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(function: object) -> object:
        raise RuntimeError("\nno compiler\nof any kind")

    monkeypatch.setattr(torch, "compile", none)
    with pytest.raises(ConfigError, match=r"compile=true .* cpu \(RuntimeError: no compiler\)"):
        train(plan, out=tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_what_is_learned_is_about_the_same(plan: Plan, tmp_path: Path) -> None:
    """In a process of its own, as types that are checked while it runs cannot be compiled."""
    command = [sys.executable, "-m", "lengthwise", "train", f"text:{tmp_path / 'text'}"]
    command += ["--model", "regular-gpt-lm", "--preset", "smoke", "--device", "cpu"]
    for name, value in SMALL.items():
        command += ["--set", f"{name}={value}"]
    weights = []
    for kind in ("true", "false"):
        out = tmp_path / kind
        subprocess.run([*command, "--set", f"compile={kind}", "--out", str(out)], check=True)
        run = load_run(out, device="cpu")
        weights.append((run.model.state_dict(), [one["loss"] for one in run.metrics]))
    (first, losses), (second, others) = weights
    assert losses == pytest.approx(others, rel=1e-5)
    assert first.keys() == second.keys()
    assert all(torch.allclose(first[name], second[name], atol=1e-4) for name in first)
    assert run.require_plan().training == replace(plan.training, compile=False)
