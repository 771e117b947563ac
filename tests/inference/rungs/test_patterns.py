"""Patterns grow from the best of each length, and hold where they occur."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.rungs.oracles import holds, in_cells, samples, tiers, words_of
from inference.rungs.test_clauses import split
from inference.rungs.test_rules import entropy
from inference.samples import Readings, balance
from lengthwise.inference.rungs import patterns as module
from lengthwise.inference.rungs.literals import MOST_PLACES, Literal, MarkedWords, Mask, Pool
from lengthwise.inference.rungs.patterns import patterns
from lengthwise.inference.sample import Sample
from lengthwise.languages.spec import parse

EVERY = 10**6
"""Patterns that are tried at most, where all are."""

MARK = 3
"""The number of the mark, of words of three symbols."""


def every_literal(longest: int, *, in_blocks: bool) -> list[Literal]:
    """All subsequences, or windows in order, of up to some symbols after the mark before a word."""
    found = []
    for length in range(1, longest + 1 + in_blocks):
        for symbols in itertools.product(range(MARK + in_blocks), repeat=length):
            for joins in itertools.product(
                [False, True] if in_blocks else [False], repeat=length - 1
            ):
                blocks = [[symbols[0]]]
                for symbol, is_joined in zip(symbols[1:], joins, strict=True):
                    if is_joined:
                        blocks[-1].append(symbol)
                    else:
                        blocks.append([symbol])
                inner = [symbol for block in blocks for symbol in block][1:-1]
                is_lone = [MARK] in blocks
                is_long = length > longest and symbols[0] != MARK
                if MARK not in inner and not is_lone and not is_long:
                    found.append(Literal(tuple(map(tuple, blocks))))
    return found


def columns(pool: Pool) -> dict[Literal, list[bool]]:
    return {pool.get(number): pool.column(number).tolist() for number in range(len(pool))}


@settings(max_examples=30)
@given(samples(), tiers(), st.booleans(), st.sampled_from([1, module._AT_ONCE]))
def test_all_patterns_are_found_where_they_occur(
    sample: Sample, tier: Mask, in_blocks: bool, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", at_once)
        readings = Readings()
        words = MarkedWords.of(sample, readings.read).on_tier(tier)
        pool = patterns(3, EVERY, in_blocks=in_blocks)(words)
        assert readings.symbols >= len(pool.literal)
    every = {
        literal: [holds(literal, word, tier) for word in words_of(sample)]
        for literal in every_literal(3, in_blocks=in_blocks)
    }
    often = {literal: column for literal, column in every.items() if sum(column) >= module._LEAST}
    found = columns(pool)
    assert found == {literal: every[literal] for literal in found}
    # a pattern grows only from one that holds of enough words, which is so of all that do
    assert set(found) == set(often)
    assert pool.sizes.tolist() == [pool.get(number).size for number in range(len(pool))]


@settings(max_examples=80)
@given(samples(least=8), st.integers(1, 3), st.sampled_from([1, 2, 5]))
def test_the_best_of_each_length_grow(sample: Sample, width: int, num_cells: int) -> None:
    words = in_cells(sample, num_cells)
    tried = width * (len(np.unique(words.digits)) - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_NARROWEST", 1)
        pool = patterns(2, tried, in_blocks=False)(words)
    every = patterns(2, EVERY, in_blocks=False)(words)
    left = {every.get(i): entropy(split(every, ((i,),), words)) for i in range(len(every))}
    ones = sorted(bits for literal, bits in left.items() if literal.size == 1)
    chosen = [pool.get(number) for number in range(len(pool))]
    grown = [literal for literal in chosen if literal.size == 1]
    assert [left[literal] for literal in grown] == pytest.approx(ones[:width], abs=1e-6)
    twos = sorted(
        bits
        for literal, bits in left.items()
        if literal.size == 2 and Literal(literal.blocks[:1]) in grown
    )
    found = [left[literal] for literal in chosen if literal.size == 2]
    assert found == pytest.approx(twos[:width], abs=1e-6)


def test_words_of_more_places_than_an_integer_has_bits_have_no_patterns() -> None:
    longest = MOST_PLACES - 2
    for length, are_found in ((longest, True), (longest + 1, False)):
        words = [(*[0] * (length - 2), *end) for end in itertools.product((0, 1), repeat=2)]
        sample = Sample.of_words(words, [0, 1, 0, 1], 2, 2)
        pool = patterns(2, EVERY, in_blocks=True)(MarkedWords.of(sample))
        assert (len(pool) > 0) == are_found
        if are_found:
            assert columns(pool)[Literal(((0, 0),))] == [True] * 4


def test_a_long_pattern_that_decides_the_class_grows_from_its_parts() -> None:
    language = parse("regex[abcd]:.*a.*b.*a.*b.*c.*")
    sample = balance(language, 600, shortest=20, longest=29, seed=0)
    found = columns(patterns(5, 60, in_blocks=False)(MarkedWords.of(sample)))
    target = Literal(((0,), (1,), (0,), (1,), (2,)))
    assert found[target] == (sample.classes == 1).tolist()


def test_too_few_words_have_no_patterns() -> None:
    sample = Sample.of_words([(), (0,)], [0, 1], 3, 2)
    assert not len(patterns(3, EVERY, in_blocks=True)(MarkedWords.of(sample)))
    assert np.array_equal(patterns(3, EVERY, in_blocks=False)(MarkedWords.of(sample)).sizes, [])


def test_patterns_stop_where_they_have_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    words = MarkedWords.of(Sample.of_words([(0, 1, 0), (1, 0, 1), (0, 1, 1)], [0, 1, 0], 2, 2))
    kind = patterns(3, EVERY, in_blocks=False)
    every = kind(words)
    of_one = int((every.sizes[every.literal] == 1).sum())
    monkeypatch.setattr(module, "MOST_ENTRIES", of_one)
    assert 0 < of_one == len(kind(words).literal) < len(every.literal)


def test_words_of_too_many_cells_have_no_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    words = MarkedWords.of(Sample.of_words([(0, 1), (1, 0), (0, 0)], [0, 1, 0], 2, 2))
    kind = patterns(3, EVERY, in_blocks=True)
    assert len(kind(words)) > 0
    monkeypatch.setattr(module, "_MOST_CELLS", 0)
    assert not len(kind(words))
