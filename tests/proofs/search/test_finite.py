"""Do tables answer as the tree that they stand for, and do they hold all of a model?"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.errors import VerificationError, WordError
from lengthwise.evaluation.evaluate import answer_of
from lengthwise.evaluation.predict import logits_of, right_aligned
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.proofs.search.binary import BinaryAlgebra
from lengthwise.proofs.search.finite import NONE, FiniteAlgebra, Tables, tabulate
from lengthwise.proofs.search.lookup import Lookup, SnappedModel
from lengthwise.proofs.search.network import node_of
from ordinary import few
from strategies import domained, finite_algebras


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
        below = algebra.chunk ** (level - 1)
        children = [
            node(level - 1, after * algebra.chunk + place)
            for place in reversed(range(algebra.chunk))
            if (after * algebra.chunk + place) * below < len(word)
        ]
        at_edge = (after + 1) * algebra.chunk**level >= len(word)
        made = tables(level - 1)
        table = made.edge[len(children) - 1] if at_edge else made.interior
        return int(table[tuple(children)])

    height = 1
    while algebra.chunk**height < len(word):
        height += 1
    return int(tables(height - 1).classes[node(height, 0)])


def short_words(num_symbols: int, most: int = 300) -> list[tuple[int, ...]]:
    """All words up to some length, about `most`."""
    words: list[tuple[int, ...]] = []
    for length in range(30):
        if num_symbols**length > most:
            break
        words += product(range(num_symbols), repeat=length)
    return words


def cyclic(order: int, chunk: int) -> FiniteAlgebra:
    """Sums modulo `order` of symbols 0..order-1, which are associative, so any tree will do."""
    interior = np.indices((order,) * chunk).sum(axis=0) % order
    edge = tuple(np.indices((order,) * (k + 1)).sum(axis=0) % order for k in range(chunk))
    tables = Tables(interior=interior, edge=edge, classes=np.arange(order))
    return FiniteAlgebra(
        num_symbols=order,
        num_classes=order,
        chunk=chunk,
        levels=(tables, tables),
        repeat=1,
        empty=0,
    )


def binary_model(seed: int, **settings: Any) -> RegularGPT:
    config = RegularGPTConfig.from_dict(
        {
            "vocab_size": 3,
            "num_classes": 2,
            "d_model": 8,
            "num_heads": 2,
            "memory": "binary",
            "num_bits": 3,
            **settings,
        }
    )
    model = RegularGPT(config).eval()
    model.initialise(torch.Generator().manual_seed(seed))
    return model


# ---- one word, and many ----------------------------------------------------------------------


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


@pytest.mark.parametrize("chunk", [2, 3, 4, 8])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 17, 300])
def test_words_of_one_length_are_answered_in_whatever_type(order: int, chunk: int) -> None:
    if order**chunk > 10**6:
        return
    lookup = Lookup(cyclic(order, chunk))
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
    with pytest.raises(WordError, match=r"none of 0\.\.2"):
        Lookup(cyclic(3, 2)).classify(tokens)


# ---- from a model ----------------------------------------------------------------------------


@settings(max_examples=few(8))
@given(algebra=finite_algebras())
def test_tables_of_tables_keep_the_answers_and_then_stay_the_same(algebra: FiniteAlgebra) -> None:
    once = tabulate(algebra)[0]
    words = short_words(algebra.num_symbols)
    assert [once.classify(w) for w in words] == [algebra.classify(w) for w in words]
    assert tabulate(once)[0] == once


@given(language=domained(alphabet="ab"), algebra=finite_algebras())
def test_tables_for_a_domain_answer_its_words_and_refuse_others_if_they_can(
    language: Language, algebra: FiniteAlgebra
) -> None:
    domain = language.domain
    assert domain is not None
    if algebra.num_symbols != 2:
        with pytest.raises(VerificationError, match="Give a domain"):
            tabulate(algebra, domain)
        return
    once = tabulate(algebra, domain)[0]
    assert tabulate(once, domain)[0] == once
    lookup = Lookup(once)
    for word in short_words(2):
        tokens = np.array([word], dtype=np.int64).reshape(1, len(word))
        try:
            expected = once.classify(word)
        except VerificationError:
            assert domain.classes[domain.run(word)] == 0
            with pytest.raises(VerificationError, match="do not occur"):
                lookup.classify(tokens)
        else:
            assert lookup.classify(tokens).tolist() == [expected]
            if domain.classes[domain.run(word)] == 1:
                assert expected == algebra.classify(word)


@pytest.mark.parametrize(
    "settings",
    [{}, {"chunk": 3}, {"thickness": 2, "norm": "pre"}, {"pad": "absent", "vocab_size": 2}],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_tables_of_a_binary_model_answer_as_the_model(settings: dict[str, Any], seed: int) -> None:
    model = binary_model(seed, **settings)
    algebra = tabulate(BinaryAlgebra(node_of(model)), num_classes=2)[0]
    snapped = SnappedModel(algebra)
    generator = torch.Generator().manual_seed(seed)
    vocab = model.config.vocab_size
    with torch.no_grad():
        for length in (0, 1, 2, 3, 4, 7, 30, 700):
            tokens = torch.randint(vocab, (20, length), generator=generator)
            assert torch.equal(snapped.classify(tokens), model(tokens).argmax(dim=1))
            assert torch.equal(snapped(tokens).argmax(dim=1), snapped.classify(tokens))


def test_a_domain_makes_tables_smaller() -> None:
    dyck = parse("d-2")
    domain = Language(
        alphabet=dyck.alphabet, transitions=((1, 1), (0, 0)), classes=(1, 0)
    )  # words of even length
    algebra = tabulate(cyclic(2, 2), domain)[0]
    assert algebra.levels[0].interior.tolist() == [[0, 1], [1, 0]]
    assert (algebra.levels[0].edge[0] == NONE).all()


def test_exploration_past_its_bound_is_an_error_with_numbers() -> None:
    with pytest.raises(VerificationError, match=r"level 1 has 36 chunks .* more than 20"):
        tabulate(cyclic(4, 2), max_chunks=20)


# ---- what is refused -------------------------------------------------------------------------


def test_tables_that_do_not_fit_are_refused_in_one_line() -> None:
    good = cyclic(2, 2)
    tables = good.levels[0]
    floats: Any = np.zeros((2, 2))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"repeat": 2}, "repeat=2"),
        ({"repeat": 0}, "repeat=0"),
        ({"levels": (tables,)}, "with 1 levels"),
        ({"num_symbols": 3}, "level 0 has 2 and 2 elements, but 3 symbols"),
        ({"chunk": 1}, "chunk=1"),
        ({"chunk": 3}, "tables of level 0 have shapes"),
        ({"num_classes": 1}, r"classes of level 0 has numbers 0\.\.1, but 0\.\.0 exist"),
        ({"empty": 2}, "empty=2"),
        ({"empty": -1}, "empty=-1"),
    ]
    for changed, message in changes:
        with pytest.raises(VerificationError, match=message) as caught:
            replace(good, **changed)
        assert "\n" not in str(caught.value)
    for bad, message in [
        (replace(tables, interior=tables.interior + 1), r"numbers 1\.\.2, but -1\.\.1 exist"),
        (replace(tables, interior=floats), "type float64"),
        (replace(tables, edge=tables.edge[:1]), "shapes"),
        (replace(tables, classes=np.arange(3)), r"classes of shape \(3,\)"),
        (replace(tables, logits=np.zeros((2, 3))), r"logits of level 1 have shape \(2, 3\)"),
    ]:
        with pytest.raises(VerificationError, match=message):
            replace(good, levels=(tables, bad))


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
        with pytest.raises(WordError, match=f"a word of {length} symbols cannot stand in a row"):
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
