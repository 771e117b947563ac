"""Runs that are trained as one end as if each had been trained alone."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.errors import ClaimError, ConfigError
from lengthwise.languages.spec import parse
from lengthwise.layers.positions import POSITIONS
from lengthwise.models.encoder import Encoder
from lengthwise.training import members, stack
from lengthwise.training.members import together
from lengthwise.training.runs import RunFolder
from lengthwise.training.stack import train_stack
from lengthwise.training.train import Plan, Run, make_plan, train

SMALL = {
    "steps": 20,
    "validate_every": 10,
    "batch_size": 16,
    "validation_words": 32,
    "max_length": 20,
    "patience": 0,
    "learning_rate": 1e-3,
}


KEY_BIAS = re.compile(r"attention\.key\.bias$")
"""Weights that add the same to all logits of a query, so that softmax takes it away. Their gradient
is rounding alone, which Adam makes into steps of full length."""

SLOW = re.compile(r"^position\.w\.")
"""Weights of Transformer-XL, of which some read waves so slow that the same holds nearly."""


def plans(model: str, count: int = 3, spec: str = "parity", **settings: Any) -> list[Plan]:
    """Seeds, rates and clips of their own."""
    first = make_plan(parse(spec), model, preset="smoke", settings={**SMALL, **settings})
    return [
        replace(
            first,
            loop=replace(
                first.loop,
                seed=seed,
                learning_rate=first.loop.learning_rate * (1 + seed),
                clip=(1.0, 0.05)[seed % 2],
            ),
        )
        for seed in range(count)
    ]


def assert_as_one_by_one(
    asked: Sequence[Plan], found: Sequence[Run], tolerance: float = 1e-5
) -> None:
    for plan, run in zip(asked, found, strict=True):
        assert run.plan == plan
        alone = train(replace(plan, loop=replace(plan.loop, threads=1)), device="cpu")
        weights = run.model.state_dict()
        for name, weight in alone.model.state_dict().items():
            if isinstance(run.model, Encoder) and (KEY_BIAS.search(name) or SLOW.search(name)):
                continue
            torch.testing.assert_close(weights[name], weight, atol=tolerance, rtol=0, msg=name)
        words = torch.randint(2, (16, 9), generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            torch.testing.assert_close(run.model(words), alone.model(words), atol=tolerance, rtol=0)
        assert [r["step"] for r in run.metrics] == [r["step"] for r in alone.metrics]
        for ours, theirs in zip(run.metrics, alone.metrics, strict=True):
            for name in ("loss", "accuracy", "validation_loss", "validation_accuracy"):
                assert ours[name] == pytest.approx(theirs[name], abs=1e-4)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("regular-gpt", {}),
        ("regular-gpt", {"thickness": 2, "chunk": 3, "pad": "absent", "norm": "pre"}),
        ("regular-gpt", {"threads": 2}),
        ("elman", {}),
        ("elman", {"threads": 3}),
        ("elman", {"beta2": 0.5}),
        ("elman", {"weight_decay": 20.0}),
        ("encoder-cls", {"weight_decay": 20.0}),
        ("gru", {"num_layers": 2}),
        ("lstm", {"num_layers": 2}),
        ("encoder-cls", {"scale": "log-length", "threads": 2}),
        ("chomsky-transformer", {}),
    ],
)
@pytest.mark.parametrize("spec", ["parity", pytest.param("tomita-3", marks=pytest.mark.slow)])
def test_a_stack_is_its_runs_one_by_one(model: str, settings: dict[str, Any], spec: str) -> None:
    asked = plans(model, spec=spec, schedule="cosine", **settings)
    assert_as_one_by_one(asked, train_stack(asked, device="cpu"))


def test_answers_do_not_depend_on_the_weights_that_are_not_compared() -> None:
    trained = train(plans("encoder-cls", 1, steps=1)[0], device="cpu").model
    words = torch.randint(2, (8, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        before = trained(words)
        for name, weight in trained.named_parameters():
            if KEY_BIAS.search(name):
                weight.normal_(generator=torch.Generator().manual_seed(1))
        torch.testing.assert_close(trained(words), before, atol=1e-5, rtol=0)


@pytest.mark.parametrize("position", sorted(set(POSITIONS) - set(members._NOT_STACKED)))
def test_every_position_that_is_not_refused_can_be_stacked(position: str) -> None:
    asked = plans("encoder-cls", 2, position=position, steps=4, validate_every=2)
    # with one-hot positions a weight in a thousand has a gradient that is rounding alone
    tolerance = 5e-5 if position == "one-hot" else 1e-5
    assert_as_one_by_one(asked, train_stack(asked, device="cpu"), tolerance)


def test_a_run_that_ends_early_leaves_the_others_to_go_on() -> None:
    """With a patience of 1 each ends at its first perfect validation."""
    asked = plans(
        "elman", 4, "tomita-1", threads=2, steps=60, validate_every=2, patience=1, max_length=4
    )
    found = train_stack(asked, device="cpu")
    assert len({run.metrics[-1]["step"] for run in found}) > 1
    assert_as_one_by_one(asked, found)


def test_folders_are_those_of_ordinary_runs_wherever_they_were_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun in a stack that is interrupted, one ended alone, the others in a stack."""
    asked = plans("regular-gpt", threads=2)
    outs = [tmp_path / str(plan.loop.seed) for plan in asked]
    save = RunFolder.save_checkpoint
    saved: list[RunFolder] = []

    def die(self: RunFolder, *arguments: Any) -> None:
        save(self, *arguments)
        saved.append(self)
        if len(saved) == len(asked):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(RunFolder, "save_checkpoint", die)
        with pytest.raises(KeyboardInterrupt):
            train_stack(asked, outs=outs, device="cpu")
    train(asked[1], out=outs[1], device="cpu")

    found = train_stack(asked, outs=outs, device="cpu")

    assert_as_one_by_one(asked, found)
    assert all(RunFolder(out).is_finished for out in outs)
    monkeypatch.setattr(stack._Stack, "step", None)  # what has ended is not trained again
    again = train_stack(asked, outs=outs, device="cpu")
    assert [run.metrics for run in again] == [run.metrics for run in found]


