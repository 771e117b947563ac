"""The support of a function, counted word by word."""

import pytest

from function_strategies import draw_function
from inference.pairs.drawn_pairs import pairs_of
from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.support import FunctionSupport


@pytest.mark.parametrize("seed", range(3))
def test_parts_are_counted_as_often_as_words_pass_them(seed: int) -> None:
    function = draw_function(seed, left=3, right=3)
    pairs = pairs_of(function, 30)
    support = FunctionSupport.of(function, pairs)
    assert FunctionSupport.from_dict(support.to_dict()) == support
    assert sum(n for rows in support.cells for row in rows for n in row) == pairs.lengths.sum()
    state = [0] * len(pairs)
    for place in range(int(pairs.lengths.max()) - 1):
        for row in range(len(pairs)):
            if place < pairs.lengths[row] - 1:
                assert support.left[state[row]][pairs.inputs[row, place]] > 0
                state[row] = function.left[state[row]][pairs.inputs[row, place]]
    for row in range(len(pairs)):
        assert support.least(function, pairs.inputs[row, : pairs.lengths[row]].tolist()) > 0


def test_what_no_pair_shows_has_no_support() -> None:
    function = draw_function(0, left=2)
    pairs = Paired.of_words([([0], function.run([0]))], 2, 2)
    support = FunctionSupport.of(function, pairs)
    assert support.least(function, [0]) == 1
    assert support.least(function, [1]) == support.least(function, [0, 0]) == 0
    assert support.unseen == 2 * len(function.left) * 2 - 1
