"""Settings that are chosen by the longer words of training: which, and on what that rests."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from lengthwise.problems.runs import plan_from_dict
from lengthwise.tasks.task import Batch, Task
from lengthwise_papers.chi2023 import table1, table2
from lengthwise_papers.chi2023.table1 import TABLE_1
from lengthwise_papers.chi2023.table2 import TABLE_2
from lengthwise_papers.experiment import Record
from lengthwise_papers.own.blind_choice import (
    BLIND_CHOICE,
    QUESTIONS,
    check,
    chosen,
    measure,
    parts,
)
from lengthwise_papers.parts import Part
from lengthwise_papers.trained import CellRun

ASKED = "Table 1, RNN"
SMOKE = BLIND_CHOICE.presets["smoke"]


def record(candidate: str, accuracy: float, loss: float, seed: int = 10) -> Record:
    told = {"question": ASKED, "row": "parity", "lengths": [21, 40], "words": 16}
    return {**told, "candidate": candidate, "accuracy": accuracy, "loss": loss, "seed": seed}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.9, 0.1), (0.8, 0.01), "beta2 = 0.999"),
        ((0.9, 0.1), (0.95, 3.0), "beta2 = 0.95"),
        ((1.0, 0.2), (1.0, 0.1), "beta2 = 0.95"),
        ((1.0, 0.1), (1.0, 0.2), "beta2 = 0.999"),
    ],
)
def test_most_right_words_decide_and_then_cross_entropy(
    first: tuple[float, float], second: tuple[float, float], expected: str
) -> None:
    records = [record("beta2 = 0.999", *first), record("beta2 = 0.95", *second)]
    assert chosen(records) == {ASKED: expected}
    (statement,) = check(records)
    assert statement.holds is (expected == QUESTIONS[ASKED].in_table)


def test_nothing_is_chosen_before_all_candidates_are_tried_alike() -> None:
    one, other = record("beta2 = 0.999", 1, 0), record("beta2 = 0.95", 0, 1)
    assert chosen([one]) == {}
    assert chosen([one, other, record("beta2 = 0.95", 0, 1, seed=11)]) == {}
    assert check([one]) == []


LAPTOP = BLIND_CHOICE.presets["laptop"]


@cache
def parts_of_seed_0() -> list[Part]:
    return parts(LAPTOP, (0,))


@cache
def runs_of(table: str) -> list[CellRun]:
    if table == "table1":
        return table1.runs(TABLE_1.presets["laptop"], ())
    return table2.runs(TABLE_2.presets["laptop"], ())


@pytest.mark.parametrize(
    ("asked", "model", "table"),
    [
        ("Table 1, RNN", "rnn", "table1"),
        ("Table 1, RegularGPT C = 3", "regular-gpt C=3", "table1"),
        ("Table 1, RegularGPT C = 3, slow rows", "regular-gpt C=3", "table1"),
        ("Table 2, RegularGPT C = 2", "regular-gpt C=2", "table2"),
    ],
)
def test_what_is_said_to_be_in_the_table_is(asked: str, model: str, table: str) -> None:
    there = {
        (run.row if table == "table1" else run.column): run.job.plan
        for run in runs_of(table)
        if model in (run.row, run.column)
    }
    ours = {
        part.settings["row"]: part.settings
        for part in parts_of_seed_0()
        if (part.settings["question"], part.settings["candidate"])
        == (asked, QUESTIONS[asked].in_table)
    }
    assert ours.keys() == QUESTIONS[asked].rows.keys()
    for row, settings in ours.items():
        plan = plan_from_dict(settings["plan"]).with_seed(0)
        of_table = there[row].with_seed(0)
        assert plan.data.max_length < of_table.data.max_length == settings["longest"]
        assert replace(plan, data=of_table.data) == of_table


def test_no_seed_of_the_tables_decides() -> None:
    others = {*TABLE_1.presets["laptop"].seeds, *TABLE_2.presets["laptop"].seeds}
    assert not {*LAPTOP.seeds} & others
    assert all(question.in_table in question.candidates for question in QUESTIONS.values())


@pytest.mark.parametrize(
    ("asked", "candidate", "short", "longest"),
    [
        ("Table 1, RNN", "beta2 = 0.95", 20, 40),
        ("Table 1, RegularGPT C = 3", "growing words", 10, 40),
        ("Table 2, RegularGPT C = 2", "growing words", 10, 40),
    ],
)
def test_a_run_is_tried_on_all_longer_words_than_it_learned_from(
    *,
    asked: str,
    candidate: str,
    short: int,
    longest: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []
    draw = Task.draw

    def spied(self: Task, lengths: torch.Tensor, *more: Any) -> Batch:
        drawn.extend(lengths.tolist())
        return draw(self, lengths, *more)

    sizes = replace(SMOKE, questions=(asked,), words=500)
    part = next(each for each in parts(sizes, ()) if each.settings["candidate"] == candidate)
    monkeypatch.setattr(Task, "draw", spied)
    (found,) = measure(part.settings, tmp_path)
    tried = drawn[-500:]
    assert max(drawn[:-500]) <= short
    assert sorted({*tried}) == list(range(short + 1, longest + 1))
    assert found["lengths"] == [short + 1, longest]
    assert 0 <= found["accuracy"] <= 1
