"""Reducing makes automata smaller, and they fit the words as before."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import (
    FIVE,
    MACHINES,
    Readings,
    Word,
    draw_long_words,
    enlarge,
    machine,
    samples,
    words_of,
)
from lengthwise.inference import reducing
from lengthwise.inference.reducing import reduce_states
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import SearchTask, count_wrong
from lengthwise.inference.state_merging import bound_wrong_labels
from lengthwise.languages.language import Language

SEVEN = machine([[(2 * n) % 9, (n * n + 1) % 9] for n in range(9)], [0, 1, 1, 0, 1, 0, 0, 0, 1])


@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("count", [1_000, 4_000])
def test_states_that_no_word_tells_apart_are_merged(count: int, noise: float) -> None:
    sample, large = draw_long_words(FIVE, count, 0, noise), enlarge(FIVE, 5, 0)
    assert large.num_states > 15
    *_, last = reduce_states(large, SearchTask(sample, noise))
    assert last.num_states <= 5
    if noise == 0:
        assert count_wrong(last, draw_long_words(FIVE, 1_000, 1, 0.0)) == 0


@given(samples(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2]))
def test_each_automaton_has_fewer_states_and_fits(sample: Sample, seed: int, noise: float) -> None:
    large = enlarge(MACHINES[seed % len(MACHINES)], 4, seed)
    task = SearchTask(sample, noise, least_states=2)
    enough = bound_wrong_labels(noise, len(sample))
    count = large.num_states
    for smaller in reduce_states(large, task):
        assert smaller.num_states < count
        assert count_wrong(smaller, sample) <= enough
        count = smaller.num_states


def test_transitions_are_redirected_where_merging_alone_misjudges_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample, large = draw_long_words(FIVE, 1_000, 2, 0.0), enlarge(FIVE, 5, 2)
    first = next(reduce_states(large, SearchTask(sample)))
    monkeypatch.setattr(reducing, "refine", lambda language, sample, read: language)
    merged = next(reduce_states(large, SearchTask(sample)))
    assert first.num_states < merged.num_states < large.num_states


@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("words", [15, 40])
@pytest.mark.parametrize("language", [FIVE, SEVEN])
def test_what_fits_a_part_of_the_words_has_to_fit_all(
    language: Language, words: int, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reducing, "_WORDS", words)
    sample, large = draw_long_words(language, 300, 0, noise), enlarge(language, 7, 0)
    found = list(reduce_states(large, SearchTask(sample, noise)))
    assert found
    counts = [each.num_states for each in [large, *found]]
    assert counts == sorted(set(counts), reverse=True)
    enough = bound_wrong_labels(noise, 300)
    assert all(count_wrong(each, sample) <= enough for each in found)


def test_where_labels_may_be_wrong_no_step_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest automaton that fits a part may be too small, and still fit all words."""
    monkeypatch.setattr(reducing, "_WORDS", 100)
    for noise, steps in ((0.0, 1), (0.03, 6)):
        sample, large = draw_long_words(FIVE, 300, 0, noise), enlarge(FIVE, 7, 0)
        counts = [each.num_states for each in reduce_states(large, SearchTask(sample, noise))]
        assert (len(counts), counts[-1]) == (steps, 5)


def test_repeated_words_count_by_their_lines() -> None:
    """Each word was seen on nine lines, one of them with another class: that is no more than may be
    wrong, and a word that is misjudged has eight wrong ones."""
    plain = draw_long_words(FIVE, 300, 0, 0.0)
    sample = replace(plain, lines=np.tile([8, 1], (300, 1)))
    found = list(reduce_states(enlarge(FIVE, 5, 0), SearchTask(sample, 1 / 9)))
    assert found
    enough = bound_wrong_labels(1 / 9, 2_700)
    assert all(count_wrong(each, sample) <= enough for each in found)
    assert min(each.num_states for each in found) <= 5


def test_large_automata_of_many_words_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sample, large = draw_long_words(FIVE, 300, 0, 0.0), enlarge(FIVE, 5, 0)
    assert list(reduce_states(large, SearchTask(sample)))
    monkeypatch.setattr(reducing, "_ENTRIES", 300 * 2 * 5)
    assert list(reduce_states(large, SearchTask(sample))) == []


def test_an_automaton_is_not_made_smaller_than_is_proved() -> None:
    sample, large = draw_long_words(FIVE, 1_000, 0, 0.0), enlarge(FIVE, 5, 0)
    assert list(reduce_states(large, SearchTask(sample, least_states=large.num_states))) == []


@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_costs_are_those_of_reading_every_word(sample: Sample, index: int) -> None:
    language = MACHINES[index]
    readings = Readings()
    moves, classes = np.array(language.transitions), np.array(language.classes)
    costs = reducing._costs(moves, classes, language.start, sample, readings.read)
    begun = np.random.default_rng(0).integers(0, sample.lengths + 1)
    words = list(words_of(sample))
    assert readings.symbols == sample.lengths.sum() + 3 * begun.sum()
    for state, other in np.ndindex(3, 3):
        passing = sum(state in states_in(language, word) for word in words)
        endings = [word[len(word) - left :] for word, left in zip(words, begun, strict=True)]
        differ = sum(
            language.classes[read(language, state, ending)]
            != language.classes[read(language, other, ending)]
            for ending in endings
        )
        expected = np.inf if state == other else passing * differ / len(words)
        assert costs[state, other] == pytest.approx(expected)


def states_in(language: Language, word: Word) -> Iterator[int]:
    """Yield the states of an automaton that reads a word."""
    for end in range(len(word) + 1):
        yield read(language, language.start, word[:end])


def read(language: Language, state: int, word: Word) -> int:
    """Return the state that a word leads to from a state."""
    for symbol in word:
        state = language.transitions[state][symbol]
    return state
