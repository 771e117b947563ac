"""The words behind each part of an automaton, counted one by one."""

import random

import numpy as np
import pytest

from inference.samples import machine
from lengthwise.inference.sample import Sample
from lengthwise.inference.support import Support


@pytest.mark.parametrize("seed", range(40))
def test_a_word_rests_on_the_least_part_of_its_path(seed: int) -> None:
    draw = random.Random(seed)
    language = machine([[draw.randrange(4) for _ in "ab"] for _ in range(4)], [0, 1, 0, 1])
    words = {tuple(draw.choices((0, 1), k=draw.randint(0, 5))) for _ in range(12)}
    sample = Sample.of_words(sorted(words), [0] * len(words), 2, 2)
    word = draw.choices((0, 1), k=draw.randint(0, 5))
    paths = []
    for row in range(len(sample)):
        state, passed = language.start, set()
        for symbol in sample.word(row):
            passed.add((state, symbol))
            state = language.transitions[state][symbol]
        paths.append((passed, state))
    state, counts = language.start, []
    for symbol in word:
        counts.append(sum((state, symbol) in passed for passed, _ in paths))
        state = language.transitions[state][symbol]
    counts.append(sum(state == end for _, end in paths))
    support = Support.of(language, sample)
    assert support.least(language, word)[0] == min(counts)
    assert Support.from_dict(support.to_dict()) == support


def test_the_part_without_words_is_named() -> None:
    language = machine([[1, 0], [1, 0]], [0, 1])
    sample = Sample.of_words([(0,), (1,), ()], [1, 0, 0], 2, 2)
    support = Support.of(language, sample)
    assert support.least(language, (1, 0)) == (1, "passes '1' at the start")
    assert support.least(language, (0, 1)) == (0, "passes '1' after '0'")
    only = Support.of(language, sample.part(np.array([2])))
    assert only.least(language, ()) == (1, "ends in the state at the start")
