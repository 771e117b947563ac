"""Evaluation and prediction, with models whose accuracy is known."""

import json
import math
from typing import Any

import pytest
import torch
from torch import Tensor

from lengthwise.errors import ConfigError, TaskError
from lengthwise.evaluation import evaluate as evaluation
from lengthwise.evaluation import predict as prediction
from lengthwise.evaluation.evaluate import answer_of, evaluate_words
from lengthwise.evaluation.predict import logits_of
from lengthwise.evaluation.scores import Scores
from lengthwise.languages.spec import parse
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.task import Task


def parity_until(longest: int) -> evaluation.Recogniser:
    """Right on words up to a length, and always `0` beyond it."""

    def model(tokens: Tensor, lengths: Tensor) -> Tensor:
        ones = (tokens == 1).sum(dim=1) % 2
        answer = torch.where(lengths <= longest, ones, 0)
        return 9.0 * torch.nn.functional.one_hot(answer, 2).float()

    return model


def test_accuracy_is_found_length_by_length_and_class_by_class() -> None:
    task = Task(language=parse("parity"), protocol="audited")
    scores = evaluate_words(parity_until(7), task, range(5, 11), words_per_length=40, seed=3)
    assert scores.lengths == list(range(5, 11))
    assert scores.total == 6 * 40
    for record in scores.records:
        right = record.length <= 7 or record.label == "0"
        assert record.total == 20
        assert record.correct == (20 if right else 0)
        assert record.loss == pytest.approx(0.00012340 if right else 9.0001234, rel=1e-3)
    assert scores.summary()["first_length_below_99"] == 8


def test_cutting_the_work_into_batches_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(language=parse("parity"), protocol="audited")
    seen: list[int] = []

    def model(tokens: Tensor, lengths: Tensor) -> Tensor:
        seen.append(len(tokens))
        return parity_until(8)(tokens, lengths)

    for most in (evaluation.MOST_SYMBOLS, 100):
        monkeypatch.setattr(evaluation, "MOST_SYMBOLS", most)
        scores = evaluate_words(model, task, range(1, 13), words_per_length=30)
        accuracy = scores.accuracy_by_length()
        assert all(accuracy[n] == 1.0 for n in range(1, 9))
        assert all(accuracy[n] == 0.5 for n in range(9, 13))
    assert seen[0] == 12 * 30
    assert sorted(seen[1:]) == [30] * 11 + [60] or len(seen) > 8


def test_a_model_with_room_for_few_words_is_asked_in_parts() -> None:
    seen: list[tuple[int, int]] = []

    class Small:
        def words_at_once(self, time: int) -> int | None:
            return None if time < 4 else 100 // time

        def __call__(self, tokens: Tensor, lengths: Tensor) -> Tensor:
            assert not torch.is_grad_enabled()
            seen.append((tokens.shape[0], tokens.shape[1]))
            return parity_until(8)(tokens, lengths)

    task = Task(language=parse("parity"), protocol="audited")
    for lengths in ([3], [12]):
        scores = evaluate_words(Small(), task, lengths, words_per_length=30)
        assert scores.accuracy_by_length() == {lengths[0]: 1.0 if lengths[0] < 9 else 0.5}
    assert seen == [(30, 3), (8, 12), (8, 12), (8, 12), (6, 12)]
    words = [[1] * 4] * 25 + [[1] * 3] + [[1] * 4] * 25
    logits = logits_of(Small(), words)
    assert answer_of(logits).tolist() == [0] * 25 + [1] + [0] * 25
    assert seen[5:] == [(25, 4), (25, 4), (1, 4)]


def test_lengths_without_words_are_left_out_and_listed() -> None:
    task = Task(language=parse("modular-arithmetic"), protocol="audited")

    def constant(tokens: Tensor, lengths: Tensor) -> Tensor:
        return torch.zeros(len(tokens), 5)

    scores = evaluate_words(constant, task, range(41, 47), words_per_length=10)
    assert scores.lengths == [42, 44, 46]
    assert scores.missing == (41, 43, 45)
    assert scores.summary()["lengths_without_words"] == 3
    with pytest.raises(TaskError, match=r"no word of the lengths 41\.\.41"):
        evaluate_words(constant, task, [41])


