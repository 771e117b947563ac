"""Green's relations by their definition: products with all elements, written out."""

import itertools

import numpy as np
import pytest

from lengthwise.languages.green import Green
from lengthwise.languages.monoid import transition_monoid
from lengthwise.languages.spec import language

NAMES = ["parity", "tomita-3", "regex:(ab)*", "regex:.*a.*b[ab]*", "d-2", "group:S3"]


def classes_of(related: np.ndarray) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in related]


def same(numbers: np.ndarray) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(numbers == number).tolist()) for number in numbers]


@pytest.mark.parametrize("name", NAMES)
def test_elements_are_related_if_each_is_a_product_of_the_other(name: str) -> None:
    monoid = transition_monoid(language(name).total().minimise())
    green, size = Green(monoid), monoid.size
    maps = [tuple(each) for each in monoid.maps.tolist()]
    number = {each: i for i, each in enumerate(maps)}
    times = np.array([[number[tuple(y[s] for s in x)] for y in maps] for x in maps])
    right = np.array([np.isin(np.arange(size), times[x]) for x in range(size)])
    left = np.array([np.isin(np.arange(size), times[:, x]) for x in range(size)])
    both = (left.astype(int) @ right.astype(int)) > 0  # y = a x b
    for reached, found in ((right, green.r), (left, green.l), (both, green.j)):
        assert same(found) == classes_of(reached & reached.T)
    for above, under in itertools.product(range(size), repeat=2):
        if both[above, under]:
            assert green.j[under] <= green.j[above]

    idempotent = [times[x, x] == x for x in range(size)]
    assert green.is_idempotent.tolist() == idempotent
    regular = [any(idempotent[y] for y in each) for each in classes_of(both & both.T)]
    assert green.is_regular.tolist() == regular
    generators = times[:, [number[maps[i]] for i in monoid.right[0]]]
    assert green.left.tolist() == times[monoid.right[0]].T.tolist()
    assert monoid.right.tolist() == generators.tolist()
    pair = green.overwriting
    assert (pair is None) == (
        not any(
            times[x, y] == y and times[y, x] == x and idempotent[x] and idempotent[y]
            for x, y in itertools.permutations(range(size), 2)
        )
    )
    if pair is not None:
        x, y = pair
        assert (times[x, y], times[y, x]) == (y, x)


@pytest.mark.parametrize(
    ("name", "depth"), [("tomita-3", 1), ("parity", 1), ("d-2", 0), ("regex:(ab)*", 0)]
)
def test_groups_stand_so_many_deep(name: str, depth: int) -> None:
    green = Green(transition_monoid(language(name).total().minimise()))
    assert green.group_depth == depth
    assert (green.turning is None) == (depth == 0)
