"""Labelled words as a tree: order, numbers of suffixes, and sums."""

import numpy as np
from hypothesis import given

from inference.samples import (
    Word,
    samples,
    words_of,
)
from lengthwise.inference.sample import Sample, joined


@given(samples())
def test_words_come_shortest_first_and_equal_suffixes_have_equal_numbers(sample: Sample) -> None:
    words = [sample.word(row) for row in range(len(sample))]
    assert words == sorted(words, key=lambda word: (len(word), word))
    numbers: dict[Word, set[int]] = {}
    for row, word in enumerate(words):
        for left in range(len(word) + 1):
            suffix = word[len(word) - left :]
            numbers.setdefault(suffix, set()).add(int(sample.suffixes[row, left]))
    assert all(len(each) == 1 for each in numbers.values())
    assert len(set().union(*numbers.values())) == len(numbers)
    assert max(set().union(*numbers.values())) < sample.num_suffixes


@given(samples(), samples())
def test_two_samples_are_joined(one: Sample, other: Sample) -> None:
    rest = [row for row in range(len(other)) if other.word(row) not in words_of(one)]
    part = other.part(np.array(rest, dtype=np.int64))
    assert words_of(joined(one, part)) == {**words_of(one), **words_of(part)}
