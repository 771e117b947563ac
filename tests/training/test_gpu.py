"""On an accelerator: does it give what the processor gives? Skipped without one.

`pytest -m gpu --accelerator cpu` tries these tests themselves where there is none.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.layers.dilated import KERNELS
from lengthwise.layers.fused_attention import fused_attention
from lengthwise.models.recognisers import MODELS
from lengthwise.objectives.catalogue import objectives_of
from lengthwise.precision import why_unavailable
from lengthwise.problems.base import Plan, Run
from lengthwise.problems.planning import make_plan
from lengthwise.problems.runs import load_run, train
from lengthwise.text.layers.token_loss import token_loss
from lengthwise.training import loop
from lengthwise.training.devices import environment
from lengthwise.training.state import State
from stored_runs import copy

pytestmark = pytest.mark.gpu


@pytest.fixture
def gpu(request: pytest.FixtureRequest) -> torch.device:
    """The accelerator."""
    if asked := request.config.getoption("--accelerator"):
        return torch.device(asked)
    found = torch.accelerator.current_accelerator()
    if found is None or not torch.accelerator.is_available():
        pytest.skip("there is no accelerator")
    return found


def _draw(*shapes: Sequence[int]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in shapes]


def _with_gradients(found: Tensor, inputs: Sequence[Tensor]) -> list[Tensor]:
    slope = torch.arange(found.numel(), device=found.device).view_as(found).cos().to(found.dtype)
    return [found, *torch.autograd.grad((slope * found).sum(), list(inputs))]


def _near(device: torch.device, function: Any, inputs: Sequence[Tensor]) -> None:
    """Compare a function and its gradients in single precision there, and in double here."""
    here = [each.clone().requires_grad_() for each in inputs]
    there = [each.float().to(device).requires_grad_() for each in inputs]
    expected = _with_gradients(function(*here), here)
    for one, other in zip(_with_gradients(function(*there), there), expected, strict=True):
        assert one.device.type == device.type
        torch.testing.assert_close(one.cpu().double(), other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("form", KERNELS)
@pytest.mark.parametrize("stride", [1, 3])
def test_forms_of_attention_are_the_formula_there(
    form: str, stride: int, gpu: torch.device
) -> None:
    def attention(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
        return KERNELS[form](query, key, value, bias, stride)

    _near(gpu, attention, _draw(*[(2, 3, 20, 8)] * 3, (3, 4)))


def test_fused_attention_is_that_of_double_precision(gpu: torch.device) -> None:
    _near(gpu, fused_attention, _draw((2, 3, 7, 8), (2, 3, 9, 8), (2, 3, 9, 8), (3, 7, 9)))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_of_tokens_is_that_of_double_precision(
    smoothing: float, gpu: torch.device
) -> None:
    targets = torch.arange(40) % 11

    def loss(vectors: Tensor, matrix: Tensor) -> Tensor:
        asked = targets.to(vectors.device)
        return token_loss(vectors, matrix, asked, smoothing=smoothing).loss

    _near(gpu, loss, _draw((40, 16), (11, 16)))


def _cases() -> list[tuple[str, str]]:
    return [
        (name, each)
        for name, entry in MODELS.items()
        for each in objectives_of(entry)
        if name != "regular-gpt" or each not in {"composition", "codebook"}  # binary memory only
    ]


def _losses(plan: Plan, device: torch.device | str) -> list[float]:
    run = train(plan, device=str(device))
    assert {each.device.type for each in run.model.parameters()} == {torch.device(device).type}
    return [one["loss"] for one in run.metrics]


@pytest.mark.parametrize(("name", "supervision"), _cases())
def test_the_first_loss_is_that_of_the_processor(
    name: str, supervision: str, gpu: torch.device
) -> None:
    """Noise is drawn on the device, so losses of networks with noise are others there."""
    settings = {"objective": supervision, "steps": 2, "validate_every": 1}
    plan = make_plan("parity", name, preset="smoke", settings=settings)
    there = _losses(plan, gpu)
    assert all(map(math.isfinite, there))
    if not getattr(plan.network, "noise", 0.0):
        assert there[0] == pytest.approx(_losses(plan, "cpu")[0], rel=1e-3)


@pytest.mark.parametrize("name", ["steps", "text", "pairs"])
def test_other_problems_are_trained(name: str, tmp_path: Path, gpu: torch.device) -> None:
    copy(name, tmp_path)
    plan = load_run(tmp_path / "run", device="cpu").require_plan()
    plan = replace(plan, training=replace(plan.training, steps=2, validate_every=1))
    there, here = _losses(plan, gpu), _losses(plan, "cpu")
    assert there[0] == pytest.approx(here[0], rel=1e-1 if name == "pairs" else 1e-3)


@pytest.mark.parametrize("name", ["text", "pairs"])
def test_products_in_half_precision_change_the_loss_a_little(
    name: str, tmp_path: Path, gpu: torch.device
) -> None:
    if why := why_unavailable("bfloat16", gpu):
        pytest.skip(why)
    copy(name, tmp_path)
    plan = load_run(tmp_path / "run", device="cpu").require_plan()
    single = replace(plan.training, steps=2, validate_every=1)
    first, second = (
        _losses(replace(plan, training=each), gpu)[0]
        for each in (single, replace(single, autocast="bfloat16"))
    )
    assert first != second
    assert first == pytest.approx(second, rel=2e-2)


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
@pytest.mark.parametrize("name", ["regular-gpt", "elman", "decoder"])
def test_in_a_fixed_order_a_seed_gives_the_same_weights(
    name: str, optimiser: str, gpu: torch.device
) -> None:
    settings = {"steps": 6, "validate_every": 3, "deterministic": True, "optimiser": optimiser}
    plan = make_plan("parity", name, preset="smoke", settings=settings)
    first, second = (train(plan, device=str(gpu)).model.state_dict() for _ in range(2))
    assert all(torch.equal(first[each], second[each]) for each in first)


@pytest.mark.parametrize("fused_before", [True, False])
@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_a_run_goes_on_from_its_checkpoint(
    optimiser: str,
    fused_before: bool,
    tmp_path: Path,
    gpu: torch.device,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also from one of a version that did not fuse the optimiser's operations there."""
    settings = {"steps": 6, "validate_every": 2, "deterministic": True, "optimiser": optimiser}
    plan = make_plan("parity", "decoder", preset="smoke", settings=settings)
    whole = _validate(train(plan, device=str(gpu)))
    step, taken = loop._train_step, 0

    def stop(state: State, *others: Any) -> dict[str, Any]:
        if state.step == 5:
            raise KeyboardInterrupt
        return step(state, *others)

    def count(*arguments: Any) -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return step(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "_train_step", stop)
        patch.setattr(loop, "FUSED", loop.FUSED if fused_before else frozenset())
        with pytest.raises(KeyboardInterrupt):
            train(plan, out=tmp_path / "run", device=str(gpu))
    monkeypatch.setattr(loop, "_train_step", count)
    resumed = _validate(train(plan, out=tmp_path / "run", device=str(gpu)))
    assert taken == 2
    assert resumed == whole if fused_before else resumed == pytest.approx(whole, rel=1e-4)


