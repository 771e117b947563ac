"""Do tables answer as the tree that they stand for, and do they hold all of a model?"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, reject, settings

from lengthwise.errors import VerificationError
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.models.regular_gpt import RegularGPT, RegularGPTConfig
from lengthwise.proofs.search.binary_algebra import BinaryAlgebra
from lengthwise.proofs.search.finite_algebra import NONE, FiniteAlgebra, tabulate
from lengthwise.proofs.search.lookup import Lookup, SnappedModel
from lengthwise.proofs.search.network import node_of
from ordinary import few
from proofs.tables import cyclic, short_words
from strategies import finite_algebras, machines_with_domain


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


# ---- from a model ----------------------------------------------------------------------------


@settings(max_examples=few(8))
@given(algebra=finite_algebras())
def test_tables_of_tables_keep_the_answers_and_then_stay_the_same(algebra: FiniteAlgebra) -> None:
    once = tabulate(algebra)[0]
    words = short_words(algebra.num_symbols)
    assert [once.classify(w) for w in words] == [algebra.classify(w) for w in words]
    assert tabulate(once)[0] == once


@given(language=machines_with_domain(alphabet="ab"), algebra=finite_algebras())
def test_tables_for_a_domain_answer_its_words_and_refuse_others_if_they_can(
    language: Language, algebra: FiniteAlgebra
) -> None:
    domain = language.domain
    assert domain is not None
    if algebra.num_symbols != 2:
        with pytest.raises(VerificationError, match="Give a domain"):
            tabulate(algebra, domain)
        return
    try:
        once = tabulate(algebra, domain)[0]
    except VerificationError as error:
        reject() if "more than 1,000,000" in str(error) else pytest.fail(str(error))
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
    [{}, {"chunk_size": 3}, {"num_layers": 2, "norm": "pre"}, {"pad": "absent", "vocab_size": 2}],
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
        ({"chunk_size": 1}, "chunk_size=1"),
        ({"chunk_size": 3}, "tables of level 0 have shapes"),
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
