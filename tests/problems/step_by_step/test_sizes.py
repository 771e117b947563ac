"""Runs on numbers and words of other sizes than those of training."""

from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ConfigError, TaskError, VerificationError
from lengthwise.problems.base import Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import train
from lengthwise.problems.step_by_step.sizes import score_sizes, show_sizes
from lengthwise.steps import certify
from pointer_adder import adder_weights

SMALL: dict[str, Any] = {"steps": 2, "validate_every": 1, "batch_size": 4, "warmup": 0}


def trained(spec: str, model: str, tmp_path: Path, **settings: Any) -> Run:
    plan = make_plan(spec, model, settings={**SMALL, **settings})
    return train(plan, out=tmp_path / "run", device="cpu")


def adder(tmp_path: Path, **settings: Any) -> Run:
    """Return a run whose weights are written down."""
    of_task = {"bits": 3, "order": "carries", "examples": 8, "d_model": 4, **settings}
    run = trained("steps:addition", "pointer-decoder", tmp_path, **of_task)
    weights = {name: torch.from_numpy(array) for name, array in adder_weights().items()}
    run.model.load_state_dict(weights)
    return run


def test_an_adder_adds_at_every_size_and_is_proved(tmp_path: Path) -> None:
    run = adder(tmp_path)
    scores = score_sizes(run, [1, 2, 40], 30, seed=1)
    assert {size: (s.exact, s.words) for size, s in scores.items()} == {
        1: (4, 4),
        2: (16, 16),
        40: (30, 30),
    }
    assert show_sizes(scores)[1][0] == ["1", "100.00", "51.010 to 100.000", "4"]
    assert certify(run).verdict == "equivalent"

    with torch.no_grad():
        run.model.get_parameter("read")[2, 1] = 0.0  # sums without their carries
    score = score_sizes(run, [40], 30, seed=1)[40]
    assert score.exact == 0
    assert score.first_wrong is not None
    assert certify(run).verdict == "counterexample"


def test_evaluate_takes_lengths_and_keeps_the_runs_evaluation(tmp_path: Path) -> None:
    run = adder(tmp_path)
    evaluate_and_store(run, {"words": 5})
    assert run.folder is not None
    stored = run.folder.evaluation()
    found = evaluate_and_store(run, {"lengths": "3,5", "words": 7, "seed": 2})
    assert [(r["length"], r["correct"], r["words"]) for r in found.records] == [
        (3, 7, 7),
        (5, 7, 7),
    ]
    assert run.folder.evaluation() == stored
    with pytest.raises(ConfigError, match="Leave --seed out"):
        evaluate_and_store(run, {"seed": 2})
    with pytest.raises(ConfigError, match="bits=257 must be an integer from 1 to 256"):
        evaluate_and_store(run, {"lengths": [257]})


def test_states_of_longer_words_are_written(tmp_path: Path) -> None:
    run = trained("steps:parity", "pointer-decoder", tmp_path, length=4, examples=8)
    (score,) = score_sizes(run, [9], 11, seed=0).values()
    assert len(score.right_at) == 10
    with pytest.raises(VerificationError, match="there is a proof for steps:addition with order"):
        certify(run)


def test_fixed_positions_carry_to_other_sizes_only_if_they_can(tmp_path: Path) -> None:
    of_task = {"bits": 2, "examples": 4, "d_model": 8}
    run = trained(
        "steps:addition", "step-decoder", tmp_path / "a", **of_task, position="sinusoidal"
    )
    assert score_sizes(run, [3], 5, seed=0)[3].words == 5
    with pytest.raises(VerificationError, match="can depend on the size of the numbers"):
        certify(run)
    run = trained("steps:addition", "step-decoder", tmp_path / "b", **of_task)
    with pytest.raises(TaskError, match="Train --model pointer-decoder"):
        score_sizes(run, [3], 5, seed=0)
