"""A curriculum over lengths: what it draws, when words grow, and that a run can be continued."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from lengthwise.languages.spec import parse
from lengthwise.objectives.curriculum import GROWS_AT, Curriculum
from lengthwise.objectives.fresh_words import FreshWords
from lengthwise.problems.planning import make_plan
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.tasks.task import Batch, Task
from lengthwise.training.loop import Objective, Step, Validation, fit
from lengthwise.training.runs import RunFolder

SMALL = {
    "objective": "final",
    "d_model": 16,
    "num_bits": 6,
    "max_length": 9,
    "batch_size": 16,
    "validation_words": 64,
    "validate_every": 5,
    "steps": 60,
    "learning_rate": 1e-2,
}


GROWING = {
    **SMALL,
    "d_model": 32,
    "num_bits": 8,
    "batch_size": 64,
    "patience": 0,
    "steps": 120,
}


class Scripted:
    """Words of given lengths, all of class 0, of which a given share is labelled 1."""

    def __init__(self, lengths: list[int], wrong: list[int]) -> None:
        self.lengths = torch.tensor(lengths)
        self.wrong = wrong
        self.asked: list[int] = []

    def step(self, longest: int, generator: torch.Generator) -> Batch:
        self.asked.append(longest)
        return self._words(0, 4)

    def validation(self, longest: int, generator: torch.Generator) -> Batch:
        return self._words(self.wrong.pop(0), 100)

    review = validation

    def _words(self, wrong: int, count: int) -> Batch:
        return Batch(
            tokens=torch.zeros(count, 1, dtype=torch.int64),
            lengths=torch.ones(count, dtype=torch.int64),
            classes=(torch.arange(count) < wrong).long(),
        )


class Zero(nn.Module):
    """A model that always answers class 0."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.tensor([1.0, -1.0]))

    def forward(
        self, tokens: Tensor, lengths: Tensor, *, generator: torch.Generator | None = None
    ) -> Tensor:
        return self.bias.expand(len(tokens), 2)


