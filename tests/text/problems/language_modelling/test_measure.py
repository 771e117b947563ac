"""Which lengths a language model is asked at, if nobody says."""

import numpy as np
import pytest

from lengthwise.text.data.text_corpus import Tokens
from lengthwise.text.problems.language_modelling.measure import _usual_windows


def of(count: int) -> Tokens:
    return Tokens((np.zeros(count, dtype=np.uint16),))


@pytest.mark.parametrize(
    ("count", "most", "lengths", "is_noted"),
    [
        (1_000, None, [8, 16, 32, 64, 128], False),
        (128, None, [8, 16, 32, 64, 128], False),
        (127, None, [8, 16, 32, 64], True),
        (1_000, 32, [8, 16, 32], False),
        (20, 32, [8, 16], True),
        (7, None, [4], True),
        (3, None, [2], True),
        (1, None, [8], False),
    ],
)
def test_lengths_are_doubled_as_far_as_model_and_text_allow(
    count: int, most: int | None, lengths: list[int], is_noted: bool
) -> None:
    """A text without any window is refused later, with the window of training."""
    notes: list[str] = []
    assert list(_usual_windows(8, most, of(count), notes)) == lengths
    longest = lengths[-1]
    note = f"the text has no window of {2 * longest} tokens, so {longest} is the longest asked"
    assert notes == [note] * is_noted
