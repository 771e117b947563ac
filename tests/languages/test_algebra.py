"""Bounds of complexity from the monoid."""

import pytest

from lengthwise.languages.algebra import complexity
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.verdicts import LadderSubject


@pytest.mark.parametrize(
    ("spec", "bounds"),
    [
        ("parity", (1, 1)),
        ("d-3", (0, 0)),
        ("group:S4", (1, 1)),
        ("abab-star", (1, 1)),
        ("modular-arithmetic", (1, 2)),
    ],
)
def test_bounds_of_complexity(spec: str, bounds: tuple[int, int]) -> None:
    assert complexity(LadderSubject(parse(spec))) == bounds


def test_all_maps_of_four_states_have_a_chain_of_three_groups() -> None:
    """The complexity of the monoid of all maps of n states is n - 1 (Rhodes)."""
    maps = [(1, 2, 3, 0), (1, 0, 2, 3), (0, 0, 2, 3)]
    full = Language(
        alphabet=("cycle", "swap", "merge"),
        transitions=tuple(zip(*maps, strict=True)),
        classes=(1, 0, 0, 0),
    )
    subject = LadderSubject(full)
    assert subject.green.group_depth == 3
    assert complexity(subject) == (1, 3)
