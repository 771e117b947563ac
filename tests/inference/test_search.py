"""Inference from labelled words against plain definitions: sets of words, all small machines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import (
    ANSWERS,
    EVERY,
    MACHINES,
    sample_of,
    samples,
)
from lengthwise.inference import search
from lengthwise.inference.merging import MergedTooLargeError, merged_automaton
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.search import best_automaton
from lengthwise.languages.language import Language
from ordinary import few
from strategies import minimal_automaton


@given(samples())
def test_what_is_inferred_fits_all_words_of_training_and_validation(sample: Sample) -> None:
    mask = np.arange(len(sample)) % 3 == 0
    found = best_automaton(sample.part(~mask), sample.part(mask), max_states=300)
    assert found is not None
    assert answers_of(found, sample).tolist() == sample.classes.tolist()


@settings(max_examples=few(15, 60))
@given(st.integers(0, len(MACHINES) - 1))
def test_complete_words_give_the_smallest_machine_that_fits(index: int) -> None:
    sample = sample_of(EVERY, ANSWERS[index].tolist())
    found = best_automaton(sample, sample.part(np.zeros(0, dtype=np.int64)), max_states=50)
    fits = np.flatnonzero((ANSWERS[index] == ANSWERS).all(axis=1))
    smallest = min((MACHINES[each].minimised() for each in fits), key=lambda one: one.num_states)
    assert found is not None
    assert found.minimised() == smallest


def drawn(language: Language, count: int, seed: int, noise: float) -> tuple[Sample, Sample]:
    """Uniform words of up to 20 symbols, a share of whose labels is wrong, in two parts."""
    draw = np.random.default_rng(seed)
    words = {
        tuple(draw.integers(0, language.num_symbols, draw.integers(0, 21)).tolist())
        for _ in range(count)
    }
    ordered = sorted(words)
    labels = [language.classify(word) ^ int(draw.random() < noise) for word in ordered]
    sample = sample_of(ordered, labels, language.num_symbols)
    mask = draw.random(len(sample)) < 0.1
    return sample.part(~mask), sample.part(mask)


@pytest.mark.slow_except("2001-0.0", "2003-0.0")
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("seed", [2_001, 2_003])
def test_the_language_is_found_where_labels_are_wrong(seed: int, noise: float) -> None:
    language = minimal_automaton(seed)
    train, valid = drawn(language, 4_000, seed, noise)
    found = best_automaton(train, valid, noise=noise, max_states=100)
    assert found is not None
    assert found.minimised().transitions == language.minimised().transitions
    assert found.minimised().classes == language.minimised().classes


def test_a_search_past_its_bound_is_refused() -> None:
    words = [(0,) * n for n in range(12)]
    sample = sample_of(words, [int(n == 11) for n in range(12)])
    with pytest.raises(MergedTooLargeError):
        merged_automaton(sample, caution=24.0, max_states=3)
    assert best_automaton(sample, sample.part(np.zeros(0, dtype=np.int64)), max_states=3) is None


def test_noise_explains_as_many_wrong_labels_as_three_deviations_above_the_mean() -> None:
    assert search._expected(0.1, 100) == pytest.approx(10 + 3 * 3)
    assert search._expected(0.5, 64) == pytest.approx(32 + 3 * 4)
    assert search._expected(0.0, 100) == 0
