"""Counters that are balanced, and C-RASP, against second definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ladder_oracles as oracles
from lengthwise.languages.balanced_counters import count_parts, is_c_rasp, null_space
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import recognisers


@pytest.mark.parametrize(
    ("spec", "inside"),
    [
        ("regex:(ab)*", True),
        ("regex:(a(ab)*b)*", True),
        ("regex:(bbac)*", True),
        ("d-5", True),
        ("regex:.*a.*b.*", True),
        ("regex:(aa)*", False),
        ("parity", False),
        ("regex:(ab)*|(bb)*", False),
        ("regex:(a|b)*b", False),
        ("tomita-4", False),
        ("group:S5", False),
    ],
)
def test_known_languages_of_c_rasp(spec: str, inside: bool) -> None:
    assert is_c_rasp(parse(spec)) is inside


def test_symbols_are_read_anew_together_with_what_was_counted() -> None:
    """u and v are interchangeable far away, where both lead from 6 to 7, so at first they weigh
    alike and 0 and 2 have one value; with the value before them they weigh apart. Labels that are
    values alone would forget which symbol it was.
    """
    rows = {
        0: {"u": 1, "x": 4},
        1: {"c": 2},
        2: {"v": 3},
        3: {"c": 0},
        4: {"x": 5},
        5: {"u": 6, "v": 6, "y": 0},
        6: {"z": 5},
    }
    alphabet = ("u", "v", "c", "x", "y", "z")
    sink = len(rows)
    table = tuple(tuple(row.get(a, sink) for a in alphabet) for row in rows.values())
    language = Language(
        alphabet=alphabet, transitions=(*table, (sink,) * 6), classes=(1, *(0,) * sink)
    ).minimise()
    (part,) = count_parts(language)
    assert len(part.rounds) == 2
    first, second = part.rounds
    at = {state: i for i, state in enumerate(part.states)}
    other = at[language.run(language.encode("uc"))]
    assert all(counter.values[0] == counter.values[other] for counter in first.counters)
    assert any(counter.values[0] != counter.values[other] for counter in second.counters)
    assert part.is_counted
    assert oracles.c_rasp(language)
    assert not oracles.c_rasp(language, keep_symbols=False)


@given(recognisers(alphabet="abc", max_states=6))
def test_counters_are_balanced(language: Language) -> None:
    machine = language.minimise()
    for part in count_parts(machine):
        place = {state: i for i, state in enumerate(part.states)}
        for each in part.rounds:
            for counter in each.counters:
                for state, i in place.items():
                    for symbol, target in enumerate(machine.transitions[state]):
                        if target in place:
                            weight = counter.weights[symbol, each.blocks[i]]
                            assert counter.values[place[target]] == counter.values[i] + weight


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_null_space_is_that_of_fractions(rows: list[list[int]]) -> None:
    basis = null_space(np.array(rows, dtype=np.int64))
    expected = oracles._kernel([[Fraction(x) for x in row] for row in rows], 4)
    assert len(basis) == len(expected)
    assert all((np.array(rows) @ vector == 0).all() for vector in basis)
    assert len(basis) == 0 or np.linalg.matrix_rank(np.array(basis, dtype=float)) == len(basis)


def test_large_weights_are_exact() -> None:
    """x_1 = 10^6 x_0, x_2 = 10^6 x_1, ...: the entries leave 64 bits."""
    rows = np.zeros((6, 7), dtype=np.int64)
    for i in range(6):
        rows[i, i], rows[i, i + 1] = 10**6, -1
    (vector,) = null_space(rows)
    assert [int(x) for x in vector] == [10 ** (6 * i) for i in range(7)]
