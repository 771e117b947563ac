"""State merging as a searcher."""

import numpy as np
import pytest

from inference.samples import machine, sample_of
from lengthwise.inference.merging import MergedTooLargeError, merge_states
from lengthwise.inference.searcher import AttemptLostError, SearchTask, to_language
from lengthwise.inference.state_merging import StateMerging, bound_wrong_labels

ENDS = machine([[2 * n % 4, (2 * n + 1) % 4] for n in range(4)], [0, 0, 0, 1])
"""Words that end with twice the second symbol."""

LONG = sample_of([(0,) * n for n in range(12)], [int(n == 11) for n in range(12)])


def test_a_search_past_its_bound_has_no_hypothesis() -> None:
    with pytest.raises(MergedTooLargeError):
        merge_states(LONG, caution=24.0, max_states=3)
    attempts = [
        StateMerging().attempt(number, SearchTask(LONG, max_states=3)) for number in range(3)
    ]
    assert all(each is not None and each.language is None for each in attempts)
    assert StateMerging().attempt(4, SearchTask(LONG, max_states=3)) is None


def test_the_last_attempt_refines_the_best_automaton() -> None:
    draw = np.random.default_rng(0)
    words = sorted({tuple(draw.integers(2, size=9).tolist()) for _ in range(300)})
    ends = [list(row) for row in ENDS.transitions]
    sample = sample_of(words, [ENDS.classify(word) for word in words])
    last = 3  # after two degrees of caution, and guesses
    ends[3][1] = 0  # instead of 1
    wrong = to_language(np.array(ends), np.array(ENDS.classes), sample)
    refined = StateMerging().attempt(last, SearchTask(sample, best=wrong))
    assert refined is not None
    assert refined.language == ENDS.minimise()
    assert StateMerging().attempt(last, SearchTask(sample, best=ENDS)) is None


def test_an_attempt_stops_when_the_time_is_used_up() -> None:
    def check() -> None:
        raise AttemptLostError

    with pytest.raises(AttemptLostError):
        StateMerging().attempt(0, SearchTask(LONG, check=check))


def test_noise_explains_as_many_wrong_labels_as_three_deviations_above_the_mean() -> None:
    assert bound_wrong_labels(0.1, 100) == pytest.approx(10 + 3 * 3)
    assert bound_wrong_labels(0.5, 64) == pytest.approx(32 + 3 * 4)
    assert bound_wrong_labels(0.0, 100) == 0