def _validate(run: Run) -> list[float]:
    """Return the losses of a run, which tell of all weights on the way."""
    return [one[name] for one in run.metrics for name in ("loss", "validation_loss")]


@pytest.mark.parametrize("name", ["encoder", "continuous", "binary-proved", "compiled"])
def test_answers_are_those_of_the_processor(name: str, tmp_path: Path, gpu: torch.device) -> None:
    copy(name, tmp_path)
    run = lw.load(tmp_path / "run", device="cpu")
    words = ["0110", "", "1" * 41, "01" * 50]
    here = lw.predict(run, words)
    run.model.to(gpu)
    assert lw.predict(run, words) == here


def test_a_network_on_the_device_is_proved(
    tmp_path: Path, gpu: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy("binary-proved", tmp_path)
    run = lw.load(tmp_path / "run", device=str(gpu))
    assert _device_of(run.model) == gpu.type
    assert lw.certify(run).verdict == "equivalent"
    if gpu.type == "cuda":
        monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", True)
        with pytest.raises(VerificationError, match="fewer bits"):
            lw.certify(run)


def test_a_result_names_the_accelerator(gpu: torch.device) -> None:
    found = environment(str(gpu))
    assert found["device"] == str(gpu)
    assert ("accelerator" in found) == (gpu.type != "cpu")
    assert gpu.type != "cuda" or torch.cuda.get_device_name() == found["accelerator"]


def _device_of(model: nn.Module) -> str:
    return next(model.parameters()).device.type
