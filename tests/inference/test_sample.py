"""Labelled words as a tree: order, numbers of suffixes, and sums."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inference.samples import (
    MACHINES,
    Word,
    samples,
    words_of,
)
from lengthwise.inference import sample as sample_module
from lengthwise.inference.sample import Sample, join_samples, states_of
from lengthwise.languages.language import Language


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
    assert words_of(join_samples(one, part)) == {**words_of(one), **words_of(part)}


@given(
    words=st.lists(st.lists(st.integers(0, 299), max_size=40).map(tuple), max_size=20, unique=True),
    kind=st.sampled_from([np.int16, np.uint16, np.int64]),
)
def test_small_types_and_many_symbols_change_nothing(words: list[Word], kind: type) -> None:
    """Each key of the sort has several symbols, and sums of small types would run over."""
    wide = Sample.of_words(words, [0] * len(words), 300, 2)
    tokens: NDArray[Any] = np.zeros((len(words), max(map(len, words), default=0)), dtype=kind)
    for row, word in enumerate(words):
        tokens[row, tokens.shape[1] - len(word) :] = word
    found = Sample.of(tokens, np.array([*map(len, words)], dtype=np.int64), wide.classes, 300, 2)
    assert found.symbols.dtype == kind
    assert [found.word(row) for row in range(len(words))] == sorted(
        words, key=lambda word: (len(word), word)
    )
    np.testing.assert_array_equal(found.wide.symbols, wide.symbols)
    np.testing.assert_array_equal(found.suffixes, wide.suffixes)


@given(sample=samples(), language=st.sampled_from(MACHINES), at_once=st.integers(1, 9))
def test_states_are_those_of_reading_word_by_word(
    sample: Sample, language: Language, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_module, "_AT_ONCE", at_once)
        found = states_of(language, sample)
    assert found.tolist() == [language.run(sample.word(row)) for row in range(len(sample))]


def test_many_suffixes_of_many_symbols_have_numbers_of_their_own() -> None:
    draw, symbols = np.random.default_rng(3), 65_535
    tokens = draw.integers(0, symbols, (1_500, 30))
    rest = np.full(len(tokens), 30), np.zeros(len(tokens), dtype=np.int64), symbols, 2
    wide, narrow = Sample.of(tokens, *rest), Sample.of(tokens.astype(np.uint16), *rest)
    assert narrow.suffixes.dtype == np.int32
    assert narrow.num_suffixes > 40_000
    np.testing.assert_array_equal(narrow.suffixes, wide.suffixes)
