"""Series of permutation groups: exponents follow products, and groups that have none are named."""

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.finite_groups import Permutation, make_group
from lengthwise.languages.solvable_groups import (
    MAX_ORDER,
    Series,
    centre_residue,
    inverse,
    series,
    times,
)


def generate(generators: Sequence[Permutation], size: int) -> set[Permutation]:
    found = {tuple(range(size))}
    while True:
        more = {tuple(g[i] for i in p) for p in found for g in generators} - found
        if not more:
            return found
        found |= more


def is_solvable(group: set[Permutation], size: int) -> bool:
    """By the definition: the derived series of all commutators, element by element."""
    while len(group) > 1:
        back = {p: tuple(sorted(range(size), key=p.__getitem__)) for p in group}
        commutators = [
            tuple(y[x[back[y][back[x][i]]]] for i in range(size))
            for x, y in itertools.product(group, repeat=2)
        ]
        derived = generate(list(set(commutators)), size)
        if len(derived) == len(group):
            return False
        group = derived
    return True


def follow(found: Series, factors: Sequence[Permutation]) -> Permutation:
    """The product of permutations, each of whose beginnings has the exponents of its steps."""
    moduli = [factor.modulus for factor in found.factors]
    exponents, product = (0,) * len(moduli), tuple(range(found.num_points))
    for g in factors:
        steps = found.steps(g, exponents)
        exponents = tuple((e + s) % m for e, s, m in zip(exponents, steps, moduli, strict=True))
        product = times(product, g)
        assert found.product(exponents) == product
    return product


@given(data=st.data(), size=st.integers(1, 5))
def test_exponents_follow_products_or_the_group_is_not_solvable(
    data: st.DataObject, size: int
) -> None:
    chosen = data.draw(st.lists(st.permutations(range(size)).map(tuple), max_size=3))
    group = generate(chosen, size)
    if not is_solvable(group, size):
        with pytest.raises(LanguageError, match=f"{len(group)} elements that is not solvable"):
            series(chosen, size)
        return
    found = series(chosen, size)
    moduli = [factor.modulus for factor in found.factors]
    assert found.order == len(group)
    product = follow(found, data.draw(st.lists(st.sampled_from(sorted(group)), max_size=12)))
    assert times(product, inverse(product)) == tuple(range(size))
    every = {found.product(e) for e in itertools.product(*map(range, moduli))}
    assert every == group


@pytest.mark.parametrize(
    ("name", "moduli"),
    [("Z6", [6]), ("S3", [2, 3]), ("S4", [2, 3, 2, 2]), ("D5", [2, 5]), ("Z6xZ4", [12, 2])],
)
def test_known_groups_have_known_quotients(name: str, moduli: list[int]) -> None:
    made = make_group(name)
    elements = list(made.elements())
    place = {x: i for i, x in enumerate(elements)}
    regular = [tuple(place[made.multiply(x, g)] for x in elements) for g in elements]
    found = series(regular, len(elements))
    assert [factor.modulus for factor in found.factors] == moduli
    follow(found, random.Random(0).choices(regular, k=100))


def test_a_single_turn_adds_one() -> None:
    """The generator of a quotient is chosen for small steps, positive ones where there are."""
    turn = tuple((i + 3) % 7 for i in range(7))
    (factor,) = series([turn], 7).factors
    assert factor.exponents[turn] == 1
    assert [centre_residue(n, 5) for n in range(-2, 6)] == [-2, -1, 0, 1, 2, -2, -1, 0]
    assert [centre_residue(n, 4) for n in range(4)] == [0, 1, 2, -1]


def test_large_groups_are_refused() -> None:
    size = MAX_ORDER + 1
    with pytest.raises(LanguageError, match=f"more than {MAX_ORDER} elements"):
        series([tuple((i + 1) % size for i in range(size))], size)
