"""Merging states fits all words."""

from hypothesis import given
from hypothesis import strategies as st

from inference.samples import (
    samples,
    words_of,
)
from lengthwise.inference.merging import merged_automaton
from lengthwise.inference.sample import Sample, answers_of


@given(samples(), st.sampled_from([384.0, 24.0, 1.0]))
def test_merging_fits_all_words_whatever_they_are(sample: Sample, caution: float) -> None:
    found = merged_automaton(sample, caution=caution, max_states=300)
    for word, label in words_of(sample).items():
        assert found.classes[found.run(word)] == label
    assert answers_of(found, sample).tolist() == sample.classes.tolist()
