"""The language of an algebra."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search.exact_learning import language_of
from lengthwise.proofs.search.finite_algebra import FiniteAlgebra, Tables
from proofs.tables import state_maps
from strategies import machines, machines_with_domain


def algebra_of(language: Language, chunk_size: int) -> FiniteAlgebra:
    """The language as an algebra: state maps in the interior, states at the edge."""
    machine = language.minimise()
    maps = state_maps(machine)
    number = {found: i for i, found in enumerate(maps)}
    then = np.array([[number[tuple(b[s] for s in a)] for b in maps] for a in maps])
    after = np.array([[found[state] for found in maps] for state in range(machine.num_states)])
    symbols = list(zip(*machine.transitions, strict=True))

    def tables(inner: Integers, outer: Integers) -> Tables:
        """For children that are these maps, or at the edge these states."""
        interior, edge = inner, [outer]
        for _ in range(chunk_size - 1):
            interior = then[interior[..., None], inner]
            edge.append(after[edge[-1][..., None], inner])
        return Tables(interior=interior, edge=tuple(edge), classes=np.array(machine.classes))

    first = tables(
        np.array([number[symbol] for symbol in symbols]),
        np.array([symbol[machine.start] for symbol in symbols]),
    )
    return FiniteAlgebra(
        num_symbols=machine.num_symbols,
        num_classes=machine.num_classes,
        chunk_size=chunk_size,
        levels=(first, tables(np.arange(len(maps)), np.arange(machine.num_states))),
        repeat=1,
        empty=machine.start,
    )


@given(language=machines(max_states=4), chunk_size=st.sampled_from([2, 3]))
def test_the_language_of_an_algebra_is_the_planted_one(language: Language, chunk_size: int) -> None:
    assume(len(state_maps(language.minimise())) <= 30)
    algebra = algebra_of(language, chunk_size)
    assert language_of(algebra, language.alphabet, language.class_names) == language.minimise()


@given(language=machines_with_domain())
def test_the_language_of_an_algebra_on_a_domain(language: Language) -> None:
    everywhere = replace(language, domain=None)
    assume(len(state_maps(everywhere.minimise())) <= 30)
    algebra = algebra_of(everywhere, 2)
    machine = language_of(algebra, language.alphabet, language.class_names, language.domain)
    assert machine == language.minimise()


def test_an_algebra_that_counts_its_levels_recognises_no_regular_language() -> None:
    def tables(c: int) -> Tables:
        one = np.zeros((1, 1), dtype=int)
        return Tables(interior=one, edge=(one[0], one), classes=np.array([c]))

    algebra = FiniteAlgebra(
        num_symbols=1,
        num_classes=2,
        chunk_size=2,
        levels=(tables(0), tables(1), tables(0)),
        repeat=1,
        empty=0,
    )
    with pytest.raises(
        LanguageError, match=r"more than max_states=12.*need not recognise a regular"
    ):
        language_of(algebra, ("a",), ("0", "1"), max_states=12)
