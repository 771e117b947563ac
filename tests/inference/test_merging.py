"""Merging states fits all words."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import (
    samples,
    words_of,
)
from lengthwise.inference.merging import Merging, merge_states
from lengthwise.inference.sample import Sample, answers_of


@given(samples(), st.sampled_from([384.0, 24.0, 1.0]))
def test_merging_fits_all_words_whatever_they_are(sample: Sample, caution: float) -> None:
    found = merge_states(sample, caution=caution, max_states=300)
    for word, label in words_of(sample).items():
        assert found.classes[found.run(word)] == label
    assert answers_of(found, sample).tolist() == sample.classes.tolist()


def disagreeing(count: int) -> Sample:
    """Words 0v and 10v, for all 1,024 v of length 10. Of the latter, `count` have label 1."""
    ends = list(itertools.product((0, 1), repeat=10))
    odd = [(i + 1) * count // len(ends) - i * count // len(ends) for i in range(len(ends))]
    words = [(0, *end) for end in ends] + [(1, 0, *end) for end in ends]
    return Sample.of_words(words, [0] * len(ends) + odd, 2, 2)


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_a_merge_is_refused_past_three_deviations_of_labels_that_differ(noise: float) -> None:
    """Of two labels, each wrong with probability e, a share 2e(1 - e) differs; one more may."""
    share = 2 * noise * (1 - noise)
    mean, deviation = 1024 * share, math.sqrt(1024 * share * (1 - share))
    most = math.floor(mean + 1 + 3 * deviation)
    for count, is_refused in ((most, False), (most + 1, True)):
        search = Merging(disagreeing(count), noise=noise, max_states=4)
        edge_of_one = 1
        assert search.judge(edge_of_one).refused.tolist() == [is_refused]


def test_without_noise_one_label_that_differs_refuses_a_merge() -> None:
    for count in (0, 1):
        search = Merging(disagreeing(count), noise=0.0, max_states=4)
        assert search.judge(1).refused.tolist() == [bool(count)]
