"""Pairs that force a sequential function: no other one of its size fits, by trying all."""

from itertools import product

import pytest

from lengthwise.inference.pairs.forcing import is_forced
from lengthwise.inference.pairs.paired import Paired
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.function import Function


def every_function() -> list[Function]:
    """All sequential functions of at most two states over two symbols."""
    cells = list(product(range(2), repeat=4))
    return [
        Function(
            alphabet=("0", "1"),
            outputs=("0", "1"),
            left=(left[:2], left[2:]),
            right=((0, 0),),
            table=(((out[0],), (out[1],)), ((out[2],), (out[3],))),
        )
        for left in cells
        for out in cells
    ]


@pytest.mark.parametrize("longest", [1, 2, 3, 4])
def test_forced_means_that_no_other_function_of_its_size_fits(longest: int) -> None:
    gray = function("gray")
    words = [w for n in range(1, longest + 1) for w in product(range(2), repeat=n)]
    pairs = Paired.of_words([(word, gray.run(word)) for word in words], 2, 2)
    fitting = {each for each in every_function() if not pairs.wrong(each).any()}
    assert gray in fitting
    assert is_forced(gray, pairs) == (len(fitting) == 1) == (longest > 2)
