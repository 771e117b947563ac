"""The path of an accelerator, without one.

Training steps are taken on torch's `meta` device, whose tensors hold no numbers: to look at one,
for which an accelerator would be waited for, raises. What has to look is listed with the reason.

Whatever moves tensors is run on a device that holds numbers (`second_device.py`), where tensors of
two devices do not mix, and has to give those of the processor.
"""

import os
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import lengthwise as lw
from drawn_layers import marks_of
from lengthwise import device_copies, precision
from lengthwise.analysis.analyses import ANALYSES, analysis_of
from lengthwise.errors import ConfigError
from lengthwise.models.recognisers import MODELS
from lengthwise.models.regular_gpt import RegularGPT
from lengthwise.objectives import learning
from lengthwise.objectives.catalogue import objectives_of
from lengthwise.problems.base import Plan, Run, evaluate_and_store
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.training import loop
from lengthwise.training.clock import Clock
from lengthwise.training.distributed import ALONE
from second_device import There, second_device
from stored_runs import copy

LOOKS = {
    "regular-gpt-binary codebook": "wrong chunks are found in the table before the first step",
    "regular-gpt-rational codebook": "as in that of regular-gpt-binary",
    "scratchpad-window codebook": "a batch without a labelled state has another loss",
    "composition": "sub-words are drawn by the codes that the network has for their parts",
    "scratchpad-window states": "a batch without a labelled state has another loss",
    "consensus": "once in 500 batches vectors are gathered to clusters, until these stay",
}
"""What looks at numbers of the device in a step, by supervision, model and supervision, or loss."""


def _cases() -> Iterator[tuple[str, str]]:
    for name, entry in MODELS.items():
        for supervision in objectives_of(entry):
            if name != "regular-gpt" or supervision not in ("composition", "codebook"):
                yield name, supervision


def _is_known(name: str, supervision: str) -> bool:
    return supervision in LOOKS or f"{name} {supervision}" in LOOKS