def test_a_folder_from_before_a_setting_came_is_gone_on_with(tmp_path: Path) -> None:
    plan = plans("elman", 1)[0]
    values = plan.to_dict()
    del values["loop"]["accumulate"]
    RunFolder(tmp_path / "run").claim(values)
    (found,) = train_stack([plan], outs=[tmp_path / "run"], device="cpu")
    assert found.plan == plan


def test_what_differs_too_much_is_refused(tmp_path: Path) -> None:
    one, other = plans("elman", 2)
    wider = plans("elman", 1, d_model=32)[0]
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match="differ in seed, learning_rate and clip only"):
        train_stack([one, other, wider], outs=[out] * 3)
    with pytest.raises(ConfigError, match="at least one plan"):
        train_stack([])
    with pytest.raises(ConfigError, match="supervision='prefix' cannot be trained in a stack"):
        train_stack(plans("elman", 2, supervision="prefix"))
    with pytest.raises(ConfigError, match="accumulate=2 cannot be trained in a stack"):
        train_stack(plans("elman", 2, accumulate=2))
    with pytest.raises(ConfigError, match="binary memory and dropout need it"):
        train_stack(plans("regular-gpt-binary", 2, supervision="final"))
    with pytest.raises(ConfigError, match="position='learned' cannot be computed in a stack"):
        train_stack(plans("encoder-cls", 2, position="learned"))
    with pytest.raises(ConfigError, match=r"Universal cannot be trained in a stack"):
        train_stack(plans("universal-transformer", 2))
    assert not out.exists()


def test_a_loss_that_is_not_finite_is_named() -> None:
    with pytest.raises(ClaimError, match=r"the loss is (nan|inf) at step"):
        train_stack(plans("regular-gpt", 2, learning_rate=1e29), device="cpu")


def test_members_with_like_lengths_are_computed_together() -> None:
    assert together([3, 40, 30, 29, 2, 27], most=6) == [[1, 2, 3], [5], [0], [4]]
    assert together([3, 40, 30, 29, 2, 27], most=2) == [[1, 2], [3, 5], [0], [4]]
    assert together([1], most=1) == [[0]]
