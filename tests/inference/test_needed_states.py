"""The states that words need: no more than any automaton that fits has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import ANSWERS, EVERY, FIVE, MACHINES, Readings, draw_long_words, sample_of
from lengthwise.inference import needed_states
from lengthwise.inference.needed_states import NeededStates
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import SearchTask


def needed(sample: Sample, max_states: int = 256) -> int:
    attempt = NeededStates().attempt(0, SearchTask(sample, max_states=max_states))
    assert attempt is not None
    assert attempt.language is None
    return attempt.least_states


@given(st.integers(0, len(MACHINES) - 1), st.integers(0, 2**31 - 1))
def test_every_machine_that_fits_has_as_many_states(index: int, chosen: int) -> None:
    mask = np.array([bool(chosen >> place & 1) for place in range(len(EVERY))])
    mask[0] = True
    words = [word for word, is_chosen in zip(EVERY, mask, strict=True) if is_chosen]
    fits = np.flatnonzero((ANSWERS[index, mask] == ANSWERS[:, mask]).all(axis=1))
    fewest = min(MACHINES[each].minimise().num_states for each in fits)
    assert needed(sample_of(words, ANSWERS[index, mask].tolist())) <= fewest


def test_many_short_words_need_all_states_and_no_more_are_counted_than_are_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = sample_of(EVERY, [FIVE.classify(word) for word in EVERY])
    assert needed(sample) == 5
    assert needed(sample, 3) == 4
    monkeypatch.setattr(needed_states, "_TELLING", 1)  # the empty word
    assert needed(sample) == 1


def test_labels_that_may_be_wrong_prove_nothing_and_one_attempt_is_all() -> None:
    sample, readings = draw_long_words(FIVE, 100, 0, 0.0), Readings()
    assert NeededStates().attempt(0, SearchTask(sample, 0.1)) is None
    assert NeededStates().attempt(1, SearchTask(sample)) is None
    assert NeededStates().attempt(0, SearchTask(sample, read=readings.read)) is not None
    assert readings.symbols > sample.lengths.sum()
