"""Local search improves an automaton, one transition at a time."""

import functools
import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import (
    MACHINES,
    machine,
    sample_of,
    samples,
)
from lengthwise.inference.refining import refine
from lengthwise.inference.sample import Sample, answers_of


@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_local_search_never_misjudges_more_words(sample: Sample, index: int) -> None:
    before = MACHINES[index]
    wrong = [
        int((answers_of(each, sample) != sample.classes).sum())
        for each in (before, refine(before, sample))
    ]
    assert wrong[1] <= wrong[0]


@settings(max_examples=40)
@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_local_search_ends_where_no_single_transition_helps(sample: Sample, index: int) -> None:
    found = refine(MACHINES[index], sample)
    wrong = int((answers_of(found, sample) != sample.classes).sum())
    for state, symbol in itertools.product(range(found.num_states), range(2)):
        for target in range(found.num_states):
            moves = [list(row) for row in found.transitions]
            moves[state][symbol] = target
            other = machine(moves, found.classes)
            assert (answers_of(other, sample) != sample.classes).sum() >= wrong


@given(st.integers(0, 2**32 - 1))
def test_local_search_is_that_of_reading_every_word_anew(seed: int) -> None:
    draw = np.random.default_rng(seed)
    words = [word for n in range(7) for word in itertools.product((0, 1), repeat=n)]
    truth, before = (
        machine(draw.integers(0, 6, (6, 2)).tolist(), draw.integers(0, 2, 6).tolist()).minimise()
        for _ in range(2)
    )
    sample = sample_of(words, [truth.classify(word) for word in words])
    moves = [list(row) for row in before.transitions]
    classes = vote(sample, moves, list(before.classes))
    is_better = True
    while is_better:
        is_better = False
        for state, symbol in itertools.product(range(len(moves)), range(2)):
            now = moves[state][symbol]
            wrong = []
            for target in range(len(moves)):
                moves[state][symbol] = target
                wrong.append(count_misjudged(sample, moves, classes))
            moves[state][symbol] = now
            if min(wrong) < wrong[now]:
                moves[state][symbol] = wrong.index(min(wrong))
                classes = vote(sample, moves, classes)
                is_better = True
    assert refine(before, sample) == machine(moves, classes).minimise()


def ends_of(sample: Sample, moves: list[list[int]]) -> list[int]:
    """Return the state in which each word ends."""
    words = (sample.word(row) for row in range(len(sample)))
    return [functools.reduce(lambda state, symbol: moves[state][symbol], word, 0) for word in words]


def vote(sample: Sample, moves: list[list[int]], classes: list[int]) -> list[int]:
    """Return the commonest class of the words that end in each state; the one before if none do."""
    ends = ends_of(sample, moves)
    votes = [[0, 0] for _ in moves]
    for end, label in zip(ends, sample.classes.tolist(), strict=True):
        votes[end][label] += 1
    pairs = zip(votes, classes, strict=True)
    return [int(count[1] > count[0]) if any(count) else before for count, before in pairs]


def count_misjudged(sample: Sample, moves: list[list[int]], classes: list[int]) -> int:
    """Return the number of words whose class an automaton does not give."""
    pairs = zip(ends_of(sample, moves), sample.classes.tolist(), strict=True)
    return sum(classes[end] != label for end, label in pairs)


def test_places_of_long_words_are_counted() -> None:
    """In 16 bits, place 33,000 would be negative."""
    words = [(0,) * 33_000, (1, *(0,) * 33_000)]
    found = refine(machine([[0, 1], [1, 0]], [0, 1]), Sample.of_words(words, [0, 1], 2, 2))
    assert [found.classify(word) for word in words] == [0, 1]