class Waits(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes where a copy from the processor waits until the device is done."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.places: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        found = func(*args, **(kwargs or {}))
        if func is torch.ops.aten._to_copy.default and not (kwargs or {}).get("non_blocking"):
            (source,) = args
            if source.device.type == "cpu" and found.device.type != "cpu":
                stack = traceback.extract_stack()
                place = [one for one in stack if "/lengthwise/" in one.filename][-1]
                self.places.append(f"{place.filename}:{place.lineno}")
        return found


class Makes(TorchFunctionMode):
    """Notes where numbers of Python become a tensor of the device, which waits as copies do."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[str] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        found = func(*args, **(kwargs or {}))
        is_made = func in {torch.tensor, torch.as_tensor} and not isinstance(args[0], Tensor)
        if is_made and found.device.type == "meta":
            self.places.append(f"{func.__name__}: {str(args[0])[:40]}")
        return found


def _step(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> nn.Module:
    """Take a step on the device, but for the numbers that the loop reads at its end."""
    model = plan.build().to("meta")
    objective = plan.problem.objective(plan)
    read: list[Sequence[Tensor]] = []

    def note(found: Sequence[Tensor]) -> list[float]:
        read.append(found)
        return [0.0] * len(found)

    monkeypatch.setattr(loop, "_read", note)
    monkeypatch.setattr(device_copies, "STAGED", {"meta"})
    monkeypatch.setattr(torch, "Generator", lambda device="cpu": _generator())
    state = loop.begin(model, objective, plan.training, None)
    with Waits() as waits, Makes() as makes:
        loop._train_step(state, objective, plan.training, Clock(), ALONE)
    assert waits.places == makes.places == []
    (numbers,) = read
    assert {each.device.type for each in numbers} == {"meta"}
    return model


def _generator(real: Any = torch.Generator) -> torch.Generator:
    return real()


@pytest.mark.slow_for(
    "chomsky-transformer-final",
    "decoder-final",
    "elman-binary-prefix",
    "elman-relu-final",
    "elman-relu-prefix",
    "gru-binary-codebook",
    "gru-binary-final",
    "gru-binary-prefix",
    "gru-final",
    "gru-prefix",
    "lstm-final",
    "lstm-prefix",
    "regular-gpt-binary-final",
    "regular-gpt-binary-node",
    "regular-gpt-binary-prefix",
    "regular-gpt-binary-transition",
    "regular-gpt-final",
    "regular-gpt-node",
    "regular-gpt-transition",
    "relu-binary-codebook",
    "relu-binary-final",
    "relu-binary-prefix",
)
@pytest.mark.parametrize(
    ("name", "supervision"),
    [pytest.param(*case, marks=marks_of(case[0])) for case in _cases()],
)
def test_a_step_waits_for_the_device_once(
    name: str, supervision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan("parity", name, preset="smoke", settings={"objective": supervision})
    if _is_known(name, supervision):
        with pytest.raises((RuntimeError, NotImplementedError), match="meta tensor"):
            _step(plan, monkeypatch)
        return
    model = _step(plan, monkeypatch)
    assert {each.device.type for each in model.parameters()} == {"meta"}
    assert any(each.grad is not None for each in model.parameters())


@pytest.mark.parametrize("position", ["none", "learned", "sinusoidal", "t5", "alibi", "rope"])
def test_no_position_waits_for_the_device(position: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"position": position, "objective": "prefix"}
    _step(make_plan("parity", "decoder", preset="smoke", settings=settings), monkeypatch)


@pytest.mark.parametrize("loss", ["identity", "associativity", "closure", "consensus"])
def test_losses_without_labels_wait_for_the_device_once(
    loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "_GATHERED", 1)  # so that the first step makes the table
    plan = make_plan("parity", "regular-gpt", preset="smoke", settings={loss: 1.0})
    if loss in LOOKS:
        with pytest.raises((RuntimeError, NotImplementedError), match=r"meta (tensor|function)"):
            _step(plan, monkeypatch)
        return
    _step(plan, monkeypatch)


@pytest.mark.parametrize("model", ["regular-gpt-lm", "gpt-lm"])
def test_language_models_wait_for_the_device_once(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.txt").write_text("some words of a text, and some more of them. " * 200)
    lw.text.prepare(tmp_path / "text", tmp_path / "text.txt", vocab_size=257)
    _step(make_plan(f"text:{tmp_path / 'text'}", model, preset="smoke"), monkeypatch)


def test_translators_wait_for_the_device_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part, first in (("train", 0), ("valid", 300), ("test", 400)):
        lines = [f"{n}\t{bin(n)[2:]}" for n in range(first, first + 100)]
        (tmp_path / f"{part}.tsv").write_text("\n".join(["ten\ttwo", *lines]) + "\n")
    train_on, valid, test = (tmp_path / f"{part}.tsv" for part in ("train", "valid", "test"))
    corpus = tmp_path / "pairs"
    lw.text.prepare_pairs(
        corpus, train_on, languages=("ten", "two"), valid=valid, test=test, vocab_size=259
    )
    _step(make_plan(f"translation:{corpus}", preset="smoke"), monkeypatch)


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


def _find(run: Run, options: Mapping[str, Any], inputs: list[str]) -> list[Any]:
    tested = evaluate_and_store(run, options, stored=False).values
    is_trained_tree = isinstance(run.model, RegularGPT) and isinstance(run.plan, Plan)
    analysed = [
        analysis_of(name, run.model, run.task, lengths=[9], words_per_length=4)
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
    copy(name, tmp_path)
    run = load_run(tmp_path / "run", device="cpu")
    expected = _find(run, *RUNS[name])
    run.model.to(there)
    assert all(isinstance(each, There) for each in run.model.parameters())
    assert _find(run, *RUNS[name]) == expected


def _train(plan: Plan, device: torch.device | str) -> list[float]:
    run = train(plan, device=str(device))
    assert {isinstance(each, There) for each in run.model.parameters()} == {str(device) != "cpu"}
    told = [{k: v for k, v in one.items() if isinstance(v, int | float)} for one in run.metrics]
    return [value for one in told for name, value in one.items() if "second" not in name]


@pytest.mark.slow_except("scratchpad-window-codebook", "regular-gpt-binary-composition")
@pytest.mark.parametrize(
    ("name", "supervision"),
    [pytest.param(*case, marks=marks_of(case[0])) for case in _cases()],
)
def test_training_is_that_of_the_processor(
    name: str, supervision: str, there: torch.device
) -> None:
    settings = {"objective": supervision, "steps": 2, "validate_every": 1, "d_model": 16}
    plan = make_plan("parity", name, preset="smoke", settings=settings)
    assert _train(plan, there) == pytest.approx(_train(plan, "cpu"), rel=1e-6)


@pytest.mark.slow
def test_training_of_other_problems_is_that_of_the_processor(
    tmp_path: Path, there: torch.device
) -> None:
    """Dropout is off, since a device draws other masks."""
    for name in ("steps", "text", "pairs"):
        copy(name, tmp_path / name)
        plan = load_run(tmp_path / name / "run", device="cpu").require_plan()
        small = {"steps": 2, "validate_every": 1}
        plan = replace(plan, training=replace(plan.training, **small))
        if getattr(plan.network, "dropout", 0.0):
            plan = replace(plan, network=replace(plan.network, dropout=0.0))
        assert _train(plan, there) == pytest.approx(_train(plan, "cpu"), rel=1e-5)


def _small(**settings: Any) -> Plan:
    own = {"objective": "final", "steps": 2, "validate_every": 1, **settings}
    return make_plan("parity", "elman", preset="smoke", settings=own)


@pytest.mark.parametrize("asked", [False, True])
def test_only_a_device_is_asked_for_a_fixed_order(
    asked: bool, there: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    step = loop._train_step

    def watch(*arguments: Any) -> dict[str, Any]:
        seen.append(torch.are_deterministic_algorithms_enabled())
        return step(*arguments)

    monkeypatch.setattr(loop, "_train_step", watch)
    _train(_small(deterministic=asked), there)
    assert seen == [asked, asked]
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"]  # before the first product
    _train(_small(deterministic=asked), "cpu")
    assert seen == [asked, asked, False, False]
    _train(_small(deterministic=asked, threads=2), "cpu")
    assert seen == [asked, asked, False, False, True, True]
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(
    ("told", "cure"),
    [
        ("put_cuda_ does not have a deterministic implementation, but you\nset", "Leave it out"),
        ("Deterministic behavior was enabled ... CUBLAS_WORKSPACE_CONFIG=:4096:8", "Set CUBLAS_"),
    ],
)
def test_what_has_no_fixed_order_is_told_in_a_line(
    told: str, cure: str, there: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: Any) -> dict[str, Any]:
        raise RuntimeError(told)

    monkeypatch.setattr(loop, "_train_step", failing)
    with pytest.raises(ConfigError, match=rf"^deterministic=true cannot .* on meta .*\. {cure}"):
        train(_small(deterministic=True), device=str(there))
    with pytest.raises(ConfigError, match=r"^threads=2 cannot be kept on cpu "):
        train(_small(threads=2), device="cpu")
    with pytest.raises(RuntimeError, match=re.escape(told)):
        train(_small(), device=str(there))
    assert not torch.are_deterministic_algorithms_enabled()


def test_an_error_of_another_kind_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any) -> dict[str, Any]:
        raise NotImplementedError

    monkeypatch.setattr(loop, "_train_step", failing)
    with pytest.raises(NotImplementedError):
        train(_small(threads=2), device="cpu")


def test_several_threads_repeat_bit_for_bit() -> None:
    """The gradient of `x[index]` is added up by many threads at once otherwise, in any order."""
    settings = {"objective": "final", "position": "learned", "threads": 2, "batch_size": 256}
    settings |= {"d_model": 64, "steps": 3, "validate_every": 3}
    plan = make_plan("parity", "encoder-cls", preset="smoke", settings=settings)
    first, second = (train(plan, device="cpu").model.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(("device", "waits"), [("cuda", False), ("mps", True), ("cpu", True)])
def test_only_a_copy_to_a_device_that_takes_it_over_does_not_wait(
    device: str, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    tensor = torch.zeros(1)

    def note(own: Tensor, *_: object, non_blocking: bool) -> Tensor:
        asked.append(not non_blocking)
        return own

    monkeypatch.setattr(Tensor, "to", note)
    device_copies.send(tensor, torch.device(device))
    device_copies.send(There(tensor), torch.device(device))
    assert asked == [waits, True]
