"""One side of a bimachine, where the other one is known."""

import numpy as np

from inference.pairs.drawn_pairs import pairs_of
from lengthwise.inference.pairs.sides import (
    ask_symbols,
    merge_side,
    question_sample,
    shared_contexts,
)
from lengthwise.languages.functions.by_name import function


def test_the_left_side_of_an_adder_has_one_state_where_the_right_one_is_known() -> None:
    adder = function("add[base=2,first=high]")
    pairs = pairs_of(adder)
    merged = merge_side(
        pairs, ask_symbols(pairs, adder.right), noise=0.0, max_states=8, caution=24.0
    )
    assert merged is not None
    left, answers = merged
    assert len(left) == 1
    assert answers.reshape(4, 2).tolist() == [[row[0], row[1]] for row in adder.table[0]]
    assert merge_side(pairs, ask_symbols(pairs), noise=0.0, max_states=8, caution=24.0) is None


def test_contexts_that_few_pairs_share_are_not_asked_about() -> None:
    pairs = pairs_of(function("gray"), 100)
    every, common = shared_contexts(pairs, 1), shared_contexts(pairs, 20)
    assert ((every.numbers >= 0) == pairs.inside).all()
    asked = common.numbers[common.numbers >= 0]
    assert np.bincount(asked).min() >= 20
    assert len(np.unique(asked)) == common.count < every.count


def test_a_beginning_with_a_question_is_there_once_with_its_commonest_answer() -> None:
    pairs = pairs_of(function("gray"), 400, longest=4, noise=0.1)
    sample, shares = question_sample(pairs, ask_symbols(pairs))
    words = [sample.word(row) for row in range(len(sample))]
    assert len(words) == len(set(words)) == 2 + 4 + 8 + 16
    for word, label in zip(words, sample.classes.tolist(), strict=True):
        *before, asked = word
        right = function("gray").run([*before, asked - 2])[-1]
        assert label == (asked - 2) * 2 + right
    assert np.allclose(shares.reshape(2, 2).sum(axis=1), 1)
