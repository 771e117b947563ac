"""State merging as a searcher."""

import numpy as np
import pytest

from inference.samples import end_at_once, machine, sample_of
from lengthwise.inference import state_merging
from lengthwise.inference.merging import MergedTooLargeError, merge_states
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import (
    AttemptLostError,
    Read,
    SearchTask,
    count_wrong,
    to_language,
)
from lengthwise.inference.state_merging import StateMerging, _improve, bound_wrong_labels
from lengthwise.languages.language import Language

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


def test_an_automaton_at_chance_is_not_refined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merging says nothing of words that are all long; half of these are of each class."""
    draw = np.random.default_rng(0)
    words = sorted({tuple(draw.integers(4, size=25).tolist()) for _ in range(1_200)})
    sample = sample_of(words, [word.count(0) % 2 for word in words], 4)
    monkeypatch.setattr(state_merging, "refine", lambda *args: pytest.fail("refined"))
    merged = StateMerging().attempt(4, SearchTask(sample))  # the 500 shortest words
    assert merged is not None
    assert merged.language is not None
    assert count_wrong(merged.language, sample) > 250


@pytest.mark.parametrize(
    ("each", "noise", "is_refined"), [(12, 0.0, False), (6, 0.0, True), (12, 0.1, True)]
)
def test_few_right_words_are_more_than_chance_among_many_classes(
    each: int, noise: float, is_refined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 150 words that are not merged, 13 or 25 are right; 20 have the commonest label. What
    merging makes of wrong labels is refined anyway."""
    words = [(first, second) for first in range(10) for second in range(20)]
    wrong = [row >= 50 and (row - 50) % each > 0 for row in range(200)]
    labels = [(first + is_wrong) % 10 for (first, _), is_wrong in zip(words, wrong, strict=True)]
    sample = Sample.of_words(words, labels, 20, 10)
    moves = np.array([[*range(1, 11)] * 2, *([state] * 20 for state in range(1, 11))])
    by_first = to_language(moves, np.array([0, *range(10)]), sample)
    calls = list[int]()

    def refine(language: Language, part: Sample, read: Read) -> Language:
        calls.append(len(part))
        return language

    monkeypatch.setattr(state_merging, "refine", refine)
    _improve(by_first, SearchTask(sample, noise), 50)
    assert calls == ([100] if is_refined else [])


def test_an_attempt_stops_when_the_time_is_used_up() -> None:
    with pytest.raises(AttemptLostError):
        StateMerging().attempt(0, SearchTask(LONG, read=end_at_once))


def test_noise_explains_as_many_wrong_labels_as_three_deviations_above_the_mean() -> None:
    assert bound_wrong_labels(0.1, 100) == pytest.approx(10 + 3 * 3)
    assert bound_wrong_labels(0.5, 64) == pytest.approx(32 + 3 * 4)
    assert bound_wrong_labels(0.0, 100) == 0
