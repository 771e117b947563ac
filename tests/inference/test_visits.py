"""Visits: where words first pass an edge, or a symbol in a visit that an edge marked."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import samples
from lengthwise.inference.sample import Array, Sample, states_of
from lengthwise.inference.visits import Passes, passes_of, split_at
from lengthwise.languages.language import Language

tables = (
    st.integers(1, 4)
    .flatmap(
        lambda states: st.lists(
            st.integers(0, states - 1), min_size=2 * states, max_size=2 * states
        )
    )
    .map(lambda moves: np.array(moves, dtype=np.int64).reshape(-1, 2))
)


def first_passes(moves: Array, sample: Sample) -> tuple[dict[tuple[int, int], int], ...]:
    """Read each word, symbol by symbol, with the set of the edges that marked its visit."""
    edges: dict[tuple[int, int], int] = {}
    splits: dict[tuple[int, int], int] = {}
    for row in range(len(sample)):
        word, state, marks = sample.word(row), 0, set[int]()
        for place, symbol in enumerate(word):
            edge = 2 * state + symbol
            edges.setdefault((edge, row), len(word) - place)
            for mark in marks:
                splits.setdefault((2 * mark + symbol, row), len(word) - place)
            target = int(moves[state, symbol])
            marks = {*marks, edge} if target == state else {edge}
            state = target
    return edges, splits


def as_dict(passes: Passes) -> dict[tuple[int, int], int]:
    keys = zip(passes.codes.tolist(), passes.words.tolist(), strict=True)
    return dict(zip(keys, passes.left.tolist(), strict=True))


@given(moves=tables, sample=samples())
def test_first_passes_are_those_of_reading_word_by_word(moves: Array, sample: Sample) -> None:
    edges, splits = passes_of(moves, sample)
    expected = first_passes(moves, sample)
    assert (as_dict(edges), as_dict(splits)) == expected
    assert len(edges.codes) == len(expected[0])
    assert len(splits.codes) == len(expected[1])
    assert (edges.states == edges.codes // 2).all()
    assert (splits.states == moves.ravel()[splits.codes // 2]).all()


@given(moves=tables, sample=samples(), data=st.data())
def test_a_split_changes_no_answer_and_its_state_is_where_a_visit_is_marked(
    moves: Array, sample: Sample, data: st.DataObject
) -> None:
    edge = data.draw(st.integers(0, moves.size - 1))
    larger, states = split_at(moves, edge), len(moves)
    old = states_of(make_unminimised(moves, sample), sample)
    new = states_of(make_unminimised(larger, sample), sample)
    assert (np.where(new == states, moves.ravel()[edge], new) == old).all()
    for row in range(len(sample)):
        marked, state = False, 0
        for symbol in sample.word(row):
            passed = 2 * state + symbol == edge
            target = int(moves[state, symbol])
            marked = passed or (marked and target == state)
            state = target
        assert (new[row] == states) == marked


def make_unminimised(moves: Array, sample: Sample) -> Language:
    """Return an automaton that is not minimised, each state of which is a class of its own."""
    return Language(
        alphabet=tuple(map(str, range(sample.num_symbols))),
        transitions=tuple(map(tuple, moves.tolist())),
        classes=tuple(range(len(moves))),
        class_names=tuple(map(str, range(len(moves)))),
    )
