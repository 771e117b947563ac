"""Subgroups of a monoid: which are solvable, and which are there at all."""

import pytest
from hypothesis import given

from lengthwise.languages.groups import group
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import Monoid, transition_monoid
from strategies import machines


def subgroups(monoid: Monoid) -> dict[int, set[int]]:
    """The oracle: for each idempotent e, the x with xe = ex = x and an inverse for e."""
    table = monoid.table
    elements = range(monoid.size)
    found = {}
    for e in elements:
        if table[e, e] == e:
            local = [x for x in elements if table[x, e] == x == table[e, x]]
            found[e] = {x for x in local if any(table[x, y] == e == table[y, x] for y in local)}
    return found


@given(machines(max_states=4))
def test_aperiodic_and_group_follow_from_the_subgroups(language: Language) -> None:
    monoid = transition_monoid(language)
    if monoid.size > 60:
        return
    groups = subgroups(monoid)
    assert monoid.is_aperiodic == all(len(members) == 1 for members in groups.values())
    assert monoid.is_group == (len(groups[0]) == monoid.size)
    if all(len(members) < 60 for members in groups.values()):
        assert monoid.is_solvable


@pytest.mark.parametrize(
    ("name", "solvable"),
    [
        ("S4", True),
        ("A4", True),
        ("S3xS4", True),
        ("Z60", True),
        ("Z64", True),
        ("A5", False),
        ("S5", False),
        ("A5xZ2", False),
        ("A6", False),
    ],
)
def test_solvable_groups(name: str, solvable: bool) -> None:
    language = group(name, generators=3)
    assert transition_monoid(language).is_solvable is solvable


def test_a_subgroup_that_is_not_solvable_is_found_beside_a_zero() -> None:
    a5 = group("A5", generators=2)
    sink = a5.num_states
    with_zero = Language(
        alphabet=(*a5.alphabet, "stop"),
        transitions=(*((*row, sink) for row in a5.transitions), (sink,) * (a5.num_symbols + 1)),
        classes=(*a5.classes, 0),
        class_names=a5.class_names,
    )
    monoid = transition_monoid(with_zero)
    assert (monoid.size, monoid.is_group, monoid.is_solvable) == (61, False, False)


def test_all_maps_of_five_states_have_a_subgroup_that_is_not_solvable() -> None:
    maps = [(1, 2, 3, 4, 0), (1, 0, 2, 3, 4), (0, 0, 2, 3, 4)]
    full = Language(
        alphabet=("cycle", "swap", "merge"),
        transitions=tuple(zip(*maps, strict=True)),
        classes=(1, 0, 0, 0, 0),
    )
    monoid = transition_monoid(full)
    assert (monoid.size, monoid.is_solvable) == (5**5, False)
    four = [(1, 2, 3, 0), (1, 0, 2, 3), (0, 0, 2, 3)]
    smaller = Language(
        alphabet=full.alphabet, transitions=tuple(zip(*four, strict=True)), classes=(1, 0, 0, 0)
    )
    monoid = transition_monoid(smaller)
    assert (monoid.size, monoid.is_solvable) == (4**4, True)


def test_a_derived_series_of_several_steps_ends() -> None:
    """The derived series of S4 x S4 has the orders 576, 144, 16, 1."""
    assert transition_monoid(group("S4xS4", generators=4)).is_solvable
