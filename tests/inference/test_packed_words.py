"""Packed words are read as plain words are, and likelihoods are those of their definition."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import sample_of, samples
from lengthwise.inference import packed_words
from lengthwise.inference.packed_words import PackedWords, count_misjudged, log_likelihood
from lengthwise.inference.sample import Sample

Moves = list[list[int]]


def end_of(moves: Moves, word: tuple[int, ...], state: int = 0) -> int:
    for symbol in word:
        state = moves[state][symbol]
    return state


@st.composite
def tables(draw: st.DrawFn, symbols: int = 2, most: int = 4) -> np.ndarray:
    """Some automata of as many states, `[candidate, state, symbol]`."""
    states, number = draw(st.integers(1, most)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).integers(0, states, (number, states, symbols))


@given(samples(longest=20), tables(), st.integers(0, 99))
def test_words_end_where_plain_reading_ends(sample: Sample, moves: np.ndarray, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(sample))
    every = PackedWords.of(sample, order)
    half = len(sample) // 2
    for part, rows in ((every, order), (every.part(half, len(sample)), order[half:])):
        found = part.counts(moves)
        for candidate, table in enumerate(moves.tolist()):
            ends = Counter(
                (end_of(table, sample.word(row)), int(sample.classes[row])) for row in rows
            )
            places = np.ndindex(*found[candidate].shape)
            assert (
                found[candidate].tolist()
                == np.reshape([ends[place] for place in places], found[candidate].shape).tolist()
            )


@pytest.mark.parametrize("symbols", [1, 3, 19, 20, 64, 500])
def test_alphabets_of_all_sizes_are_packed(symbols: int) -> None:
    draw = np.random.default_rng(symbols)
    words = [tuple(draw.integers(0, symbols, n).tolist()) for n in range(31)]
    sample = sample_of(words, draw.integers(0, 2, 31).tolist(), symbols)
    moves = draw.integers(0, 5, (1, 5, symbols))
    found = PackedWords.of(sample, np.arange(31)).counts(moves)[0]
    ends = [end_of(moves[0].tolist(), sample.word(row)) for row in range(31)]
    assert found.sum(axis=1).tolist() == [ends.count(state) for state in range(5)]


@given(st.lists(st.lists(st.integers(0, 40), min_size=2, max_size=2), min_size=1, max_size=5))
def test_the_likelihood_is_that_of_the_shares_of_each_state(rows: list[list[int]]) -> None:
    plain = sum(count * math.log(count / sum(row)) for row in rows for count in row if count)
    found = float(log_likelihood(np.array([rows]))[0])
    assert found == pytest.approx(plain, abs=1e-9)
    assert (found == 0) == all(0 in row for row in rows)
    assert count_misjudged(np.array([rows])).tolist() == [sum(map(min, rows))]


def test_reading_can_be_ended_within_a_chunk_and_between_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = PackedWords.of(sample_of([(0, 1) * 60, (1,) * 100], [0, 1]), np.arange(2))
    calls = list[int]()
    moves = np.zeros((5, 1, 2), dtype=np.int64)

    def call() -> int:
        calls.clear()
        words.counts(moves, calls.append)
        return len(calls)

    assert call() == 1
    monkeypatch.setattr(packed_words, "_AT_ONCE", 1)
    assert call() == 5
    monkeypatch.setattr(packed_words, "_BETWEEN", 1)
    assert call() == 5 * len(words.blocks)
