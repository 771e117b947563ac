"""The training loop: the same weights whatever happens on the way."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import ClaimError, ConfigError, LengthwiseWarning, RunError
from lengthwise.problems.planning import make_plan
from lengthwise.training.clock import Clock
from lengthwise.training.loop import Step, Validation, decays, find_kept_record, fit
from lengthwise.training.runs import RunFolder
from lengthwise.training.settings import TrainingConfig


class Regression:
    """Learn y = x W for a fixed W; noise is added from the noise generator."""

    def __init__(self, fail_at: int | None = None, poison_at: int | None = None) -> None:
        self.target = torch.randn(3, 2, generator=torch.Generator().manual_seed(9))
        self.steps = 0
        self.fail_at, self.poison_at = fail_at, poison_at

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        self.steps += 1
        if self.steps == self.fail_at:
            raise KeyboardInterrupt
        x = torch.randn(16, 3, generator=data)
        y = x @ self.target + 0.01 * torch.randn(16, 2, generator=noise)
        loss = ((model(x) - y) ** 2).mean()
        if self.steps == self.poison_at:
            loss = loss * float("nan")
        return Step(loss, 0.0, 16)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        x = torch.randn(64, 3, generator=data)
        loss = ((model(x) - x @ self.target) ** 2).mean().item()
        return Validation(loss, float(loss < 1e-3), loss < 1e-3)


def make_model() -> nn.Module:
    model = nn.Linear(3, 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return model


CONFIG = TrainingConfig(steps=60, learning_rate=0.05, validate_every=10, patience=50)


def weights(model: nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_one_seed_gives_one_result_bit_for_bit() -> None:
    first, second, other = make_model(), make_model(), make_model()
    fit(first, Regression(), CONFIG)
    fit(second, Regression(), CONFIG)
    fit(other, Regression(), TrainingConfig.from_dict({**CONFIG.to_dict(), "seed": 1}))
    assert torch.equal(weights(first), weights(second))
    assert not torch.equal(weights(first), weights(other))


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
@pytest.mark.parametrize("fail_at", [1, 10, 11, 37, 60])
def test_interrupted_run_ends_with_the_same_weights(
    tmp_path: Path, fail_at: int, optimiser: str
) -> None:
    config = TrainingConfig.from_dict({**CONFIG.to_dict(), "optimiser": optimiser})
    whole = make_model()
    fit(whole, Regression(), config)
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=fail_at), config, folder=folder)
    assert not folder.is_finished

    resumed = make_model()
    metrics = fit(resumed, Regression(), config, folder=folder)

    assert torch.equal(weights(whole), weights(resumed))
    assert [record["step"] for record in metrics] == [10, 20, 30, 40, 50, 60]
    assert folder.is_finished
    assert folder.checkpoint() is None


@pytest.mark.parametrize("damage", ["cut off", "empty", "gone"])
@pytest.mark.parametrize("fail_at", [21, 37])
def test_a_lost_checkpoint_costs_one_validation(tmp_path: Path, fail_at: int, damage: str) -> None:
    whole, resumed = make_model(), make_model()
    fit(whole, Regression(), CONFIG)
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=fail_at), CONFIG, folder=folder)
    last = folder.path / "checkpoint.safetensors"
    assert (folder.path / "previous.safetensors").exists()
    if damage == "gone":  # as when the process is killed between renaming and writing
        last.unlink()
        metrics = fit(resumed, Regression(), CONFIG, folder=folder)
    else:
        last.write_bytes(last.read_bytes()[:-9] if damage == "cut off" else b"")
        with pytest.warns(LengthwiseWarning, match="continues from the one before it"):
            metrics = fit(resumed, Regression(), CONFIG, folder=folder)

    assert torch.equal(weights(whole), weights(resumed))
    assert [record["step"] for record in metrics] == [10, 20, 30, 40, 50, 60]
    assert {path.name for path in folder.path.iterdir()} == {
        "config.json",
        "metrics.jsonl",
        "model.safetensors",
    }


def test_two_damaged_checkpoints_or_an_only_one_are_refused(tmp_path: Path) -> None:
    for fail_at in (15, 25):
        folder = RunFolder(tmp_path / str(fail_at))
        folder.claim({"a": 1})
        with pytest.raises(KeyboardInterrupt):
            fit(make_model(), Regression(fail_at=fail_at), CONFIG, folder=folder)
        for path in folder.path.glob("*.safetensors"):
            path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(RunError, match=r"safetensors cannot be read"):
            fit(make_model(), Regression(), CONFIG, folder=folder)


def test_a_run_killed_while_it_wrote_its_records_goes_on(tmp_path: Path) -> None:
    """A half of a new file has another name, and records may be ahead of the checkpoint."""
    whole, resumed = make_model(), make_model()
    fit(whole, Regression(), CONFIG)
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=37), CONFIG, folder=folder)
    records = folder.path / "metrics.jsonl"
    content = records.read_text(encoding="utf-8")
    records.write_text(
        content + content.splitlines()[-1].replace('"step": 30', '"step": 40') + "\n"
    )
    (folder.path / ".metrics.jsonl.7.tmp").write_text(content + '{"step": 4')

    metrics = fit(resumed, Regression(), CONFIG, folder=folder)

    assert torch.equal(weights(whole), weights(resumed))
    assert [record["step"] for record in metrics] == [10, 20, 30, 40, 50, 60]


def test_records_whose_last_line_is_cut_off_are_refused_by_its_number(tmp_path: Path) -> None:
    """Nothing of ours leaves such a file."""
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=37), CONFIG, folder=folder)
    records = folder.path / "metrics.jsonl"
    records.write_bytes(records.read_bytes()[:-9])
    with pytest.raises(RunError, match=r"metrics.jsonl, line 3 is not JSON .*train again"):
        fit(make_model(), Regression(), CONFIG, folder=folder)


def test_loss_that_is_not_finite_stops_and_keeps_the_checkpoint(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(ClaimError, match=r"loss is nan at step 25.*reached at step 20 is kept"):
        fit(make_model(), Regression(poison_at=25), CONFIG, folder=folder)
    checkpoint = folder.checkpoint()
    assert checkpoint is not None
    assert checkpoint["counters"][0].item() == 20
    assert all(tensor.isfinite().all() for name, tensor in checkpoint.items() if "model/" in name)
    assert not folder.is_finished


class Exploding(Regression):
    """The loss is finite, and its gradient is not."""

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        step = super().step(model, data, noise)
        if self.steps < 30:
            return step
        weight = next(model.parameters())
        return Step(step.loss + (weight - weight.detach()).abs().sqrt().sum(), 0.0, 16)


def test_gradient_that_is_not_finite_stops_before_it_reaches_a_checkpoint(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(ClaimError, match=r"norm of the gradient is nan at step 30.*at step 20"):
        fit(make_model(), Exploding(), CONFIG, folder=folder)
    checkpoint = folder.checkpoint()
    assert checkpoint is not None
    assert all(tensor.isfinite().all() for name, tensor in checkpoint.items() if "/" in name)
    resumed = make_model()
    fit(resumed, Regression(), CONFIG, folder=folder)
    whole = make_model()
    fit(whole, Regression(), CONFIG)
    assert torch.equal(weights(resumed), weights(whole))


def test_gradients_are_clipped() -> None:
    def after(clip: float) -> torch.Tensor:
        model = make_model()
        fit(model, Regression(), TrainingConfig.from_dict({**CONFIG.to_dict(), "clip": clip}))
        return weights(model)

    assert torch.equal(after(1e3), after(1e4))  # neither ever bites
    assert not torch.equal(after(1e3), after(0.1))


@pytest.mark.parametrize(("beta2", "decay"), [(0.5, 0.0), (0.95, 0.0), (0.999, 20.0)])
def test_squared_gradients_are_kept_and_weights_decay_as_told(beta2: float, decay: float) -> None:
    """Against AdamW as it is written (Loshchilov and Hutter 2019), step by step."""
    config = TrainingConfig(steps=3, validate_every=3, beta2=beta2, clip=1e9, weight_decay=decay)
    model, plain = make_model(), make_model()
    fit(model, Regression(), config)
    objective, (data, noise) = Regression(), (torch.Generator(), torch.Generator())
    data.manual_seed(config.seed + 1_000_003)
    noise.manual_seed(config.seed + 3_000_017)
    mean = square = torch.zeros_like(weights(plain))
    matrices = torch.cat([torch.full((p.numel(),), p.ndim == 2) for p in plain.parameters()])
    for step in range(1, 4):
        plain.zero_grad()
        objective.step(plain, data, noise).loss.backward()  # type: ignore[no-untyped-call]
        gradient = torch.cat([p.grad.flatten() for p in plain.parameters() if p.grad is not None])
        mean = 0.9 * mean + 0.1 * gradient
        square = beta2 * square + (1 - beta2) * gradient**2
        root = (square / (1 - beta2**step)).sqrt() + 1e-8
        shrunk = weights(plain) * (1 - config.learning_rate * decay * matrices.float())
        after = shrunk - config.learning_rate * mean / (1 - 0.9**step) / root
        torch.nn.utils.vector_to_parameters(after, plain.parameters())
    torch.testing.assert_close(weights(model), weights(plain))


def test_weights_decay_where_they_are_applied_alone() -> None:
    """Of a step decoder: not embeddings, positions, biases and norms, as in minGPT."""
    decoder = lw.train("steps:addition", bits=2, examples=4, validation_words=2, steps=1, warmup=0)
    decayed = {name for name, is_one in decays(decoder.model).items() if is_one}
    layer = "layers.0."
    assert decayed == {"answer.weight"} | {
        f"{layer}{name}.weight"
        for name in (
            *(f"attention.{part}" for part in ("query", "key", "value", "output")),
            "expand",
            "contract",
        )
    }
    gru = decays(lw.train("parity", model="gru", steps=1).model)
    assert {name for name, is_one in gru.items() if is_one} == {
        "cell.weight_ih_l0",
        "cell.weight_hh_l0",
        "answer.weight",
    }
    plan = make_plan("steps:addition", "gpt2", settings={"body": "python-small"})
    of_body = {name for name, is_one in decays(plan.build()).items() if is_one}
    first = {name.partition(".h.0.")[2] for name in of_body if ".h.0." in name}
    parts = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
    assert first == {f"{part}.weight" for part in parts}
    assert not any("wte" in name or "wpe" in name for name in of_body)


@pytest.mark.parametrize("fail_at", [1, 42, 63, 179])
def test_batches_are_added_up_before_a_step_and_after_an_interruption(
    tmp_path: Path, fail_at: int
) -> None:
    config = TrainingConfig.from_dict({**CONFIG.to_dict(), "accumulate": 3})
    whole, objective = make_model(), Regression()
    expected = fit(whole, objective, config)
    assert objective.steps == 3 * 60
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=fail_at), config, folder=folder)
    resumed = make_model()
    metrics = fit(resumed, Regression(), config, folder=folder)
    assert torch.equal(weights(whole), weights(resumed))
    assert [record["loss"] for record in metrics] == [record["loss"] for record in expected]
    with pytest.raises(ClaimError, match="loss is nan at step 25"):
        fit(make_model(), Regression(poison_at=74), config)


def test_a_step_counts_the_words_of_all_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "rate", lambda clock, words: words)
    config = TrainingConfig(steps=2, accumulate=3, validate_every=1)
    assert [r["words_per_second"] for r in fit(make_model(), Regression(), config)] == [48, 48]


def test_settings_as_they_were_are_stored_as_they_were() -> None:
    assert TrainingConfig().non_defaults() == {}
    assert TrainingConfig(accumulate=2).non_defaults() == {"accumulate": 2}


def test_training_ends_after_enough_perfect_validations_in_a_row() -> None:
    config = TrainingConfig(steps=5000, learning_rate=0.05, validate_every=10, patience=3)
    metrics = fit(make_model(), Regression(), config)
    assert metrics[-1]["step"] < 5000
    assert [record["perfect"] for record in metrics[-3:]] == [True] * 3
    assert not metrics[-4]["perfect"]


def test_the_weights_of_the_best_validation_are_kept() -> None:
    class Worsening(Regression):
        def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
            self.seen = getattr(self, "seen", [])
            self.seen.append(weights(model).clone())
            return Validation(float(len(self.seen)), 0.5, False)

    objective = Worsening()
    model = make_model()
    metrics = fit(model, objective, CONFIG)
    assert find_kept_record(metrics)["step"] == 10
    assert find_kept_record([*metrics, {**metrics[0], "step": 70}])["step"] == 70
    assert torch.equal(weights(model), objective.seen[0])
    assert not torch.equal(weights(model), objective.seen[-1])


def test_cosine_schedule_falls_to_nothing() -> None:
    config = TrainingConfig(steps=40, learning_rate=0.05, schedule="cosine", patience=50)
    rates: list[float] = []

    class Watched(Regression):
        def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
            rates.append(weights(model).abs().sum().item())
            return super().step(model, data, noise)

    fit(make_model(), Watched(), config)
    moves = [abs(b - a) for a, b in pairwise(rates)]
    assert max(moves[-3:]) < 0.02 * max(moves[:3])


def test_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(), Regression(fail_at=15), CONFIG, folder=folder)
    with pytest.raises(RunError, match="checkpoint does not fit the model"):
        fit(nn.Linear(4, 2), Regression(), CONFIG, folder=folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps=0 is too small"),
        ({"accumulate": 0}, "accumulate=0 is too small"),
        ({"learning_rate": -1.0}, "learning_rate=-1.0 is too small. Use a number above 0"),
        ({"beta2": 1.0}, "beta2=1.0 is too large. Use a number below 1"),
        ({"beta2": -0.1}, "beta2=-0.1 is too small"),
        ({"weight_decay": -0.1}, "weight_decay=-0.1 is too small"),
        ({"weight_decay": 2e3}, "weight_decay=2000.0 times learning_rate=0.0005 is not a share"),
        ({"weight_decay": math.inf}, "weight_decay=inf"),
        ({"weight_decay": math.nan}, "weight_decay=nan"),
        ({"schedule": "linear"}, "one of 'constant', 'cosine'"),
        ({"seed": -1}, "seed=-1 is too small"),
        ({"step": 5}, "Did you mean 'steps'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainingConfig.from_dict(values)
