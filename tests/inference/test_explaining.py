"""Explanations: bits of automata, and what they gain if words go on elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import samples
from inference.test_visits import tables
from lengthwise.inference.explaining import ByAlarms, ByEnd, Candidate, Rates, bits_of_moves
from lengthwise.inference.packed_words import log_likelihood
from lengthwise.inference.sample import Array, Sample
from lengthwise.inference.searcher import size_in_bits, to_language
from lengthwise.inference.visits import passes_of


def run(moves: Array, state: int, word: tuple[int, ...]) -> int:
    for symbol in word:
        state = int(moves[state, symbol])
    return state


def rate_of(moves: Array, rates: Rates, state: int, word: tuple[int, ...]) -> float:
    total = 0.0
    for symbol in word:
        total += rates[state, symbol]
        state = int(moves[state, symbol])
    return total


@given(moves=tables)
def test_bits_of_transitions_are_those_of_the_criterion(moves: Array) -> None:
    """The criterion adds a bit for the class of each of two-class states."""
    sample = Sample.of_words([(0,)], [0], 2, 2)
    for classes in (np.arange(len(moves)) % 2, np.arange(len(moves)) // 2 % 2):
        language = to_language(moves, classes, sample)
        minimal = np.array(language.transitions)
        expected = size_in_bits(language) - len(minimal)
        assert bits_of_moves(minimal[None])[0] == pytest.approx(expected)


@given(moves=tables, sample=samples(), data=st.data())
def test_gains_by_ends_are_those_of_reading_on_elsewhere(
    moves: Array, sample: Sample, data: st.DataObject
) -> None:
    states, explanation = len(moves), ByEnd(sample)
    ends = [run(moves, 0, sample.word(row)) for row in range(len(sample))]
    for passes, size in zip(passes_of(moves, sample), (moves.size, 2 * moves.size), strict=True):
        gains = explanation.gains(moves, passes, size)
        assert gains.shape == (size, states)
        code, target = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, states - 1))
        others = list(ends)
        for at in np.flatnonzero(passes.codes == code):
            row, left = int(passes.words[at]), int(passes.left[at])
            word = sample.word(row)
            others[row] = run(moves, target, word[len(word) - left + 1 :])
        counts = np.zeros((2, states, 2), dtype=np.int64)
        for row, label in enumerate(sample.classes):
            counts[0, ends[row], label] += 1
            counts[1, others[row], label] += 1
        before, after = log_likelihood(counts) / np.log(2)
        assert gains[code, target] == pytest.approx(after - before)


@given(moves=tables, sample=samples(), data=st.data())
def test_gains_by_alarms_are_those_of_other_rates_on_the_way(
    moves: Array, sample: Sample, data: st.DataObject
) -> None:
    states, noise = len(moves), 0.1
    explanation = ByAlarms(sample, 1, noise)
    rates = np.array(data.draw(st.lists(st.floats(0, 3), min_size=moves.size, max_size=moves.size)))
    explanation.rates = rates.reshape(moves.shape).astype(np.float32)

    def bits(row: int, total: float) -> float:
        quiet = noise + (1 - 2 * noise) * np.exp(-total)
        return float(np.log2(1 - quiet if sample.classes[row] == 1 else quiet))

    _, passes = passes_of(moves, sample)
    size = 2 * moves.size
    gains = explanation.gains(moves, passes, size)
    code, target = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, states + 1))
    gain = 0.0
    for at in np.flatnonzero(passes.codes == code):
        row, left, state = (int(each[at]) for each in (passes.words, passes.left, passes.states))
        word = sample.word(row)
        place = len(word) - left
        before = rate_of(moves, explanation.rates, 0, word[:place])
        here = explanation.rates[state, word[place]]
        own = int(moves[state, word[place]])
        if target < states:
            total = before + here + rate_of(moves, explanation.rates, target, word[place + 1 :])
        elif target == states:
            total = before + rate_of(moves, explanation.rates, own, word[place + 1 :])
        else:
            total = 6.0
        gain += bits(row, total) - bits(row, rate_of(moves, explanation.rates, 0, word))
    assert gains[code, target] == pytest.approx(gain, abs=1e-3)


@given(moves=tables, sample=samples())
def test_rates_that_are_fitted_explain_better_and_are_kept(moves: Array, sample: Sample) -> None:
    """More rounds never explain much worse; the bits are those of the rates that are adopted."""
    explanation = ByAlarms(sample, 1, 0.02)
    now = Candidate(moves, np.arange(len(moves)))
    first = explanation.bits([now], 0.0)[0]
    explanation.adopt(now)
    totals = np.array(
        [rate_of(moves, explanation.rates, 0, sample.word(row)) for row in range(len(sample))]
    )
    quiet = 0.02 + 0.96 * np.exp(-totals)
    ones = sample.classes == 1
    assert first == pytest.approx(-np.log2(np.where(ones, 1 - quiet, quiet)).sum(), rel=1e-4)
    start = np.array([len(sample.word(row)) for row in range(len(sample))]) * 0.02
    quiet = 0.02 + 0.96 * np.exp(-start)
    assert first <= -np.log2(np.where(ones, 1 - quiet, quiet)).sum() + 1e-3


def test_an_alarm_that_is_always_raised_leads_to_a_state_that_is_never_left() -> None:
    """Words of class 1 are those in which 1 follows a 0 somewhere."""
    draw = np.random.default_rng(0)
    words = list({tuple(draw.integers(0, 2, draw.integers(1, 7)).tolist()) for _ in range(300)})
    labels = [int("01" in "".join(map(str, word))) for word in words]
    explanation = ByAlarms(Sample.of_words(words, labels, 2, 2), 1, 0.0)
    moves = np.array([[1, 0], [1, 0]])
    explanation.adopt(Candidate(moves, np.arange(2)))
    assert explanation.rates[1, 1] > 3
    assert explanation.rates.ravel()[:3] == pytest.approx([0, 0, 0], abs=0.1)
    assert explanation.with_alarm(moves).tolist() == [[1, 0], [1, 2], [2, 2]]
