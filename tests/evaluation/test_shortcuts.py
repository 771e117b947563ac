"""What is known about the shortcuts of well-known tasks."""

import pytest
import torch

from lengthwise.errors import TaskError
from lengthwise.evaluation.shortcuts import (
    shortcut_accuracies,
    spread_lengths,
)
from lengthwise.inference.shortcuts import SHORTCUTS
from lengthwise.languages.spec import parse
from lengthwise.tasks.task import Task


def accuracies(
    spec: str, protocol: str, lengths: range = range(41, 61), words: int = 200
) -> dict[str, float]:
    task = Task(language=parse(spec), protocol=protocol)
    generator = torch.Generator().manual_seed(0)
    chosen = [n for n in lengths if task.classes_at(n)]
    found = shortcut_accuracies(task, chosen, words, generator)
    assert tuple(found) == SHORTCUTS
    return found


def test_published_brackets_are_nearly_solved_by_counting() -> None:
    found = accuracies("d-4", "published")
    assert found["majority"] == found["length only"] == 0.75
    assert found["symbol counts"] > 0.96
    assert 0.88 < found["first and last symbol"] < 0.97


def test_always_no_scores_three_quarters_on_tomita_5() -> None:
    assert accuracies("tomita-5", "published")["majority"] == 0.75


def test_the_ends_solve_even_pairs() -> None:
    found = accuracies("even-pairs", "published")
    assert found["first and last symbol"] == 1.0
    assert found["symbol counts"] < 0.6


@pytest.mark.parametrize("protocol", ["published", "audited"])
def test_parity_is_not_solved_by_any(protocol: str) -> None:
    assert all(0.44 < a < 0.6 for a in accuracies("parity", protocol, range(101, 121)).values())


def test_the_length_alone_can_tell() -> None:
    found = accuracies("regex:((0|1)(0|1))*", "audited", range(1, 11), 20)
    assert found["majority"] == 0.5
    assert found["length only"] == found["symbol counts"] == 1.0


def test_shortcuts_need_words() -> None:
    task = Task(language=parse("parity"))
    with pytest.raises(TaskError, match="at least one length"):
        shortcut_accuracies(task, [], 10, torch.Generator())


def test_the_words_that_are_scored_are_counted() -> None:
    seen: list[tuple[int, int]] = []
    shortcut_accuracies(
        Task(language=parse("parity")),
        [4, 5],
        10,
        torch.Generator(),
        lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (20, 20)


@pytest.mark.parametrize("count", [1, 59, 60, 61, 100, 460])
def test_spread_lengths_reach_from_first_to_last(count: int) -> None:
    lengths = list(range(41, 41 + count))
    some = spread_lengths(lengths)
    assert some == sorted(set(some) & set(lengths))
    assert (some[0], some[-1]) == (lengths[0], lengths[-1])
    assert len(some) == min(count, 60) or count in (61, 100)