def plainly(lengths: list[int], first: int, wrong: list[int]) -> list[int]:
    """The present length at each validation: a second definition, on integers."""
    now = max([n for n in lengths if n <= first] or lengths[:1])
    found = []
    for amiss in wrong:
        found.append(now)
        if 100 - amiss >= 98 and now < lengths[-1]:
            wanted = max(now + 1, now + now // 4)
            reached = [n for n in lengths if now < n <= wanted]
            now = reached[-1] if reached else min(n for n in lengths if n > now)
    return found


@given(
    lengths=st.lists(st.integers(0, 60), min_size=1, unique=True).map(sorted),
    first=st.integers(1, 70),
    wrong=st.lists(st.sampled_from([0, 1, 2, 3, 50]), min_size=1, max_size=30),
)
def test_the_present_length_grows_where_98_of_100_words_are_right(
    lengths: list[int], first: int, wrong: list[int]
) -> None:
    source = Scripted(lengths, list(wrong))
    curriculum, draw = Curriculum(source, first), torch.Generator()
    expected = plainly(lengths, first, wrong)
    model = Zero()
    for longest, amiss in zip(expected, wrong, strict=True):
        curriculum.step(model, draw, draw)
        found = curriculum.validate(model, draw)
        assert source.asked[-1] == found.more["longest"] == longest
        assert found.accuracy == pytest.approx(1 - amiss / 100)
        assert found.perfect == (amiss == 0 and longest == lengths[-1])
        assert found.score == longest + found.accuracy


def test_lengths_that_have_words_are_the_only_ones() -> None:
    """The audited words of the paper's lengths, from the shortest: 98 % is the boundary."""
    assert pytest.approx(0.98) == GROWS_AT
    expected = [3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 40, 40]
    assert plainly(list(range(41)), 3, [0] * 15) == expected


def test_the_loss_is_the_cross_entropy_of_the_labels() -> None:
    plan = make_plan("cycle-navigation", "gru-binary", settings={**SMALL, "noise": 0.0})
    model = plan.draw().train()
    objective = plan.problem.objective(plan)
    step = objective.step(model, torch.Generator().manual_seed(4), torch.Generator())
    words = FreshWords(Task(language=parse("cycle-navigation"), protocol="audited"), plan.data)
    batch = words.step(3, torch.Generator().manual_seed(4))
    model.eval()
    losses = [
        F.cross_entropy(model(row[None]), label[None])
        for row, label in zip(batch.tokens, batch.classes, strict=True)
    ]
    torch.testing.assert_close(step.loss, torch.stack(losses).mean())


@pytest.mark.slow_except("elman-binary", "gru")
@pytest.mark.parametrize("model", ["gru-binary", "elman-binary", "gru", "regular-gpt-binary"])
def test_no_word_is_longer_than_the_present_length(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    draw = Task.draw

    def watch(self: Task, lengths: Tensor, generator: torch.Generator) -> Batch:
        drawn.append(int(lengths.max()))
        return draw(self, lengths, generator)

    monkeypatch.setattr(Task, "draw", watch)
    binary = model.endswith("binary")
    shape = {} if binary else {"protocol": "audited"}
    small = {k: v for k, v in SMALL.items() if k != "num_bits" or binary}
    plan = make_plan("d-2", model, settings={**small, **shape, "min_length": 0, "curriculum": 2})
    metrics = fit(plan.draw(), plan.problem.objective(plan), plan.training)
    each = plan.training.validate_every + 1
    assert len(drawn) == each * len(metrics)
    for number, record in enumerate(metrics):
        assert max(drawn[number * each : (number + 1) * each]) <= record["longest"]
    assert metrics[0]["longest"] == 2
    assert metrics[-1]["longest"] > 2  # words did grow, so the bound above is not that of the start


class _Stops(Objective):
    """An objective that is interrupted at a step, as by a signal."""

    def __init__(self, own: Objective, at: int) -> None:
        assert isinstance(own, Curriculum)
        self._own, self._at, self._step = own, at, 0

    def tensors(self) -> dict[str, Tensor]:
        return self._own.tensors()

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        self._own.restore(tensors)

    def validate(self, model: nn.Module, data: torch.Generator) -> Validation:
        return self._own.validate(model, data)

    def step(self, model: nn.Module, data: torch.Generator, noise: torch.Generator) -> Step:
        self._step += 1
        if self._step == self._at:
            raise KeyboardInterrupt
        return self._own.step(model, data, noise)


def _objective(settings: Mapping[str, Any]) -> tuple[nn.Module, Objective, Any]:
    plan = make_plan(Recognition(language=parse("parity")), "gru-binary", settings=settings)
    return plan.draw(), plan.problem.objective(plan), plan.training


@cache
def _whole() -> tuple[nn.Module, list[dict[str, Any]]]:
    """The run that nothing interrupts, with its records."""
    model, objective, training = _objective(GROWING)
    return model, fit(model, objective, training)


@pytest.mark.slow_except("88")
@pytest.mark.parametrize("stop", [4, 63, 88])
def test_an_interrupted_curriculum_ends_with_the_same_weights(tmp_path: Path, stop: int) -> None:
    whole, expected = _whole()
    reached = [record["longest"] for record in expected]
    assert len(set(reached)) > 3  # it grew on the way
    folder = RunFolder(tmp_path / "run")
    folder.claim({"a": 1})
    model, objective, training = _objective(GROWING)
    with pytest.raises(KeyboardInterrupt):
        fit(model, _Stops(objective, stop), training, folder=folder)

    resumed, objective, _ = _objective(GROWING)
    metrics = fit(resumed, objective, training, folder=folder)

    def lasting(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{k: v for k, v in r.items() if k != "words_per_second"} for r in records]

    assert lasting(metrics) == lasting(expected)
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, resumed.state_dict()[name]), name
