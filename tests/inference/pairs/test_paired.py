"""Pairs as arrays: states and outputs of a function, against the function word by word."""

import numpy as np
import pytest

from function_strategies import draw_function
from inference.pairs.drawn_pairs import pairs_of
from lengthwise.inference.pairs.paired import Paired


@pytest.mark.parametrize("seed", range(5))
def test_outputs_are_those_of_the_function(seed: int) -> None:
    function = draw_function(seed, left=4, right=3, symbols=3, outputs=3)
    pairs = pairs_of(function, 50)
    assert not pairs.wrong(function).any()
    other = draw_function(seed + 50, left=3, right=2, symbols=3, outputs=3)
    for row, written in enumerate(pairs.written(other)):
        word = pairs.inputs[row, : pairs.lengths[row]].tolist()
        assert written[: len(word)].tolist() == other.run(word)


def test_equal_prefixes_have_equal_numbers_and_others_do_not() -> None:
    pairs = Paired.of_words([([0, 1, 1], [0] * 3), ([0, 1, 0], [0] * 3), ([1, 1], [0] * 2)], 2, 2)
    numbers = pairs.prefixes()
    assert len(set(numbers[:, 0].tolist())) == 1
    assert numbers[0, 1] == numbers[1, 1] != numbers[2, 1]
    assert numbers[0, 2] == numbers[1, 2]


def test_reversed_twice_is_as_before_and_joined_pairs_are_those_of_both() -> None:
    function = draw_function(1, right=3)
    pairs = pairs_of(function, 20)
    again = pairs.reverse().reverse()
    assert (again.inputs == pairs.inputs).all()
    assert (again.outputs == pairs.outputs).all()
    joined = pairs.join(pairs_of(function, 3, longest=20, seed=1))
    assert len(joined) == 23
    assert not joined.wrong(function).any()
    assert np.array_equal(joined.part(np.arange(20)).lengths, pairs.lengths)
