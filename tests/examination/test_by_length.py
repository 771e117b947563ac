"""Accuracy by length within a budget, and drift."""

import time
from typing import Any

import pytest

import lengthwise as lw
from lengthwise.errors import TaskError
from lengthwise.examination.by_length import choose_lengths, measure_drift, score_by_length
from lengthwise.models.custom_network import with_lengths
from lengthwise.models.stepping import steps_of
from lengthwise.tasks.task import Task
from models.recurrences import CountedParity

TASK = Task(language=lw.language("parity"))


def test_lengths_go_as_far_as_they_may() -> None:
    assert choose_lengths([7, 3, 7], 5) == [3, 7]
    lengths = choose_lengths(None, 10_000)
    assert lengths[0] == 1
    assert lengths[-4:] == [1_000, 2_000, 5_000, 10_000]
    assert sum(41 <= n <= 500 for n in lengths) == 60


def test_scores_and_the_shortest_wrong_word() -> None:
    model = with_lengths(CountedParity(30))
    common: dict[str, Any] = {"words_per_length": 8, "seed": 0, "reads_symbols": True}
    found = score_by_length(model, TASK, [10, 31, 40], end=time.monotonic() + 60, **common)
    assert found.scores.accuracy_by_length() == {10: 1.0, 31: 0.0, 40: 0.0}
    assert found.wrong is not None
    assert len(found.wrong) == 31
    assert (found.agreeing, found.stopped) == (None, "")
    found = score_by_length(model, TASK, [10, 5_000], end=time.monotonic(), **common)
    assert found.scores.lengths == [10]
    assert found.stopped == "words of 5,000 symbols would take longer than the budget"
    with pytest.raises(TaskError, match="has no word of the lengths"):
        score_by_length(model, TASK, [], end=time.monotonic(), **common)


def test_a_state_that_grows_shows() -> None:
    steps = steps_of(with_lengths(CountedParity()), 2, 2)
    drift = measure_drift(steps, None, TASK, longest=100, seed=0, end=time.monotonic() + 60)
    assert [(row.length, row.norm) for row in drift] == [(n, n) for n in (10, 20, 40, 80, 100)]
    assert all(row.largest is None for row in drift)
