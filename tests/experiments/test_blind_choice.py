"""Settings that are chosen by the longer words of training: which, and on what that rests."""

from pathlib import Path
from typing import Any

import pytest

from lengthwise.experiments.chi2023.table1 import TABLE_1
from lengthwise.experiments.chi2023.table2 import TABLE_2
from lengthwise.experiments.experiment import Record
from lengthwise.experiments.own.blind_choice import (
    BLIND_CHOICE,
    QUESTIONS,
    check,
    chosen,
    measure,
    parts,
)
from lengthwise.problems.plan import Plan
from lengthwise.problems.recognition.problem import Recognition
from lengthwise.problems.runs import plan_from_dict
from lengthwise.training.loop import Objective

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


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_seed_and_no_length_of_the_tables_decides(name: str) -> None:
    question, sizes = QUESTIONS[name], BLIND_CHOICE.presets["laptop"]
    assert question.in_table in question.candidates
    assert not {*sizes.seeds} & {*TABLE_1.presets["laptop"].seeds, *TABLE_2.presets["laptop"].seeds}
    for part in parts(sizes, ()):
        plan = plan_from_dict(part.settings["plan"])
        assert plan.data.max_length < part.settings["longest"] <= 40


def test_a_run_is_tried_on_longer_words_than_it_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Plan] = []
    objective = Recognition.objective

    def spied(self: Recognition, plan: Plan, *more: Any) -> Objective:
        seen.append(plan)
        return objective(self, plan, *more)

    part = parts(SMOKE, ())[0]
    monkeypatch.setattr(Recognition, "objective", spied)
    (found,) = measure(part.settings, tmp_path)
    told, tried = (plan.data for plan in (seen[0], seen[-1]))
    assert (told.min_length, told.max_length) == (1, 20)
    assert (tried.min_length, tried.max_length, tried.validation_words) == (21, 40, 16)
    assert found["lengths"] == [21, 40]
    assert 0 <= found["accuracy"] <= 1
