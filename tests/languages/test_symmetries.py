"""Coordinates of state maps tell maps apart, and those of a product follow from the factors'."""

import numpy as np
import pytest
from hypothesis import given

from lengthwise.languages import symmetries as module
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from lengthwise.languages.symmetries import BitCoordinates, bit_coordinates
from strategies import machines, machines_with_domain


def of(language: Language) -> BitCoordinates:
    return bit_coordinates(language.total().minimise())


def some_elements(language: Language, most: int = 300) -> MonoidElements:
    """The state maps of all sub-words, or the first of them."""
    elements = MonoidElements(language)
    known = 0
    while known < len(elements.maps) < most:
        known = len(elements.maps)
        rows, columns = np.indices((known, len(elements.symbols))).reshape(2, -1)
        elements.product(rows, elements.symbols[columns])
    return elements


def differing(bits: np.ndarray) -> int:
    return len(np.unique(bits, axis=0))


@given(language=machines(max_states=6) | machines_with_domain())
def test_no_two_states_and_no_two_maps_have_the_same_bits(language: Language) -> None:
    found = of(language)
    elements = some_elements(language)
    assert differing(found.labels) == len(found.labels) == elements.machine.num_states
    assert elements.machine.start in found.probes
    assert differing(found.bits(elements.maps)) == len(elements.maps)


@pytest.mark.parametrize("spec", ["parity", "even-pairs", "cycle-navigation", "group:A4", "d-3"])
def test_bits_of_a_product_follow_from_those_of_the_factors(spec: str) -> None:
    """Also where a map is known at the start state only, as at the edge of a word."""
    language = parse(spec)
    elements = some_elements(language)
    found = of(language)
    start = elements.machine.start
    at_start = np.full_like(elements.maps, -1)
    at_start[:, start] = elements.maps[:, start]
    lefts = np.concatenate([elements.maps, at_start])
    known: dict[tuple[bytes, bytes], bytes] = {}
    right_bits = found.bits(elements.maps)
    for left, bits in zip(lefts, found.bits(lefts), strict=True):
        both = np.where(left >= 0, elements.maps[:, left], -1)
        for right, result in zip(right_bits, found.bits(both), strict=True):
            key = bits.tobytes(), right.tobytes()
            assert known.setdefault(key, result.tobytes()) == result.tobytes()


@pytest.mark.parametrize(
    ("spec", "probes", "bits"),
    [
        ("group:Z60", 1, 3 + 4 + 5),
        ("group:S3", 1, 3 * 3),
        ("group:A5", 1, 5 * 5),
        ("group:S5", 1, 5 * 5),
        ("group:S5,generators=2", 1, 5 * 5),
        ("cycle-navigation", 1, 5),
        ("d-4", 6, 6),
    ],
)
def test_groups_are_told_by_few_points_and_counters_by_all_states(
    spec: str, probes: int, bits: int
) -> None:
    found = of(parse(spec))
    varying = found.labels[:, found.labels.any(axis=0) & ~found.labels.all(axis=0)]
    assert (len(found.probes), varying.shape[1]) == (probes, bits)


def test_modular_arithmetic_has_the_symmetries_of_its_sums() -> None:
    """25 states after a digit: a sum mod 5 that all symbols respect, and the last product."""
    machine = parse("modular-arithmetic").total().minimise()
    steps = np.array(machine.transitions)
    orders = {len(module._symmetries(steps, p)) for p in module._strongly_connected(steps)}
    assert orders == {1, 5}


@given(language=machines(max_states=6))
def test_symmetries_commute_with_all_symbols_and_are_a_group(language: Language) -> None:
    machine = language.total().minimise()
    steps = np.array(machine.transitions)
    states = np.arange(len(steps))
    for part in module._strongly_connected(steps):
        group = module._symmetries(steps, part)
        assert (group[0] == part).all()
        rows = {tuple(row) for row in group.tolist()}
        table = module._products(group, part)
        for g, row in enumerate(group):
            moved = states.copy()
            moved[part] = row
            assert sorted(row) == sorted(part)
            assert (moved[steps[part]] == steps[row]).all()
            for h, other in enumerate(group):
                assert tuple(moved[other].tolist()) in rows
                assert (group[table[g, h]] == moved[other]).all()
