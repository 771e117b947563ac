"""State maps by number: products, and what occurs in words of the domain, against plain reading."""

from functools import reduce
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages import elements as module
from lengthwise.languages.elements import MonoidElements
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import machines, machines_with_domain

S5 = Language(  # five points, turned around and two of them swapped: 120 state maps
    alphabet=("a", "b"),
    transitions=((1, 1), (2, 0), (3, 2), (4, 3), (0, 4)),
    classes=(0, 1, 1, 1, 1),
)

languages = st.one_of(
    machines(max_states=5), machines_with_domain(), machines_with_domain(alphabet="a")
)


def map_of(machine: Language, word: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(machine.run(word, state) for state in range(machine.num_states))


def element_of(elements: MonoidElements, word: tuple[int, ...]) -> int:
    """By products of single elements, from the left."""
    numbers = [elements.symbols[[symbol]] for symbol in word]
    return int(reduce(elements.product, numbers)[0])


def all_products(elements: MonoidElements) -> None:
    """Multiply until nothing new comes."""
    known = 0
    while len(elements.maps) > known:
        known = len(elements.maps)
        elements.product(*np.indices((known, known)).reshape(2, -1))


def distances_into_the_domain(language: Language, most: int) -> list[set[int]]:
    """For each state, after how many symbols (0 to `most`) a word of the domain can end."""
    machine = language.total().minimise()
    inside = {s for s, c in enumerate(machine.classes) if c < language.num_classes}
    found: list[set[int]] = [set() for _ in machine.transitions]
    for steps in range(most + 1):
        for state in inside:
            found[state].add(steps)
        inside = {s for s, row in enumerate(machine.transitions) if not inside.isdisjoint(row)}
    return found


@given(language=languages, data=st.data())
def test_products_are_the_maps_of_words_and_equal_maps_have_one_number(
    language: Language, data: st.DataObject
) -> None:
    elements = MonoidElements(language)
    machine = language.total().minimise()
    symbol = st.integers(0, language.num_symbols - 1)
    words = data.draw(st.lists(st.lists(symbol, min_size=1, max_size=9).map(tuple), min_size=2))
    numbers = [element_of(elements, word) for word in words]
    for word, number in zip(words, numbers, strict=True):
        assert tuple(elements.maps[number].tolist()) == map_of(machine, word)
        assert elements.after(
            np.arange(machine.num_states), np.full(machine.num_states, number)
        ).tolist() == list(map_of(machine, word))
    for (v, m), (w, n) in product(zip(words, numbers, strict=True), repeat=2):
        assert (m == n) == (map_of(machine, v) == map_of(machine, w))
        together = elements.product(np.array([m]), np.array([n]))
        assert tuple(elements.maps[together[0]].tolist()) == map_of(machine, v + w)


@pytest.mark.parametrize("rows", [3, 1 << 16])
def test_all_products_at_once_while_the_table_grows(
    monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """A group of 120 elements is closed from two symbols: the table is enlarged on the way."""
    monkeypatch.setattr(module, "_ROWS", rows)
    elements = MonoidElements(S5)
    known = 0
    while len(elements.maps) > known:
        known = len(elements.maps)
        x, y = np.indices((known, known)).reshape(2, -1)
        numbers = elements.product(x, y)
        for a, b, c in zip(x.tolist(), y.tolist(), numbers.tolist(), strict=True):
            assert (elements.maps[b][elements.maps[a]] == elements.maps[c]).all()
        assert (elements.product(x, y) == numbers).all()
    assert known == 120
    assert len({tuple(row) for row in elements.maps.tolist()}) == 120


@given(language=languages)
def test_classes_are_those_of_words_and_one_more_outside_the_domain(language: Language) -> None:
    elements = MonoidElements(language)
    for word in product(range(language.num_symbols), repeat=5):
        state = elements.machine.run(word)
        inside = language.domain is None or language.domain.classify(word) == 1
        assert (elements.classes[state] < language.num_classes) == inside
        if inside:
            assert elements.classes[state] == language.classify(word)


@given(language=languages, chunk_size=st.integers(2, 3))
def test_steps_lead_to_the_states_that_c_to_the_l_symbols_reach(
    language: Language, chunk_size: int
) -> None:
    elements = MonoidElements(language)
    machine = elements.machine
    for level in range(4 if chunk_size == 2 else 3):
        steps = elements.steps(level, chunk_size)
        for state in range(machine.num_states):
            reached = {state}
            for _ in range(chunk_size**level):
                reached = {target for s in reached for target in machine.transitions[s]}
            assert set(np.flatnonzero(steps[state]).tolist()) == reached


def test_steps_of_one_chunk_are_not_those_of_another() -> None:
    elements = MonoidElements(parse("count:a:7"))
    elements.steps(2, 2)
    fresh = MonoidElements(parse("count:a:7"))
    assert (elements.steps(2, 3) == fresh.steps(2, 3)).all()


@given(language=languages, chunk_size=st.integers(2, 3), level=st.integers(0, 3))
def test_states_lead_in_if_a_multiple_of_the_width_ends_in_the_domain(
    language: Language, chunk_size: int, level: int
) -> None:
    elements = MonoidElements(language)
    width = chunk_size**level
    ends = distances_into_the_domain(language, width * elements.machine.num_states)
    expected = [any(n % width == 0 for n in found) for found in ends]
    assert elements.leads_in(level, chunk_size).tolist() == expected


@given(language=languages, chunk_size=st.integers(2, 3), level=st.integers(0, 3))
def test_a_sub_word_occurs_if_a_word_of_the_domain_passes_it_at_that_alignment(
    language: Language, chunk_size: int, level: int
) -> None:
    elements = MonoidElements(language)
    machine = elements.machine
    width = chunk_size**level
    ends = distances_into_the_domain(language, width * machine.num_states)
    by_element: dict[int, bool] = {}
    for length in (1, 2, 3):
        for word in product(range(language.num_symbols), repeat=length):
            passes = any(n % width == 0 for target in map_of(machine, word) for n in ends[target])
            assert by_element.setdefault(element_of(elements, word), passes) == passes
    occurs = elements.occurs(level, chunk_size)
    assert len(occurs) == len(elements.maps)
    assert {number: bool(occurs[number]) for number in by_element} == by_element


def test_a_language_with_too_many_state_maps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ELEMENTS", 119)
    with pytest.raises(LanguageError, match=r"more than 119 state maps.*smaller language"):
        all_products(MonoidElements(S5))
    monkeypatch.setattr(module, "MAX_ELEMENTS", 1)
    with pytest.raises(LanguageError, match="more than 1 state maps"):
        MonoidElements(S5)
