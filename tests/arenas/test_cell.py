"""A cell: its kinds of words compared with their definitions, its numbers with plain counts."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.arenas.cell import _ask_far, _ask_kind, draw_kind
from lengthwise.languages.spec import parse
from lengthwise.problems.base import Run
from lengthwise.tasks.task import Task


@given(st.sampled_from(["parity", "tomita-4", "group:S3", "d-2"]), st.integers(0, 99))
def test_adversarial_words_are_pairs_one_edit_apart_in_two_classes(spec: str, seed: int) -> None:
    task, lengths = Task(language=parse(spec)), torch.tensor([2, 4, 6, 6, 8, 4, 10, 12])
    generator = torch.Generator().manual_seed(seed)
    tokens, classes = draw_kind(task, lengths, is_adversarial=True, generator=generator)
    rows = [[symbol for symbol in row if symbol >= 0] for row in tokens.tolist()]
    assert [task.language.classify(task.language.decode(row)) for row in rows] == classes.tolist()
    pairs = len(rows) // 2
    assert pairs
    for first, second in zip(rows[:pairs], rows[pairs:], strict=True):
        assert len(first) == len(second)
        places = [n for n, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
        is_swap = (
            len(places) == 2
            and places[1] == places[0] + 1
            and (first[places[0]], first[places[1]]) == (second[places[1]], second[places[0]])
        )
        assert len(places) == 1 or is_swap
    assert (classes[:pairs] != classes[pairs:]).all()


def test_random_words_have_all_classes_equally_often() -> None:
    task = Task(language=parse("group:S3"))
    generator = torch.Generator().manual_seed(0)
    tokens, classes = draw_kind(
        task, torch.full((60,), 9), is_adversarial=False, generator=generator
    )
    assert set(Counter(classes.tolist()).values()) == {10}
    assert task.sampler.automaton.classify(tokens).tolist() == classes.tolist()


@pytest.fixture(scope="module")
def parity() -> Run:
    run = lw.load("zoo:parity")
    assert isinstance(run, Run)
    return run


def test_a_network_that_is_right_is_right_on_every_kind(parity: Run) -> None:
    for is_adversarial in (False, True):
        right, total, wrong = _ask_kind(parity, 1, 20, is_adversarial, 0)
        assert right == total > 200
        assert wrong is None
    assert _ask_far(parity, 0, reads_symbols=False) == (4, 4, None)


def test_a_network_that_always_says_zero_is_right_on_half(
    parity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lengthwise.arenas.cell.answers",
        lambda model, tokens, lengths: torch.eye(2)[torch.zeros(len(tokens), dtype=torch.long)],
    )
    for is_adversarial in (False, True):
        right, total, wrong = _ask_kind(parity, 20, 20, is_adversarial, 0)
        assert 2 * right == total
        assert wrong == 20


def test_a_language_without_words_of_a_kind_has_none(parity: Run) -> None:
    run = Run(problem=parity.problem, plan=parity.plan, model=parity.model, metrics=parity.metrics)
    assert _ask_kind(run, 0, 0, True, 0) == (0, 0, None)
