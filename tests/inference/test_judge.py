"""The judge of automata: wrong words, likely automata and bits, beside plain computations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.samples import machine
from lengthwise.inference.judge import Hypothesis, Judge
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import size_in_bits

EVEN = machine([[1, 0], [0, 1]], [0, 1])


def words_with(wrong: int, count: int = 100, lines: int = 1) -> Sample:
    """Words, of which some have another class than by `EVEN`; each was seen on so many lines with
    its class, and on one with the other class if that is more than one."""
    words = np.arange(count)[:, None] >> np.arange(7) & 1
    classes = (words == 0).sum(axis=1) % 2
    classes[:wrong] ^= 1
    seen = None if lines == 1 else np.tile([lines, 1], (count, 1))
    return Sample.of(words, np.full(count, 7), classes, 2, 2, lines=seen)


def judge_with(train: int, valid: int, noise: float = 0.0, *, lines: int = 1) -> Judge:
    """Judge by 100 words of training and 100 of validation, some of another class."""
    return Judge(words_with(train, lines=lines), words_with(valid, lines=lines), noise)


def judged(judge: Judge) -> Hypothesis:
    return judge(EVEN, "one")


def test_without_noise_an_automaton_that_misjudges_no_word_goes_first() -> None:
    right = judged(judge_with(0, 0))
    for wrong in ((1, 0), (0, 1)):
        other = judged(judge_with(*wrong))
        assert right.rank(0.0) < other.rank(0.0)
        assert Hypothesis(EVEN, "", 0, 0, 9e9, 9e9).rank(0.0) < other.rank(0.0)
        assert Hypothesis(EVEN, "", 0, 0, 9e9, 9e9).rank(0.1) > other.rank(0.1)


@pytest.mark.parametrize("lines", [1, 9])
def test_what_is_likely_is_counted_in_lines_of_each_part(lines: int) -> None:
    """Of 100 lines with 10 % wrong labels 19 is three deviations more than on average; on 9 lines
    and one each, a word that is misjudged has 9 wrong ones, and another word one."""
    count = 100 * (lines + (lines > 1))
    most = 0.1 * count + 3 * math.sqrt(0.09 * count)
    for wrong in range(0, 40):
        here = wrong * lines + (100 - wrong) * (lines > 1)
        for parts in ((wrong, 0), (0, wrong)):
            judge = judge_with(*parts, 0.1, lines=lines)
            assert judge.is_likely(judged(judge)) == (here <= most)


@given(st.integers(0, 20), st.integers(0, 20), st.sampled_from([1, 4]))
def test_the_excess_is_in_standard_deviations(train: int, valid: int, lines: int) -> None:
    judge = Judge(words_with(train, lines=lines), words_with(valid, 50, lines), 0.2)
    wrong = (train + valid) * lines + (150 - train - valid) * (lines > 1)
    count = 150 * (lines + (lines > 1))
    expected = (wrong - 0.2 * count) / math.sqrt(0.2 * 0.8 * count)
    assert judged(judge).all_wrong == wrong
    assert judge.excess(judged(judge)) == pytest.approx(expected)


def test_only_without_noise_an_automaton_fits_all() -> None:
    for wrong in ((0, 0), (1, 0), (0, 1)):
        judge = judge_with(*wrong)
        assert judge.fits_all(judged(judge)) == (wrong == (0, 0))
    judge = judge_with(0, 0, 0.1)
    assert not judge.fits_all(judged(judge))


@pytest.mark.parametrize("lines", [1, 4])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_share_is_of_the_bits_that_a_constant_answer_lacks(noise: float, lines: int) -> None:
    """Each different word counts once, on however many lines it was seen."""
    judge = Judge(words_with(0, lines=lines), words_with(0, 50, lines), noise)
    hypothesis, count = judged(judge), 150 * (lines + (lines > 1))
    wrong = 150 * (lines > 1)
    if noise:
        labels = -wrong * math.log2(noise) - (count - wrong) * math.log2(1 - noise)
    else:
        labels = math.log2(count + 1) + math.log2(math.comb(count, wrong))
    saved = judge.train.entropy * count - labels
    expected = size_in_bits(EVEN) / (saved * 150 / count)
    assert judge.share(hypothesis) == pytest.approx(expected)
    assert hypothesis.bits == pytest.approx(size_in_bits(EVEN) + labels)


def test_what_saves_no_bits_explains_nothing() -> None:
    """Half of the words are misjudged, which half of wrong labels would make it."""
    judge = Judge(words_with(50), words_with(0, 0), 0.5)
    assert judge.is_likely(judged(judge))
    assert judge.share(judged(judge)) == math.inf
    assert not judge.explains(judged(judge))


def test_a_rule_of_half_the_bits_that_it_saves_explains_nothing() -> None:
    judge = judge_with(0, 0, 0.1)
    saved = judge.share(judge(EVEN, "rule", 1.0))
    for share in (0.1, 0.49, 0.51, 0.9):
        rule = judge(EVEN, "rule", share / saved)
        assert rule.size == pytest.approx(min(share / saved, size_in_bits(EVEN)))
        assert judge.explains(replace(rule, size=share / saved)) == (share < 0.5)


@given(st.integers(1, 100), st.integers(0, 30))
def test_an_automaton_explains_words_if_it_is_likely_and_short(count: int, wrong: int) -> None:
    judge = Judge(words_with(min(wrong, count), count), words_with(0, 0), 0.1)
    is_short = judge.share(judged(judge)) < 0.5
    assert judge.explains(judged(judge)) == (judge.is_likely(judged(judge)) and is_short)
