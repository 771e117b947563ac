"""Decision diagrams are the functions that they were made of."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.constructions.diagrams import MAX_PATHS, Diagrams, fits
from lengthwise.errors import ConstructionError

Table = dict[tuple[int, ...], int]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], list[Table]]:
    """The numbers of values of some variables, and two functions of them."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    keys = list(product(*map(range, sizes)))
    value = st.integers(0, 2)
    both = [dict.fromkeys(keys, 0) | {key: draw(value) for key in keys} for _ in range(2)]
    return sizes, both


@given(made=tables())
def test_values_and_operations(made: tuple[list[int], list[Table]]) -> None:
    sizes, (one, other) = made
    diagrams = Diagrams(sizes)
    left, right = (diagrams.from_cases(range(len(sizes)), table) for table in (one, other))
    both = diagrams.apply(lambda f, g: f * 3 + g, left, right)
    for key in one:
        assert diagrams.value(left, key) == one[key]
        assert diagrams.value(both, key) == one[key] * 3 + other[key]
    assert (left == right) == (one == other)
    assert diagrams.from_cases(range(len(sizes)), one) == left


@given(made=tables(), value=st.integers(0, 2))
def test_one_path_fits_where_a_condition_holds(
    made: tuple[list[int], list[Table]], value: int
) -> None:
    sizes, (table, _) = made
    diagrams = Diagrams(sizes)
    condition = diagrams.condition(diagrams.from_cases(range(len(sizes)), table), value)
    for key in table:
        found = [path for path in condition if fits((path,), key)]
        assert len(found) == (table[key] == value)


@given(made=tables(), data=st.data())
def test_cases_that_are_not_given_may_have_any_value(
    made: tuple[list[int], list[Table]], data: st.DataObject
) -> None:
    sizes, (table, _) = made
    kept = data.draw(st.sets(st.sampled_from(sorted(table)), min_size=1))
    diagrams = Diagrams(sizes)
    found = diagrams.from_cases(range(len(sizes)), {key: table[key] for key in kept})
    assert all(diagrams.value(found, key) == table[key] for key in kept)


def test_an_indicator_and_a_constant() -> None:
    diagrams = Diagrams([3, 2])
    first = diagrams.indicator(0, 1)
    assert [diagrams.value(first, (v, 0)) for v in range(3)] == [0, 1, 0]
    assert diagrams.node(1, [diagrams.leaf(1)] * 2) == diagrams.leaf(1)
    assert diagrams.condition(diagrams.leaf(1), 1) == ((),)
    assert diagrams.condition(diagrams.leaf(1), 0) == ()


def test_a_condition_with_too_many_cases_is_refused() -> None:
    count = 14
    diagrams = Diagrams([2] * count)
    parity = diagrams.leaf(0)
    for variable in range(count):
        bit = diagrams.indicator(variable, 1)
        parity = diagrams.apply(lambda f, g: f ^ g, parity, bit)
    assert 2 ** (count - 1) > MAX_PATHS
    with pytest.raises(ConstructionError, match="has 8,192 cases, but 4,096 is the most"):
        diagrams.condition(parity, 1)
