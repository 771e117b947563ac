"""Tables of functions are bounded in states and in outputs."""

import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.functions.by_name import function
from lengthwise.languages.functions.tables import reach_states, require_small, shortest_pairs


def test_states_are_numbered_as_they_are_reached() -> None:
    assert reach_states(0, lambda state, x: (state + x) % 3, [1, 2]) == (
        ((1, 2), (2, 0), (0, 1)),
        [0, 1, 2],
    )


def test_pairs_of_states_have_shortest_words() -> None:
    assert shortest_pairs(((0, 1), (1, 0)), ((0, 1), (1, 1))) == {
        (0, 0): (),
        (1, 1): (1,),
        (0, 1): (1, 1),
    }


def test_what_would_take_too_long_is_refused() -> None:
    with pytest.raises(LanguageError, match="at most 5,000 states here"):
        reach_states(0, lambda state, x: state + 1, [0])
    with pytest.raises(LanguageError, match="at most 2,000,000 outputs"):
        require_small(1_000, 10, 1_000)
    with pytest.raises(LanguageError, match="Use smaller functions"):
        function("times:997[first=high] | times:991 | times:983[first=high]")
