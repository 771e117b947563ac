"""Tests of runs about functions: whole outputs, symbols by length and by position."""

from dataclasses import replace

import pytest
import torch
from torch import nn

import lengthwise as lw
from lengthwise.errors import TaskError
from lengthwise.evaluation.outputs import AnswersEverywhere
from lengthwise.problems.base import Run, run_test
from lengthwise.problems.resolve import run_of
from lengthwise.problems.sweep_tests import Test


def computed(spec: str) -> Run:
    made = run_of(lw.compile(spec))
    assert made is not None
    return made


class WrongAt(nn.Module):
    """A network with one wrong position."""

    def __init__(self, model: nn.Module, position: int) -> None:
        super().__init__()
        self.model, self.position = model, position

    def every_position(
        self, tokens: torch.Tensor, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        assert isinstance(self.model, AnswersEverywhere)
        logits = self.model.every_position(tokens).clone()
        wrong = slice(self.position, self.position + 1)
        logits[:, wrong] = -logits[:, wrong]
        return logits


def test_computed_weights_are_right_on_all_outputs() -> None:
    tested = lw.evaluate(
        computed("add[base=2]"), lengths=[5, 30], words_per_length=20, progress=False
    )
    assert tested.summary()["mean_accuracy"] == 1.0
    assert tested.accuracy_by_length() == {5: 1.0, 30: 1.0}


def test_one_wrong_position_makes_all_outputs_wrong_and_is_named() -> None:
    run = computed("add[base=2]")
    run = replace(run, model=WrongAt(run.model, 3))
    tested = run.problem.evaluate(
        run, {"lengths": [0, 3, 4, 8], "words": 10}, lambda *_: _Nothing()
    )
    assert tested.printed is not None
    assert tested.printed["accuracy_by_length"] == {3: 1.0, 4: 0.0, 8: 0.0}
    assert tested.printed["symbol_accuracy_by_length"] == {3: 1.0, 4: 0.75, 8: 0.875}
    by_position = tested.printed["symbol_accuracy_by_position"]
    assert by_position == {p: float(p != 4) for p in range(1, 9)}
    assert tested.values["worst_position"] == 4
    assert ("worst position", "4 (0.00 %)") in tested.facts
    assert {*tested.values["shortcuts"]} == {
        *("copy", "symbol alone", "last symbol", "last two symbols")
    }


def test_a_sweep_tests_whole_outputs() -> None:
    run = computed("gray")
    found = run_test(
        replace(run, folder=None), Test(name="short", lengths=(3, 5), words_per_length=8)
    )
    assert [(each.length, each.words, each.correct) for each in found.by_length] == [
        *((3, 8, 8), (5, 8, 8))
    ]


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def test_lengths_without_symbols_are_refused() -> None:
    run = computed("gray")
    with pytest.raises(TaskError, match="inputs of one length or more"):
        run.problem.evaluate(run, {"lengths": [0]}, lambda *_: _Nothing())
