"""Training on step tasks: what is told, on which inputs, and that runs come back."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lengthwise.errors import ConfigError, LengthwiseError, RunError, TaskError
from lengthwise.evaluation.steps import exact_matches
from lengthwise.models.decoder import Decoder
from lengthwise.problems.base import Plan
from lengthwise.problems.planning import make_plan, plan_from_dict
from lengthwise.problems.runs import load_run, train
from lengthwise.problems.step_by_step.objective import ExamplesConfig, NextStep, split
from lengthwise.problems.step_by_step.problem import StepByStep, select_test_inputs
from lengthwise.sweeps.job import Job, jobs_over_seeds
from lengthwise.sweeps.run import run_job
from lengthwise.tasks.step_specs import make_step_task
from lengthwise.tasks.step_tasks import StepTask
from lengthwise.training.loop import share_of_rate
from lengthwise.training.settings import TrainingConfig

SMALL: dict[str, Any] = {
    "bits": 3,
    "examples": 40,
    "validation_words": 8,
    "d_model": 16,
    "steps": 12,
    "warmup": 2,
    "validate_every": 6,
    "batch_size": 16,
}


def small_plan(**settings: Any) -> Plan:
    return make_plan("steps:addition", settings={**SMALL, **settings})


def steps_of(plan: Plan) -> StepTask:
    assert isinstance(plan.problem, StepByStep)
    return plan.problem.steps


# ---- inputs of training, validation and test ---------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "examples", "expected"),
    [(3, 40, (40, 8, 16)), (3, 62, (62, 1, 1)), (3, 55, (55, 4, 5)), (8, 1000, (1000, 8, 10_000))],
)
def test_no_input_is_in_two_parts_and_small_tasks_are_shared(
    bits: int, examples: int, expected: tuple[int, ...]
) -> None:
    task = make_step_task("steps:addition", {"bits": bits})
    parts = split(task, ExamplesConfig(examples=examples, validation_words=8))
    assert tuple(map(len, parts)) == expected
    words = torch.cat([*parts]).tolist()
    assert len(set(map(tuple, words))) == sum(expected)


def test_test_inputs_are_the_same_whatever_is_trained_on() -> None:
    task = make_step_task("steps:addition", {"bits": 16})
    one = split(task, ExamplesConfig(examples=1_000))
    other = split(task, ExamplesConfig(examples=10_000))
    assert torch.equal(one.test, other.test)
    assert torch.equal(one.train, other.train[:1_000])
    assert not torch.equal(one.test, split(task, ExamplesConfig(data_seed=1)).test)


def test_more_examples_than_there_are_is_refused() -> None:
    with pytest.raises(
        TaskError, match=r"has 1,024 different inputs, so examples=1,024 .* at most 1,022"
    ):
        make_plan("steps:addition", settings={"bits": 5, "examples": 1024})
    assert make_plan("steps:addition", settings={"bits": 5, "examples": 1022})
    with pytest.raises(TaskError, match="has 2 inputs, too few to train, validate and test on"):
        make_plan("steps:parity", settings={"length": 1, "examples": 1})


# ---- what is told ------------------------------------------------------------------------------


@pytest.mark.parametrize("supervision", ["weak", "medium", "strong"])
def test_the_loss_is_that_of_the_places_that_are_told(supervision: Any) -> None:
    plan = small_plan(supervision=supervision)
    task, model = steps_of(plan), plan.draw().double().eval()
    data = torch.Generator().manual_seed(5)
    found = NextStep(task, plan.data, supervision).step(model, data, torch.Generator())

    data.manual_seed(5)
    train_inputs = split(task, plan.data).train
    chosen = torch.randint(len(train_inputs), (plan.data.batch_size,), generator=data)
    layout, losses = task.layout(supervision), []
    whole = 0
    for word in task.sequences(train_inputs[chosen], layout):
        logits = model(word[None, :-1])[0]
        right = True
        for place in layout.supervised:
            position = task.num_inputs + place
            losses.append(F.cross_entropy(logits[position - 1], word[position]).item())
            right &= bool(logits[position - 1].argmax() == word[position])
        whole += right
    assert found.loss.item() == pytest.approx(sum(losses) / len(losses), rel=1e-12)
    assert found.accuracy == whole / len(chosen)


@pytest.mark.needs_precision("bfloat16")
def test_in_half_precision_the_loss_is_about_the_same(tmp_path: Path) -> None:
    losses: list[float] = []
    gradients: list[Tensor] = []
    for kind in ("none", "bfloat16"):
        plan = small_plan(autocast=kind)
        model = plan.draw()
        step = plan.problem.objective(plan).step(
            model, torch.Generator().manual_seed(5), torch.Generator()
        )
        assert step.loss.dtype == torch.float32
        step.loss.backward()  # type: ignore[no-untyped-call]
        losses.append(step.loss.item())
        gradients.append(
            torch.cat([g.flatten() for each in model.parameters() if (g := each.grad) is not None])
        )
    assert losses[0] == pytest.approx(losses[1], rel=1e-2)
    assert losses[0] != losses[1]
    assert F.cosine_similarity(gradients[0], gradients[1], dim=0) > 0.99

    run = train(small_plan(autocast="bfloat16"), out=tmp_path / "run", device="cpu")
    assert all(each.dtype == torch.float32 for each in run.model.parameters())
    assert load_run(tmp_path / "run", device="cpu").plan == run.plan


def test_a_plan_that_was_stored_before_it_had_autocast_is_the_same() -> None:
    stored = small_plan().to_dict()
    assert stored["training"].pop("autocast") == "none"
    assert plan_from_dict(stored) == small_plan()
    digests = [
        Job(plan=plan, tests=select_test_inputs(plan)).digest
        for plan in (plan_from_dict(stored), small_plan(), small_plan(autocast="bfloat16"))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_validation_decodes_from_the_inputs_alone() -> None:
    plan = small_plan()
    task, model = steps_of(plan), plan.draw().eval()
    objective = NextStep(task, plan.data, "strong")
    assert isinstance(model, Decoder)
    inputs = split(task, plan.data).validation
    layout = task.layout("strong")
    right = task.sequences(inputs, layout)
    written = model.complete(inputs, len(layout.kept))
    outputs = [task.num_inputs + place for place in layout.outputs]
    exact = (written == right)[:, outputs].all(dim=1).double().mean().item()
    found = objective.validate(model, torch.Generator())
    assert found.accuracy == exact
    logits = model(right[:, :-1])[:, task.num_inputs - 1 :]
    expected = F.cross_entropy(logits.flatten(0, 1), right[:, task.num_inputs :].flatten())
    assert found.loss == pytest.approx(expected.item(), rel=1e-5)
    assert found.perfect == (exact == 1.0)


# ---- runs --------------------------------------------------------------------------------------


def test_a_run_is_stored_loaded_and_the_same_again(tmp_path: Path) -> None:
    plan = small_plan()
    run = train(plan, out=tmp_path / "run", device="cpu")
    again = load_run(tmp_path / "run", device="cpu")
    alone = train(plan, device="cpu")
    assert again.plan == plan == plan_from_dict(plan.to_dict())
    assert (plan.network.vocab_size, plan.network.max_length) == (2, 6 + 16 - 1)
    for name, weight in alone.model.state_dict().items():
        assert torch.equal(again.model.state_dict()[name], weight)
        assert torch.equal(run.model.state_dict()[name], weight)
    with pytest.raises(RunError, match="classifies no words of a formal language"):
        _ = run.task
    with pytest.raises(RunError):
        train(small_plan(supervision="weak"), out=tmp_path / "run", device="cpu")


def test_a_damaged_plan_is_told() -> None:
    values = small_plan().to_dict()
    for key in ("problem", "data", "objective", "network"):
        with pytest.raises(LengthwiseError, match=r"damaged|needs a value"):
            plan_from_dict({**values, key: {}} if key == "network" else _without(values, key))


def _without(values: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"supervision": "firm"}, "one of 'weak', 'medium', 'strong'"),
        ({"stepz": 3}, "unknown setting 'stepz'"),
        ({"max_length": 3}, "unknown setting 'max_length'"),
        ({"examples": 0}, "examples=0 is too small"),
        ({"examples": 2**31, "bits": 16}, "symbols, and 1,073,741,824 is the most"),
        ({"warmup": 12}, "leaves no step"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        small_plan(**settings)


def test_a_job_on_steps_is_trained_tested_and_resent(tmp_path: Path) -> None:
    plan = small_plan()
    jobs = jobs_over_seeds(plan, (0, 1), select_test_inputs(plan))
    assert len({job.digest for job in jobs}) == 2
    assert Job.from_dict(jobs[0].to_dict()) == jobs[0]
    outcome = run_job(jobs[0], tmp_path, device="cpu")
    (test,) = outcome.tests
    assert test.by_length[0].words == 16
    assert test.by_length[0].correct == round(16 * test.summary["mean_accuracy"])
    assert test.summary["protocol"] == "unseen"
    assert 0 < test.summary["interval_95"][1] <= 1
    assert set(test.summary["right_at"]) == set(steps_of(plan).names)
    assert run_job(jobs[0], tmp_path, device="cpu") == outcome


def test_the_rate_rises_in_a_line_and_falls_along_half_a_cosine() -> None:
    config = TrainingConfig(steps=12, warmup=4, schedule="cosine")
    shares = [share_of_rate(config, step) for step in range(12)]
    assert shares[:4] == [0.25, 0.5, 0.75, 1.0]
    assert shares[4:] == pytest.approx([0.5 * (1 + math.cos(math.pi * i / 8)) for i in range(8)])
    constant = TrainingConfig(steps=12, warmup=2)
    assert [share_of_rate(constant, step) for step in range(4)] == [0.5, 1.0, 1.0, 1.0]


@pytest.mark.slow
def test_strong_supervision_teaches_addition_of_8_bit_numbers() -> None:
    plan = make_plan("steps:addition")
    run = train(plan, device="cpu")
    task = steps_of(plan)
    inputs = split(task, plan.data).test
    assert len(inputs) == 10_000
    found = exact_matches(run.model, task, task.layout("strong"), inputs)
    assert found.exact >= 9_999