def test_predictions_come_in_the_order_of_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(0, 60, (50,), generator=generator).tolist()
    words = [torch.randint(2, (n,), generator=generator).tolist() for n in lengths]
    for most in (evaluation.MOST_SYMBOLS, 64):
        monkeypatch.setattr(evaluation, "MOST_SYMBOLS", most)
        answers = answer_of(logits_of(parity_until(1000), words)).tolist()
        assert answers == [sum(word) % 2 for word in words]
    assert logits_of(parity_until(1000), []).shape[0] == 0


def test_words_stand_at_the_right_of_their_rows() -> None:
    tokens, lengths = prediction.right_aligned([(1,), (), (0, 1, 1)])
    assert tokens.tolist() == [[PAD, PAD, 1], [PAD] * 3, [0, 1, 1]]
    assert lengths.tolist() == [1, 0, 3]


@pytest.mark.parametrize(
    ("give", "told"),
    [
        (lambda tokens: None, "gave None for a batch of 4 words; it must give logits"),
        (lambda tokens: [0.0] * len(tokens), "gave a list for"),
        (lambda tokens: torch.zeros(len(tokens)), r"gave numbers of shape \[4\]"),
        (lambda tokens: torch.zeros(len(tokens) + 1, 2), r"gave numbers of shape \[5, 2\]"),
        (lambda tokens: torch.zeros(len(tokens), 0), r"gave numbers of shape \[4, 0\]"),
        (lambda tokens: torch.zeros(len(tokens), 3, 2), r"gave numbers of shape \[4, 3, 2\]"),
        (lambda tokens: torch.zeros(len(tokens), 2).long(), "gave numbers of type int64"),
        (lambda tokens: torch.zeros(len(tokens), 2).bool(), "gave numbers of type bool"),
    ],
)
@pytest.mark.parametrize("at_once", [None, 4])
def test_what_are_no_logits_is_told_in_one_line(give: Any, told: str, at_once: int | None) -> None:
    class Model(torch.nn.Module):
        def words_at_once(self, time: int) -> int | None:
            return at_once

        def forward(self, tokens: Tensor, lengths: Tensor) -> Any:
            return give(tokens)

    words = [(0, 1)] * (4 if at_once is None else 8)
    task = Task(language=parse("parity"), protocol="audited")
    for ask in (
        lambda: logits_of(Model(), words),
        lambda: evaluate_words(Model(), task, [3], words_per_length=len(words)),
    ):
        with pytest.raises(ConfigError, match=told) as caught:
            ask()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_logits_that_are_no_numbers_are_told(wrong: float) -> None:
    task = Task(language=parse("parity"), protocol="audited")
    with pytest.raises(ConfigError, match="not finite for 4 words of 4"):
        evaluate_words(
            lambda x, n: torch.tensor([0, wrong]).expand(len(x), 2), task, [3], words_per_length=4
        )
    scores = evaluate_words(lambda x, n: torch.tensor([0, -math.inf]).expand(len(x), 2), task, [3])
    assert scores.accuracy_by_length() == {3: 0.5}  # a class that is ruled out is no fault
    assert scores.loss_by_length() == {3: math.inf}
    assert scores.summary()["mean_loss"] is None
    stored = json.loads(json.dumps(scores.to_records(), allow_nan=False))
    assert Scores.from_records(stored) == scores


def test_logits_of_other_classes_are_told() -> None:
    task = Task(language=parse("parity"), protocol="audited")
    with pytest.raises(ConfigError, match=r"logits of 3 classes, but parity@1 has 2\."):
        evaluate_words(lambda tokens, lengths: torch.zeros(len(tokens), 3), task, [3])
