"""Which lengths a language model is asked at, if nobody says."""

import numpy as np
import pytest

from lengthwise.text.data.text_corpus import Tokens
from lengthwise.text.problems.language_modelling.measure import _usual_windows


def of(count: int) -> Tokens:
    return Tokens((np.zeros(count, dtype=np.uint16),))


@pytest.mark.parametrize(
    ("count", "most", "lengths"),
    [
        (1_000, None, [8, 16, 32, 64, 128]),
        (128, None, [8, 16, 32, 64, 128]),
        (127, None, [8, 16, 32, 64]),
        (1_000, 32, [8, 16, 32]),
        (20, 32, [8, 16]),
        (7, None, [4]),
        (3, None, [2]),
        (1, None, [8]),
    ],
)
def test_lengths_are_doubled_as_far_as_model_and_text_allow(
    count: int, most: int | None, lengths: list[int]
) -> None:
    """A text that is too short for all of them is refused later, with its window."""
    notes: list[str] = []
    assert list(_usual_windows(8, most, of(count), notes)) == lengths
    is_short = count < 128 and lengths != [8, 16, 32]
    assert len(notes) == (is_short and count > 1)
    assert all(f"no window of {2 * lengths[-1]} tokens, so {lengths[-1]} is" in n for n in notes)
