"""Training steps on a device whose tensors hold no numbers, where whatever waits for one fails.

torch's `meta` device stands for an accelerator: a tensor that is left on the processor cannot be
combined with those of the device, and to look at a number of the device, for which an accelerator
would be waited for, raises. What has to look is listed with the reason.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.models.recognisers import MODELS
from lengthwise.problems.base import Plan
from lengthwise.problems.runs import make_plan
from lengthwise.training import loop
from lengthwise.training.clock import Clock
from lengthwise.training.distributed import ALONE

LOOKS = {
    "codebook": "chunks that are wrong are found in the whole table before the first step",
    "composition": "sub-words are drawn by the codes that the network has for their parts",
    "scratchpad-window states": "a batch without a labelled state has another loss",
}
"""What looks at numbers of the device in a step, by supervision, or model and supervision."""


def _cases() -> Iterator[tuple[str, str]]:
    for name, entry in MODELS.items():
        for supervision in entry.supervisions:
            if name != "regular-gpt" or supervision not in ("composition", "codebook"):
                yield name, supervision


def _is_known(name: str, supervision: str) -> bool:
    return supervision in LOOKS or f"{name} {supervision}" in LOOKS


def _step(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> nn.Module:
    """Take a step on the device, but for the numbers that the loop reads at its end."""
    model = plan.build().to("meta")
    objective = plan.problem.objective(plan)
    read: list[Sequence[Tensor]] = []

    def noted(found: Sequence[Tensor]) -> list[float]:
        read.append(found)
        return [0.0] * len(found)

    monkeypatch.setattr(loop, "_read", noted)
    monkeypatch.setattr(torch, "Generator", lambda device="cpu": _generator())
    state = loop.begin(model, objective, plan.training, None)
    loop._train_step(state, objective, plan.training, Clock(), ALONE)
    (numbers,) = read
    assert {each.device.type for each in numbers} == {"meta"}
    return model


def _generator(real: Any = torch.Generator) -> torch.Generator:
    return real()


@pytest.mark.slow_for(
    "chomsky-transformer-final",
    "elman-binary-prefix",
    "gru-binary-prefix",
    "gru-final",
    "gru-prefix",
    "lstm-final",
    "lstm-prefix",
    "regular-gpt-binary-final",
    "regular-gpt-binary-node",
    "regular-gpt-binary-prefix",
    "regular-gpt-binary-transition",
    "regular-gpt-transition",
    "relu-binary-prefix",
)
@pytest.mark.parametrize(("name", "supervision"), list(_cases()))
def test_a_step_waits_for_the_device_once(
    name: str, supervision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan("parity", name, preset="smoke", settings={"supervision": supervision})
    if _is_known(name, supervision):
        with pytest.raises((RuntimeError, NotImplementedError), match="meta tensor"):
            _step(plan, monkeypatch)
        return
    model = _step(plan, monkeypatch)
    assert {each.device.type for each in model.parameters()} == {"meta"}
    assert any(each.grad is not None for each in model.parameters())


@pytest.mark.parametrize("position", ["none", "learned", "sinusoidal", "t5", "alibi", "rope"])
def test_no_position_waits_for_the_device(position: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"position": position, "supervision": "prefix"}
    _step(make_plan("parity", "decoder", preset="smoke", settings=settings), monkeypatch)


@pytest.mark.parametrize("model", ["regular-gpt-lm", "gpt-lm"])
def test_language_models_wait_for_the_device_once(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.txt").write_text("some words of a text, and some more of them. " * 200)
    lw.prepare(tmp_path / "text", tmp_path / "text.txt", vocab_size=257)
    _step(make_plan(f"text:{tmp_path / 'text'}", model, preset="smoke"), monkeypatch)


def test_step_tasks_wait_for_the_device_once(monkeypatch: pytest.MonkeyPatch) -> None:
    _step(make_plan("steps:addition", "step-decoder", preset="smoke"), monkeypatch)


def test_a_tree_on_the_processor_is_that_of_the_device() -> None:
    """Where words are does not matter to a network of trees: here both are the processor."""
    run = lw.compile("parity")
    words = torch.randint(2, (5, 9))
    assert run.model.reads_on_processor
    assert torch.equal(run.model(words), run.model(words, torch.full((5,), 9)))
