"""Local search improves an automaton, one transition at a time."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import (
    MACHINES,
    machine,
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


def test_places_of_long_words_are_counted() -> None:
    """In 16 bits, place 33,000 would be negative."""
    words = [(0,) * 33_000, (1, *(0,) * 33_000)]
    found = refine(machine([[0, 1], [1, 0]], [0, 1]), Sample.of_words(words, [0, 1], 2, 2))
    assert [found.classify(word) for word in words] == [0, 1]
