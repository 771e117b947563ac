"""The k-reversible languages of words: reversible, and a part of each that has the words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.positives.oracles import SHORT, is_reversible, list_accepted
from inference.samples import MACHINES, Word, sample_of
from lengthwise.inference.positives.reversible import KReversible

WORDS = st.lists(
    st.lists(st.integers(0, 1), max_size=6).map(tuple), min_size=1, max_size=8, unique=True
)
LARGER = {level: [one for one in MACHINES[::7] if is_reversible(one, level)] for level in (0, 1, 2)}
"""Reversible machines of up to three states."""


@given(words=WORDS, level=st.integers(0, 2))
def test_the_language_is_reversible_and_has_the_words(words: list[Word], level: int) -> None:
    found = KReversible().smallest(sample_of(words, [1] * len(words)), level)
    assert found is not None
    assert set(words) <= list_accepted(found)
    assert is_reversible(found, level)


@pytest.mark.parametrize("level", [0, 1, 2])
@given(data=st.data())
def test_it_is_a_part_of_each_reversible_language_with_the_words(
    level: int, data: st.DataObject
) -> None:
    larger = data.draw(st.sampled_from(LARGER[level]))
    there = [word for word in SHORT if larger.classify(word) == 1]
    if not there:
        return
    words = data.draw(st.lists(st.sampled_from(there), min_size=1, max_size=12, unique=True))
    found = KReversible().smallest(sample_of(words, [1] * len(words)), level)
    assert found is not None
    assert list_accepted(found) <= set(there)


def test_parity_is_found_from_few_words() -> None:
    words = [(), (0,), (1, 1), (1, 0, 1), (0, 1, 1, 0)]
    found = KReversible().smallest(sample_of(words, [1] * len(words)), 0)
    assert found is not None
    assert list_accepted(found) == {word for word in SHORT if sum(word) % 2 == 0}
