"""Shortcuts compared with a plain computation word by word."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.inference.sample import Sample
from lengthwise.inference.shortcuts import (
    SHORTCUTS,
    ClassedWords,
    best_shortcut,
    ends,
    rank_counts,
    right_answers,
)

Word = tuple[int, ...]
LABELLED = st.dictionaries(
    st.lists(st.integers(0, 2), max_size=4).map(tuple), st.integers(0, 2), min_size=1, max_size=30
)


def _counts(word: Word) -> Hashable:
    pairs = combinations(range(3), 2)
    return frozenset(word), tuple(np.sign(word.count(a) - word.count(b)) for a, b in pairs)


def _plain(seen: dict[Word, int], asked: dict[Word, int]) -> dict[str, int]:
    """Return the right answers of each rule, by a table of votes for each value of its features."""

    def most(votes: Counter[int]) -> int:
        return min(votes, key=lambda each: (-votes[each], each))

    def learn(feature: Callable[[Word], Hashable]) -> dict[Hashable, int]:
        votes: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        for word, label in seen.items():
            votes[feature(word)][label] += 1
        return {key: most(found) for key, found in votes.items()}

    rules: Sequence[Callable[[Word], Hashable]] = (
        lambda word: (),
        len,
        lambda word: (len(word), _counts(word)),
        lambda word: (len(word), word[:1], word[-1:]),
    )
    common, lengths, *_ = tables = [learn(rule) for rule in rules]
    right: list[int] = []
    for rule, table in zip(rules, tables, strict=True):
        answers = {
            word: table.get(rule(word), lengths.get(len(word), common[()])) for word in asked
        }
        right.append(sum(answers[word] == label for word, label in asked.items()))
    return dict(zip(SHORTCUTS, right, strict=True))


def _sample(words: dict[Word, int]) -> Sample:
    return Sample.of_words(list(words), list(words.values()), 3, 3)


@given(LABELLED, LABELLED)
def test_right_answers_are_those_of_tables_of_votes(
    seen: dict[Word, int], asked: dict[Word, int]
) -> None:
    plain = _plain(seen, asked)
    name, right = best_shortcut(_sample(seen), _sample(asked))
    assert right == plain[name] == max(plain.values())


def test_words_come_in_parts() -> None:
    parts = [
        ClassedWords(np.array([[-1, 0], [1, 0]]), np.array([1, 2]), np.array([0, 1])),
        ClassedWords(np.array([[1]]), np.array([1]), np.array([1])),
    ]
    assert right_answers(parts, parts, 2, 2)["first and last symbol"] == 3


@given(st.lists(st.lists(st.integers(-1, 4), min_size=6, max_size=6), min_size=1, max_size=20))
def test_ranks_compare_the_counts_of_each_two_symbols(tokens: list[list[int]]) -> None:
    ranks = rank_counts(np.array(tokens), 5)
    for word, found in zip(tokens, ranks.tolist(), strict=True):
        counts = [word.count(symbol) for symbol in range(5)]
        assert [rank > 0 for rank in found] == [count > 0 for count in counts]
        for one, other in combinations(range(5), 2):
            assert np.sign(found[one] - found[other]) == np.sign(counts[one] - counts[other])
        assert set(found) | {0} == set(range(len(set(counts) | {0})))  # equal orders, equal ranks


def test_ends_are_the_first_and_last_symbol_of_the_word() -> None:
    found = ends(np.array([[-1, 2, 0], [1, 0, 1], [-1, -1, -1]]), 3)
    assert found.tolist()[:2] == [[2, 0], [1, 1]]
    assert ends(np.empty((2, 0), dtype=np.int64), 3).shape == (2, 2)
