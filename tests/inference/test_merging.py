"""Merging states fits all words."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import (
    samples,
    words_of,
)
from lengthwise.inference.merging import Merging, find_majorities, merge_states
from lengthwise.inference.sample import Sample, answers_of


@given(samples(), st.sampled_from([384.0, 24.0, 1.0]))
def test_merging_fits_all_words_whatever_they_are(sample: Sample, caution: float) -> None:
    found = merge_states(sample, caution=caution, max_states=300)
    for word, label in words_of(sample).items():
        assert found.classes[found.run(word)] == label
    assert answers_of(found, sample).tolist() == sample.classes.tolist()


@given(samples(), st.data())
def test_edges_and_refusals_are_those_of_reading_every_word(
    sample: Sample, data: st.DataObject
) -> None:
    search = Merging(sample, noise=0.0, max_states=300)
    moves: dict[int, int] = {}
    for _ in range(8):
        passed = {place for place, _ in place_words(sample, moves) if place[0] == "edge"}
        edges = sorted(edge for _, edge in passed)
        assert search.open_edges().tolist() == edges
        if not edges:
            break
        edge = data.draw(st.sampled_from(edges))
        every = range(search.num_states)
        refused = [contradicts(sample, {**moves, edge: state}) for state in every]
        assert search.judge(edge).refused.tolist() == refused
        allowed = [state for state in every if not refused[state]]
        target = data.draw(st.sampled_from([*allowed, search.num_states]))
        moves[edge] = target
        if target == search.num_states:
            search.promote(edge)
        else:
            search.lead(edge, target)


def place_words(
    sample: Sample, moves: dict[int, int]
) -> list[tuple[tuple[str, int], tuple[int, ...]]]:
    """Return the state or the open edge that each word comes to, and what it has left to read."""
    places = []
    for row in range(len(sample)):
        word, state = sample.word(row), 0
        while word and (edge := state * sample.num_symbols + word[0]) in moves:
            state, word = moves[edge], word[1:]
        places.append((("edge", edge), word[1:]) if word else (("state", state), word))
    return places


def contradicts(sample: Sample, moves: dict[int, int]) -> bool:
    """Return whether two words of different classes come to the same place."""
    classes: dict[tuple[tuple[str, int], tuple[int, ...]], int] = {}
    pairs = zip(place_words(sample, moves), sample.classes.tolist(), strict=True)
    return any(classes.setdefault(place, label) != label for place, label in pairs)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1))
def test_the_commonest_class_of_a_key_is_the_first_of_the_most(
    pairs: list[tuple[int, int]],
) -> None:
    codes, counts = np.unique([key * 3 + label for key, label in pairs], return_counts=True)
    found = zip(*(each.tolist() for each in find_majorities(codes, counts, 3)), strict=True)
    votes = {key: Counter(label for other, label in pairs if other == key) for key, _ in pairs}
    first = {
        key: max(range(3), key=lambda label: (count[label], -label)) for key, count in votes.items()
    }
    assert list(found) == [
        (key, first[key], votes[key][first[key]], votes[key].total()) for key in sorted(votes)
    ]


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
