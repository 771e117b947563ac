import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages import monoid as monoid_module
from lengthwise.languages.language import Language
from lengthwise.languages.monoid import syntactic_monoid, transition_monoid
from lengthwise.languages.spec import parse
from strategies import machines, recognisers, words

Map = tuple[int, ...]


def compose(first: Map, second: Map) -> Map:
    return tuple(second[state] for state in first)


def closure(language: Language) -> set[Map]:
    """The oracle: compose until nothing new comes."""
    identity = tuple(range(language.num_states))
    steps = [tuple(row[a] for row in language.transitions) for a in range(language.num_symbols)]
    found = {identity, *steps}
    while new := {compose(x, a) for x in found for a in steps} - found:
        found |= new
    return found


@given(machines(max_states=4))
def test_elements_are_all_state_maps_in_the_order_of_their_words(language: Language) -> None:
    monoid = transition_monoid(language)
    assert set(monoid.elements) == closure(language)
    assert monoid.size == len(set(monoid.elements))
    assert list(monoid.words) == sorted(monoid.words, key=lambda word: (len(word), word))
    for element, word in enumerate(monoid.words):
        maps = tuple(language.run(word, state) for state in range(language.num_states))
        assert monoid.elements[element] == maps
        assert monoid.element(word) == element
    assert monoid.generators == tuple(monoid.element((a,)) for a in range(language.num_symbols))


@given(machines(max_states=4))
def test_the_table_composes_state_maps(language: Language) -> None:
    monoid = transition_monoid(language)
    for x, y in itertools.product(range(min(monoid.size, 40)), repeat=2):
        product = compose(monoid.elements[x], monoid.elements[y])
        assert monoid.elements[monoid.table[x, y]] == product
        assert monoid.product(x, y) == monoid.table[x, y]


@given(recognisers(max_states=5), st.data())
def test_each_word_has_the_class_of_its_element(language: Language, data: st.DataObject) -> None:
    machine = language.minimise()
    monoid = syntactic_monoid(language)
    word = data.draw(words(language))
    reached = monoid.elements[monoid.element(word)][machine.start]
    assert machine.classes[reached] == language.classify(word)


@pytest.mark.parametrize(
    ("spec", "size", "star_free", "is_group"),
    [
        ("parity", 2, False, True),
        ("cycle-navigation", 5, False, True),
        ("tomita-1", 2, True, False),
        ("even-pairs", 5, True, False),
        ("abab-star", 10, False, False),
        ("regex:(ab)*", 6, True, False),
        ("modular-arithmetic", 568, False, False),
        ("group:S4", 24, False, True),
    ],
)
def test_known_monoids(spec: str, size: int, star_free: bool, is_group: bool) -> None:
    monoid = syntactic_monoid(parse(spec))
    assert (monoid.size, monoid.is_aperiodic, monoid.is_group) == (size, star_free, is_group)
    assert monoid.is_solvable


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 12])
def test_the_monoid_of_d_n_has_the_size_of_the_formula_and_is_star_free(depth: int) -> None:
    monoid = syntactic_monoid(parse(f"d-{depth}"))
    assert monoid.size == sum(j * j for j in range(1, depth + 2)) + 1
    assert monoid.is_aperiodic


def test_operator_digit_words_of_modular_arithmetic_do_129_things() -> None:
    """Inside a word, (sum, term) goes to (sum + c term + m, k), 125 maps, or to (sum, c term).

    The product by 0 is among the 125, so these are 129. In front, a word must begin with +, which
    sets apart the 25 that do.
    """
    monoid = syntactic_monoid(language := parse("modular-arithmetic"))
    pairs = [
        monoid.element(language.encode(operator + digit)) for operator in "+-*" for digit in "01234"
    ]
    found = set(pairs)
    while new := {monoid.product(x, y) for x in found for y in pairs} - found:
        found |= new
    start = language.total().minimise().start
    inside = [state for state in range(monoid.maps.shape[1]) if state != start]
    assert len(found) == 129 + 25
    assert len(np.unique(monoid.maps[sorted(found)][:, inside], axis=0)) == 129


def test_too_large_a_monoid_is_refused_with_the_numbers() -> None:
    with pytest.raises(LanguageError, match=r"at most 10 elements.*4 states.*Raise max_elements"):
        syntactic_monoid(parse("d-2"), max_elements=10)
    assert syntactic_monoid(parse("d-2"), max_elements=15).size == 15


def test_too_many_entries_are_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monoid_module, "MAX_ENTRIES", 15 * 4)
    assert syntactic_monoid(parse("d-2")).size == 15
    monkeypatch.setattr(monoid_module, "MAX_ENTRIES", 15 * 4 - 1)
    with pytest.raises(LanguageError, match=r"59 entries in all, but 15 maps or more of 4 states"):
        syntactic_monoid(parse("d-2"))


def test_too_large_a_table_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monoid_module, "MAX_TABLE", 14)
    with pytest.raises(LanguageError, match="at most 14 elements, but this monoid has 15"):
        _ = syntactic_monoid(parse("d-2")).table


def test_the_table_is_of_small_integers() -> None:
    assert syntactic_monoid(parse("d-2")).table.dtype == np.int32
