"""Networks of tables answer as the tree says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import WordError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of, right_aligned
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables
from lengthwise.proofs.search.lookup import Lookup, SnappedModel
from proofs.tables import cyclic, short_words
from strategies import finite_algebras


def by_tree(algebra: FiniteAlgebra, word: Sequence[int]) -> int:
    """The class of a word, by cutting it in two at every node. Nothing here is shared with `src`.

    A node of level l that ends `after` nodes of its level before the end of the word is made of the
    symbols from C^l (after + 1) to C^l after before the end.
    """
    if not word:
        return int(algebra.levels[0].classes[algebra.empty])

    def tables(level: int) -> Tables:
        while level >= len(algebra.levels):
            level -= len(algebra.levels) - algebra.repeat
        return algebra.levels[level]

    def node(level: int, after: int) -> int:
        if level == 0:
            return word[len(word) - 1 - after]
        below = algebra.chunk_size ** (level - 1)
        children = [
            node(level - 1, after * algebra.chunk_size + place)
            for place in reversed(range(algebra.chunk_size))
            if (after * algebra.chunk_size + place) * below < len(word)
        ]
        at_edge = (after + 1) * algebra.chunk_size**level >= len(word)
        made = tables(level - 1)
        table = made.edge[len(children) - 1] if at_edge else made.interior
        return int(table[tuple(children)])

    height = 1
    while algebra.chunk_size**height < len(word):
        height += 1
    return int(tables(height - 1).classes[node(height, 0)])


@given(algebra=finite_algebras(), data=st.data())
def test_all_short_and_some_long_words_are_answered_as_the_tree_says(
    algebra: FiniteAlgebra, data: st.DataObject
) -> None:
    symbols = st.integers(0, algebra.num_symbols - 1)
    drawn = data.draw(st.lists(st.lists(symbols, max_size=90), max_size=8))
    words = [*short_words(algebra.num_symbols), *map(tuple, drawn)]
    expected = [by_tree(algebra, word) for word in words]
    tokens, lengths = right_aligned(words)
    assert [algebra.classify(word) for word in words] == expected
    assert Lookup(algebra).classify(tokens.numpy(), lengths.numpy()).tolist() == expected
    assert answer_of(logits_of(SnappedModel(algebra), words)).tolist() == expected


@pytest.mark.parametrize("chunk_size", [2, 3, 4, 8])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 17, 300])
def test_words_of_one_length_are_answered_in_whatever_type(order: int, chunk_size: int) -> None:
    if order**chunk_size > 10**6:
        return
    lookup = Lookup(cyclic(order, chunk_size))
    types: list[Any] = [np.uint8, np.int32, np.int64]
    for dtype in types[order > 256 :]:
        random = np.random.default_rng(0)
        for length in (0, 1, 2, 3, 8, 9, 64, 65, 511, 512, 513, 1300):
            tokens = random.integers(order, size=(5, length)).astype(dtype)
            expected = tokens.sum(axis=1, dtype=np.int64) % order
            assert lookup.classify(tokens).tolist() == expected.tolist(), (dtype, length)
        assert lookup.classify(tokens[:0]).tolist() == []


def test_a_million_symbols_of_one_word() -> None:
    tokens = np.random.default_rng(0).integers(3, size=(1, 1_000_003))
    assert Lookup(cyclic(3, 2)).classify(tokens).tolist() == [tokens.sum() % 3]


@pytest.mark.parametrize("symbol", [-1, 3, 256, 2**40])
def test_a_symbol_outside_the_alphabet_is_refused(symbol: int) -> None:
    tokens = np.array([[0, 1, symbol]])
    with pytest.raises(WordError, match=r"outside 0\.\.2"):
        Lookup(cyclic(3, 2)).classify(tokens)


@pytest.mark.parametrize("has_logits", [False, True])
def test_what_stands_before_a_word_changes_no_bit(has_logits: bool) -> None:
    """The contract of `Recogniser`."""
    algebra = cyclic(3, 2)
    if has_logits:
        logits = np.random.default_rng(0).normal(size=(3, 3))
        levels = tuple(replace(tables, logits=logits) for tables in algebra.levels)
        algebra = replace(algebra, levels=levels)
    snapped = SnappedModel(algebra)
    generator = torch.Generator().manual_seed(0)
    lengths = torch.tensor([3, 0, 9, 8, 1, 9])
    tokens = torch.randint(3, (6, 11), generator=generator)
    before = torch.arange(11) < 11 - lengths[:, None]
    tokens[before] = -1
    right = snapped(tokens, lengths)
    for least, most in ((0, 3), (3, 9), (2**40, 2**62), (-(2**62), 0)):
        garbage = torch.randint(least, most, tokens.shape, generator=generator)
        other = torch.where(before, garbage, tokens)
        assert torch.equal(snapped(other, lengths), right)
        assert torch.equal(snapped.classify(other, lengths), right.argmax(dim=1))
    filled = torch.randint(3, (4, 7), generator=generator)
    assert torch.equal(snapped(filled), snapped(filled, torch.full((4,), 7)))
    for length in (12, -1):
        with pytest.raises(WordError, match=f"a word of {length} symbols does not fit into a row"):
            snapped(tokens, torch.tensor([3, 0, 9, 8, 1, length]))


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-17, 0.0, -1e-17, -1e-9])
def test_the_answer_is_the_class_of_the_tables_however_near_the_logits(gap: float) -> None:
    """A class and its logits may have been computed apart, and then differ by rounding."""
    given = np.array([[gap, 0.0, -1.0], [1.0, 1.0 + gap, 1.0], [-3.0, -3.0, -3.0 + gap]])
    algebra = cyclic(3, 2)
    levels = tuple(replace(tables, logits=given) for tables in algebra.levels)
    snapped = SnappedModel(replace(algebra, levels=levels))
    tokens, lengths = right_aligned(short_words(3))
    assert torch.equal(answer_of(snapped(tokens, lengths)), snapped.classify(tokens, lengths))
    if gap > 1e-10:  # and in all their bits
        assert snapped(torch.tensor([[1, 2]])).tolist() == given[:1].tolist()
    assert given[0, 0] == gap


def test_logits_are_those_of_the_tables_where_they_have_some() -> None:
    tables = cyclic(2, 2).levels[0]
    given = replace(tables, logits=np.array([[0.5, -1.0], [0.25, 2.0]]))
    algebra = replace(cyclic(2, 2), levels=(given, tables))
    tokens = torch.tensor([[1, 1], [0, 1]])
    assert SnappedModel(algebra)(tokens).tolist() == [[0.5, -1.0], [0.25, 2.0]]
    shares = SnappedModel(algebra)(torch.tensor([[1, 1, 0]])).softmax(dim=1)
    assert shares[0, 0] > 1 - 1e-6
