"""Pools have the literals of a kind, and the words that they hold of."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import holds, samples, tiers, words_of
from inference.samples import Readings
from lengthwise.inference.rungs import literals
from lengthwise.inference.rungs.literals import (
    Kind,
    Literal,
    MarkedWords,
    Mask,
    keep_literals,
    order_windows,
    subsequences,
    windows,
)
from lengthwise.inference.sample import Sample

Block = tuple[int, ...]


def inner(shortest: int, longest: int) -> list[Block]:
    return [
        block
        for length in range(shortest, longest + 1)
        for block in itertools.product(range(3), repeat=length)
    ]


def mark(longest: int) -> Iterator[Block]:
    """All windows over three symbols that words between marks can have."""
    for length in range(1, longest + 1):
        for block in itertools.product(range(4), repeat=length):
            if 3 not in block[1:-1] and block != (3,):
                yield block


EVERY: dict[str, tuple[Kind, list[Literal]]] = {
    "windows": (windows(3), [Literal((block,)) for block in mark(3)]),
    "counted": (
        windows(2, times=4),
        [Literal((block,), times) for block in mark(2) for times in range(1, 5)],
    ),
    "subsequences": (
        subsequences(3),
        [Literal(tuple((symbol,) for symbol in block)) for block in inner(1, 3)],
    ),
    "ordered": (
        order_windows(2),
        [Literal(pair) for pair in itertools.product(inner(1, 2), repeat=2)],
    ),
}


@settings(max_examples=25)
@pytest.mark.parametrize("name", EVERY)
@given(
    sample=samples(),
    tier=tiers(),
    at_once=st.sampled_from([1, 10_000, literals._AT_ONCE]),
    bitmap=st.sampled_from([0, literals._BITMAP]),
)
def test_a_pool_has_what_holds_of_each_word_and_nothing_else(
    name: str, sample: Sample, tier: Mask, at_once: int, bitmap: int
) -> None:
    kind, every_literal = EVERY[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(literals, "_AT_ONCE", at_once)
        patch.setattr(literals, "_BITMAP", bitmap)
        readings = Readings()
        pool = kind(MarkedWords.of(sample, readings.read).on_tier(tier))
    assert readings.symbols >= len(pool.literal)
    found = {pool.get(number): pool.column(number).tolist() for number in range(len(pool))}
    every = {each: [holds(each, word, tier) for word in words_of(sample)] for each in every_literal}
    assert found == {each: column for each, column in every.items() if any(column)}
    assert pool.sizes.tolist() == [pool.get(number).size for number in range(len(pool))]


@pytest.mark.parametrize("name", ["subsequences", "ordered"])
@pytest.mark.parametrize("at_once", [1, literals._AT_ONCE])
@pytest.mark.parametrize("bitmap", [0, literals._BITMAP])
def test_words_with_too_many_literals_have_none(
    name: str, at_once: int, bitmap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = MarkedWords.of(Sample.of_words([(0, 1, 2, 0), (2, 1, 0)], [0, 1], 3, 2))
    monkeypatch.setattr(literals, "_AT_ONCE", at_once)
    monkeypatch.setattr(literals, "_BITMAP", bitmap)
    entries = len(EVERY[name][0](words).literal)
    assert entries > 0
    monkeypatch.setattr(literals, "MOST_ENTRIES", 10 * entries)
    assert len(EVERY[name][0](words).literal) == entries
    monkeypatch.setattr(literals, "MOST_ENTRIES", entries - 1)
    assert not len(EVERY[name][0](words))


def test_a_subsequence_is_made_once_however_often_it_occurs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = MarkedWords.of(Sample.of_words([(0,) * 40, (0, 1) * 20], [0, 1], 2, 2))
    monkeypatch.setattr(literals, "MOST_ENTRIES", 3 + 14)
    assert len(subsequences(3)(words).literal) == 3 + 14


@given(sample=samples(), least=st.integers(1, 8))
def test_literals_of_few_words_and_of_nearly_all_are_left_out(sample: Sample, least: int) -> None:
    pool = windows(2)(MarkedWords.of(sample))
    number = {pool.get(i): pool.column(i) for i in range(len(pool))}
    left = keep_literals(pool, least)
    assert {left.get(i): left.column(i).tolist() for i in range(len(left))} == {
        literal: column.tolist()
        for literal, column in number.items()
        if least <= column.sum() <= len(sample) - least
    }


@given(sample=samples(), data=st.data())
def test_literals_of_another_pool_come_last(sample: Sample, data: st.DataObject) -> None:
    words = MarkedWords.of(sample)
    pool, other = windows(1)(words), subsequences(2)(words)
    numbers = data.draw(st.lists(st.integers(0, len(other) - 1), unique=True)) if len(other) else []
    both = pool.with_others(other, numbers)
    names = [*map(pool.get, range(len(pool))), *map(other.get, numbers)]
    columns = [*map(pool.column, range(len(pool))), *map(other.column, numbers)]
    assert [both.get(number) for number in range(len(both))] == names
    assert both.sizes.tolist() == [name.size for name in names]
    for number, column in enumerate(columns):
        assert both.column(number).tolist() == column.tolist()


@given(sample=samples(), groups=st.integers(1, 5))
def test_counts_are_those_of_the_columns(sample: Sample, groups: int) -> None:
    pool = windows(2)(MarkedWords.of(sample))
    group = np.arange(len(sample)) % groups
    counts = pool.counts(group, groups)
    for number in range(len(pool)):
        assert counts[number].tolist() == [
            int(pool.column(number)[group == each].sum()) for each in range(groups)
        ]


@given(sample=samples(least=3))
def test_some_of_the_words_have_the_same_literals(sample: Sample) -> None:
    rows = np.arange(len(sample))[::2]
    some = windows(2)(MarkedWords.of(sample).part(rows))
    every = windows(2)(MarkedWords.of(sample))
    columns = {every.get(i): every.column(i)[rows] for i in range(len(every))}
    for number in range(len(some)):
        assert some.column(number).tolist() == columns[some.get(number)].tolist()
