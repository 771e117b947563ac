"""Shortcuts of functions on pairs, by hand."""

from lengthwise.inference.pairs.paired import Paired
from lengthwise.inference.pairs.shortcuts import learn_rules, right_by_rule


def test_shortcuts_write_what_they_learnt() -> None:
    seen = Paired.of_words([([0, 0, 1], [1, 0, 0]), ([1, 0, 0], [0, 1, 0])], 2, 2)
    rules = learn_rules([seen], "01", "01")
    tested = Paired.of_words([([0, 0, 1, 0], [1, 0, 0, 1]), ([1], [1])], 2, 2)
    right = {name: each.sum(axis=1).tolist() for name, each in right_by_rule(rules, tested).items()}
    assert right == {
        "copy": [1, 1],
        "last symbol": [2, 0],
        "last two symbols": [4, 0],
        "most frequent": [2, 0],
    }
