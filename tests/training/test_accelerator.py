"""The path of an accelerator, without one.

Training steps are taken on torch's `meta` device, whose tensors hold no numbers: to look at one,
for which an accelerator would be waited for, raises. What has to look is listed with the reason.

Whatever moves tensors is run on a device that holds numbers (`second_device.py`), where tensors of
two devices do not mix, and has to give those of the processor.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from golden.make_runs import copied
from lengthwise import precision
from lengthwise.analysis.analyses import ANALYSES, analyse
from lengthwise.models.recognisers import MODELS
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.problems.base import Plan, Run, evaluated
from lengthwise.problems.runs import make_plan, train
from lengthwise.training import loop
from lengthwise.training.clock import Clock
from lengthwise.training.distributed import ALONE
from second_device import There, second_device

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


_OF_WORDS: tuple[Mapping[str, Any], list[str]] = ({"lengths": "9,41", "words": 12}, ["0110", ""])

RUNS: Mapping[str, tuple[Mapping[str, Any], list[str]]] = {
    "encoder": _OF_WORDS,
    "continuous": _OF_WORDS,
    "binary-proved": _OF_WORDS,
    "compiled": _OF_WORDS,
    "steps": ({"words": 12}, ["101 011"]),
    "text": ({"lengths": "16,32", "words": 6}, ["the first"]),
    "pairs": ({}, ["a word"]),
}
"""Options of a test of each run, and inputs that it answers."""

VARIES = {"environment", "seconds"}


class _Generator(torch.Generator):
    """A generator of the processor, whichever device it is asked for."""

    def __new__(cls, device: object = "cpu") -> "_Generator":
        return super().__new__(cls)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.device]:
    """The second device, whose random numbers are drawn by generators of the processor."""
    monkeypatch.setattr(precision, "USUAL_DEVICES", {"cpu", "meta"})
    monkeypatch.setattr(torch, "Generator", _Generator)
    with second_device() as device:
        yield device


def _found(run: Run, options: Mapping[str, Any], inputs: list[str]) -> list[Any]:
    tested = evaluated(run, options, stored=False).values
    is_trained_tree = isinstance(run.model, RegularGPT) and isinstance(run.plan, Plan)
    analysed = [
        analyse(name, run.model, run.task, lengths=[9], words_per_length=4)
        for name in ANALYSES
        if is_trained_tree
    ]
    answers = lw.predict(run, inputs)
    return [{k: v for k, v in tested.items() if k not in VARIES}, answers, analysed]


@pytest.mark.slow_except("encoder", "compiled")
@pytest.mark.parametrize("name", RUNS)
def test_tests_answers_and_analyses_are_those_of_the_processor(
    name: str, tmp_path: Path, there: torch.device
) -> None:
    copied(name, tmp_path)
    run = lw.load(tmp_path / "run", device="cpu")
    expected = _found(run, *RUNS[name])
    run.model.to(there)
    assert all(isinstance(each, There) for each in run.model.parameters())
    assert _found(run, *RUNS[name]) == expected


def _trained(plan: Plan, device: torch.device | str) -> list[float]:
    run = train(plan, device=str(device))
    assert {isinstance(each, There) for each in run.model.parameters()} == {str(device) != "cpu"}
    told = [{k: v for k, v in one.items() if isinstance(v, int | float)} for one in run.metrics]
    return [value for one in told for name, value in one.items() if "second" not in name]


@pytest.mark.slow_except("scratchpad-window-codebook", "regular-gpt-binary-composition")
@pytest.mark.parametrize(("name", "supervision"), list(_cases()))
def test_training_is_that_of_the_processor(
    name: str, supervision: str, there: torch.device
) -> None:
    settings = {"supervision": supervision, "steps": 2, "validate_every": 1}
    plan = make_plan("parity", name, preset="smoke", settings=settings)
    assert _trained(plan, there) == pytest.approx(_trained(plan, "cpu"), rel=1e-6)


@pytest.mark.slow
def test_training_of_other_problems_is_that_of_the_processor(
    tmp_path: Path, there: torch.device
) -> None:
    for name in ("steps", "text", "pairs"):
        copied(name, tmp_path / name)
        plan = lw.load(tmp_path / name / "run", device="cpu").require_plan()
        small = {"steps": 2, "validate_every": 1}
        plan = replace(plan, training=replace(plan.training, **small))
        assert _trained(plan, there) == pytest.approx(_trained(plan, "cpu"), rel=1e-5)
