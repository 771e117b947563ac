"""The automaton of a rule gives words the class of their truth values."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.rungs.oracles import holds, samples, tiers, words_of
from lengthwise.inference.rungs.automata import ValueAutomaton, either, product_language, reader
from lengthwise.inference.rungs.literals import Literal, Mask
from lengthwise.inference.sample import Sample, answers_of

SYMBOLS = st.integers(0, 2)


def blocks(longest: int = 3) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(SYMBOLS, min_size=1, max_size=longest).map(tuple)


@st.composite
def literals(draw: st.DrawFn) -> Literal:
    """Literals of one block, with marks and repeated, or of several."""
    if draw(st.booleans()):
        return Literal(tuple(draw(st.lists(blocks(2), min_size=2, max_size=3))))
    block = draw(blocks())
    if draw(st.booleans()):
        block = (3, *block[1:]) if draw(st.booleans()) else (*block[:-1], 3)
    if block == (3,):
        block = (0,)
    return Literal((block,), draw(st.integers(1, 3)))


@given(samples(), literals(), tiers())
def test_a_literal_holds_where_its_automaton_says_so(
    sample: Sample, literal: Literal, tier: Mask
) -> None:
    found = reader(literal, tier).values(sample).tolist()
    assert found == [holds(literal, word, tier) for word in words_of(sample)]


@pytest.mark.parametrize("block", [(0, 0), (0, 1, 0), (0, 0, 0), (0, 1, 0, 1)])
def test_occurrences_of_one_block_overlap(block: tuple[int, ...]) -> None:
    words = list(itertools.product((0, 1), repeat=7))
    sample = Sample.of_words(words, [0] * len(words), 3, 2)
    for times in (1, 2, 3):
        literal = Literal((block,), times)
        found = reader(literal, np.ones(3, dtype=bool)).values(sample).tolist()
        assert found == [holds(literal, word, np.ones(3, dtype=bool)) for word in words_of(sample)]


@given(samples(), st.lists(literals(), min_size=1, max_size=4), tiers())
def test_one_of_several_literals_holds_where_their_automaton_says_so(
    sample: Sample, clause: list[Literal], tier: Mask
) -> None:
    joined = either([reader(literal, tier) for literal in clause], sample)
    assert joined is not None
    found = joined.values(sample).astype(bool).tolist()
    assert found == [
        any(holds(literal, word, tier) for literal in clause) for word in words_of(sample)
    ]


@given(samples(), st.lists(literals(), min_size=0, max_size=3), tiers(), st.data())
def test_the_product_gives_the_class_of_all_values(
    sample: Sample, chosen: list[Literal], tier: Mask, data: st.DataObject
) -> None:
    cells = data.draw(st.lists(st.integers(0, 1), min_size=24, max_size=24))
    count = ValueAutomaton((np.arange(3)[:, None] + np.array([0, 1, 2, 0])) % 3, np.arange(3))
    table = np.array(cells)[: 3 * 2 ** len(chosen)].reshape((3,) + (2,) * len(chosen))
    found = product_language([count, *(reader(each, tier) for each in chosen)], table, sample)
    assert found is not None
    assert found == found.minimise()
    expected = [
        table[(sum(word) % 3, *(int(holds(each, word, tier)) for each in chosen))]
        for word in words_of(sample)
    ]
    assert answers_of(found, sample).tolist() == expected


def test_a_product_of_too_many_states_is_not_made() -> None:
    sample = Sample.of_words([(0,)], [0], 3, 2)
    tier = np.ones(3, dtype=bool)
    chosen = [reader(Literal((block,), 3), tier) for block in itertools.product(range(3), repeat=2)]
    table = np.zeros((2,) * len(chosen), dtype=np.int64)
    assert product_language(chosen, table, sample, most=500) is None
