"""Local search: each move does what it says, and a descent ends where no move helps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import MACHINES, samples
from inference.test_packed_words import end_of
from lengthwise.inference import local_search
from lengthwise.inference.local_search import LocalSearch, WorkUsedUpError, commonest_classes
from lengthwise.inference.packed_words import PackedWords, log_likelihood
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Read


def run_search(sample: Sample, most_work: float = np.inf) -> LocalSearch:
    words = PackedWords.of(sample, np.arange(len(sample)))
    return LocalSearch(words, np.random.default_rng(0), most_work=most_work)


def plain_score(moves: np.ndarray, sample: Sample) -> float:
    counts = np.zeros((1, len(moves), 2), dtype=np.int64)
    for row in range(len(sample)):
        counts[0, end_of(moves.tolist(), sample.word(row)), sample.classes[row]] += 1
    return float(log_likelihood(counts)[0])


plain_counts = PackedWords.counts


def table(index: int) -> np.ndarray:
    return np.array(MACHINES[index].transitions)


indices = st.integers(0, len(MACHINES) - 1)


@settings(max_examples=40)
@given(samples(), indices)
def test_a_descent_ends_where_no_redirect_and_no_recast_helps(sample: Sample, index: int) -> None:
    search, moves = run_search(sample), table(index)
    before = plain_score(moves, sample)
    search.descend(moves)
    score = plain_score(moves, sample)
    assert score >= before - 1e-9
    others = []
    for place in np.ndindex(*moves.shape):
        for target in range(len(moves)):
            others.append(moves.copy())
            others[-1][place] = target
    for symbol in range(2):
        for action in ([0, 1, 2], [0] * 3, [1] * 3, [2] * 3, moves[:, 1 - symbol]):
            others.append(moves.copy())
            others[-1][:, symbol] = action
    assert max(plain_score(other, sample) for other in others) <= score + 1e-9


@settings(max_examples=40)
@given(samples(), indices)
def test_no_plain_action_of_a_symbol_is_left_that_helps(sample: Sample, index: int) -> None:
    search, moves = run_search(sample), table(index)
    while search.recast(moves):
        pass
    score = plain_score(moves, sample)
    for symbol in range(2):
        for action in ([0, 1, 2], [0] * 3, [1] * 3, [2] * 3, moves[:, 1 - symbol]):
            other = moves.copy()
            other[:, symbol] = action
            assert plain_score(other, sample) <= score + 1e-9


@given(samples(), indices)
def test_no_other_start_is_left_that_helps(sample: Sample, index: int) -> None:
    moves = table(index)
    scores = []
    for start in range(3):
        counts = np.zeros((1, 3, 2), dtype=np.int64)
        for row in range(len(sample)):
            end = end_of(moves.tolist(), sample.word(row), start)
            counts[0, end, sample.classes[row]] += 1
        scores.append(float(log_likelihood(counts)[0]))
    changed = run_search(sample).restart(moves)
    assert plain_score(moves, sample) == pytest.approx(max(scores), abs=1e-9)
    assert changed == (scores[0] < max(scores) - 1e-9)


@settings(max_examples=5)
@given(samples(), indices)
def test_no_two_redirects_at_once_are_left_that_help(sample: Sample, index: int) -> None:
    search, moves = run_search(sample), table(index)
    while search.redirect_two(moves):
        pass
    score = plain_score(moves, sample)
    draw = np.random.default_rng(index)
    for _ in range(50):  # of the 324, all of which are among those that are drawn
        other = moves.copy().ravel()
        other[draw.integers(0, 6, 2)] = draw.integers(0, 3, 2)
        assert plain_score(other.reshape(3, 2), sample) <= score + 1e-9


@given(samples(), indices)
def test_a_new_state_goes_on_as_the_old_one(sample: Sample, index: int) -> None:
    moves = table(index)
    larger = run_search(sample).split(moves, 5.0)
    assert larger.shape == (4, 2)
    (place,) = map(tuple, np.argwhere(larger == 3))
    target = moves[place]
    assert larger[3].tolist() == moves[target].tolist()
    larger_before = larger.copy()
    larger_before[place] = target
    assert larger_before[:3].tolist() == moves.tolist()
    assert plain_score(larger, sample) >= plain_score(moves, sample) - 1e-9


@given(samples(), indices)
def test_a_state_that_is_dropped_leaves_the_others(sample: Sample, index: int) -> None:
    moves = table(index)
    smaller = run_search(sample).drop(moves, 0.0)
    every = []
    for state, other in ((1, 0), (1, 2), (2, 0), (2, 1)):
        left = [q for q in range(3) if q != state]
        targets = [[other if t == state else t for t in moves[q]] for q in left]
        every.append([[left.index(t) for t in row] for row in targets])
    assert smaller.tolist() in every
    best = max(plain_score(np.array(each), sample) for each in every)
    assert plain_score(smaller, sample) == pytest.approx(best)


@given(samples(), indices, st.integers(1, 60))
def test_no_more_candidates_are_made_than_there_is_room_for(
    sample: Sample, index: int, most: int
) -> None:
    search, moves, sizes = run_search(sample), table(index), list[int]()

    def counts(words: PackedWords, moves: np.ndarray, read: Read) -> np.ndarray:
        sizes.append(moves.size)
        return plain_counts(words, moves, read)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_search, "_ENTRIES", most)
        patch.setattr(PackedWords, "counts", counts)
        larger, smaller = search.split(moves, 0.0), search.drop(moves, 0.0)
        before = plain_score(moves, sample)
        search.recast(recast := moves.copy())
    assert max(sizes[:2]) <= max(most, 8)
    assert max(sizes[2:]) <= max(most, 6) + 6 * 5  # room for what is known, and five plain actions
    assert larger.shape == (4, 2)
    assert smaller.shape == (2, 2)
    assert plain_score(recast, sample) >= before - 1e-9


@settings(max_examples=30)
@given(samples(), indices)
def test_what_shrinks_still_fits(sample: Sample, index: int) -> None:
    classes = [MACHINES[index].classify(sample.word(row)) for row in range(len(sample))]
    words = [sample.word(row) for row in range(len(sample))]
    labelled = Sample.of_words(words, classes, 2, 2)
    search = run_search(labelled)
    smaller = search.shrink(table(index))
    assert search.fits(smaller)
    assert len(smaller) <= 3


def test_growing_ends_with_an_automaton_that_fits() -> None:
    words = [(1,) * n for n in range(7)]
    sample = Sample.of_words(words, [0, 1, 0, 0, 1, 1, 0], 2, 2)
    search = run_search(sample)
    *_, last = search.grow(np.zeros((1, 2), dtype=np.int64), 7)
    assert search.fits(last)
    assert plain_score(last, sample) == 0
    assert len(last) <= 7
    assert list(search.grow(last, 1)) == []


def test_a_search_reads_no_more_than_it_may() -> None:
    sample = Sample.of_words([(0,), (1,)], [0, 1], 2, 2)
    search, blank = run_search(sample, most_work=5), np.zeros((1, 2), dtype=np.int64)
    for _ in range(3):
        search.score(blank)
    assert search.work == 6
    with pytest.raises(WorkUsedUpError):
        search.score(blank)


def test_a_state_has_the_commonest_class() -> None:
    assert commonest_classes(np.array([[1, 3], [0, 0], [2, 1]]), 1).tolist() == [1, 1, 0]


@settings(max_examples=20)
@given(st.integers(0, 999))
def test_states_are_added_for_what_they_explain_alone(seed: int) -> None:
    draw = np.random.default_rng(seed)
    words = sorted({tuple(draw.integers(0, 2, 12).tolist()) for _ in range(300)})
    ends = [word[-2:] == (1, 1) for word in words]
    labels = [int(end ^ (draw.random() < 0.05)) for end in ends]
    sample = Sample.of_words(words, labels, 2, 2)
    search, blank = run_search(sample), np.zeros((1, 2), dtype=np.int64)
    found = search.extend(blank)
    states = len(found)
    assert 2 <= states <= 6
    cost = sum(2 * np.log(size) for size in range(2, states + 1))
    assert plain_score(found, sample) - plain_score(blank, sample) >= cost
    counts = search.counts(found[None])[0]
    answers = [int(commonest_classes(counts, 0)[end_of(found.tolist(), word)]) for word in words]
    assert np.mean([answer == end for answer, end in zip(answers, ends, strict=True)]) > 0.9
