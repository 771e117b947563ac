"""Combinations that no word has take the class that the simplest rule gives them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.rungs.truth_table import complete_table


@given(st.data(), st.integers(2, 3))
def test_combinations_of_words_have_their_commonest_class(
    data: st.DataObject, classes: int
) -> None:
    sizes = data.draw(st.lists(st.integers(2, 3), max_size=4))
    count = data.draw(st.integers(1, 30))
    values = [
        np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=count, max_size=count)))
        for size in sizes
    ]
    labels = np.array(
        data.draw(st.lists(st.integers(0, classes - 1), min_size=count, max_size=count))
    )
    found = complete_table(values, sizes, labels, classes)
    assert found.shape == tuple(sizes)
    for cell in itertools.product(*map(range, sizes)):
        there = [
            label
            for *at, label in zip(*(v.tolist() for v in values), labels.tolist(), strict=True)
            if tuple(at) == cell
        ]
        if there:
            assert there.count(int(found[cell])) == max(map(there.count, range(classes)))


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ({(0, 0): 0, (0, 1): 1, (1, 0): 1}, {(1, 1): 1}),
        ({(0, 0): 0, (0, 1): 0, (1, 0): 0}, {(1, 1): 0}),
        ({(0, 0): 0, (1, 1): 0, (0, 1): 1}, {(1, 0): 0}),
        (
            {(0, 0, 0): 0, (1, 0, 0): 1, (0, 1, 0): 1, (0, 0, 1): 1},
            {(1, 1, 0): 1, (1, 0, 1): 1, (0, 1, 1): 1, (1, 1, 1): 1},
        ),
    ],
)
def test_the_shortest_formula_decides_what_no_word_shows(
    known: dict[tuple[int, ...], int], unknown: dict[tuple[int, ...], int]
) -> None:
    values = [np.array(column) for column in zip(*known, strict=True)]
    found = complete_table(values, [2] * len(values), np.array(list(known.values())), 2)
    assert {cell: int(found[cell]) for cell in unknown} == unknown


def test_of_many_values_the_nearest_combination_decides() -> None:
    values = [np.array([0, 0, 4]), np.array([0, 1, 2])]
    found = complete_table(values, [5, 3], np.array([0, 0, 1]), 2)
    assert found[0, 2] == found[0, 1] == 0
    assert found[4, 2] == 1
    assert found[3, 2] == 1
