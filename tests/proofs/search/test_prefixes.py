"""Exploration of prefixes against all short words, for networks and for tables of integers."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import LengthwiseError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import Integers
from lengthwise.proofs.search import prefixes
from lengthwise.proofs.search.exploration import decide
from strategies import all_words, machines, machines_with_domain


@dataclass
class Table:
    """A recurrence that is an automaton."""

    machine: Language

    @property
    def num_symbols(self) -> int:
        return self.machine.num_symbols

    def start(self) -> int:
        return self.machine.start

    def step(self, elements: Integers, symbols: Integers) -> Integers:
        return np.array(self.machine.transitions)[elements, symbols]

    def read(self, level: int, elements: Integers) -> Integers:
        return np.array(self.machine.classes)[elements]


def change_automaton(machine: Language, state: int, symbol: int, to: int, turn: int) -> Language:
    """The automaton with one transition and one class changed."""
    rows = [list(row) for row in machine.transitions]
    rows[state % len(rows)][symbol] = to % len(rows)
    classes = list(machine.classes)
    classes[turn % len(rows)] = (classes[turn % len(rows)] + turn) % 3
    return replace(machine, transitions=tuple(map(tuple, rows)), classes=tuple(classes))


@given(
    language=machines_with_domain(),
    change=st.tuples(*[st.integers(0, 3)] * 4),
    symbol=st.integers(0, 1),
)
def test_the_verdict_and_the_shortest_word_are_those_of_all_words(
    language: Language, change: tuple[int, ...], symbol: int
) -> None:
    other = change_automaton(
        replace(language, domain=None), change[0], symbol, change[1], change[2]
    )
    found = decide(Table(other), language)
    difference = replace(other, domain=language.domain).difference(language)
    assert found.is_closed == (difference is None)
    assert (found.wrong is None) == (difference is None)
    if found.wrong is None:
        assert found.checked_length is None
        return
    assert difference is not None
    assert len(found.wrong) == len(difference)
    assert found.checked_length == len(difference) - 1
    assert other.classify(found.wrong) != language.classify(found.wrong)
    domain = language.domain
    assert domain is not None
    assert domain.classify(found.wrong) == 1
    for word in all_words(language, len(found.wrong) - 1):
        inside = domain.classify(word) == 1
        assert not inside or other.classify(word) == language.classify(word)


@given(machine=machines())
def test_an_automaton_is_proved_about_itself(machine: Language) -> None:
    assert decide(Table(machine), machine).is_closed


@pytest.mark.slow_except("998")
@pytest.mark.parametrize("bound", [1, 30, 998])
def test_past_its_bound_nothing_is_claimed(bound: int) -> None:
    """A counter of a thousand is right on the way, but neither proved nor refuted."""
    length = 1000
    ring = Language(
        alphabet=("a",),
        transitions=tuple(((state + 1) % length,) for state in range(length)),
        classes=tuple(int(state == length - 1) for state in range(length)),
    )
    found = decide(Table(ring), ring, max_chunks=bound)
    assert (found.is_closed, found.wrong, found.checked_length) == (False, None, bound)
    assert f"more than {bound}" in found.reason
    assert decide(Table(ring), ring).is_closed


def test_a_word_too_long_to_be_shown_is_not_among_the_right_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    length = 9
    ring = Language(
        alphabet=("a",),
        transitions=tuple(((state + 1) % length,) for state in range(length)),
        classes=tuple(int(state == length - 1) for state in range(length)),
    )
    always = replace(ring, transitions=((0,),), classes=(0,))
    found = decide(Table(always), ring)
    assert (len(found.wrong or ()), found.checked_length) == (8, 7)
    monkeypatch.setattr(prefixes, "LONGEST_WORD", 5)
    found = decide(Table(always), ring)
    assert (found.wrong, found.checked_length) == (None, 7)
    assert "a word of 8 symbols is wrong" in found.reason


def test_another_number_of_symbols_is_refused_and_so_is_what_is_no_algebra() -> None:
    machine = lw.language("tomita-3")
    with pytest.raises(VerificationError, match="has 3 symbols, but tomita-3 has 2"):
        decide(Table(lw.language("count:a:3", "abc")), machine)
    with pytest.raises(VerificationError, match="Table2 has neither the methods of a Recurrence"):
        decide(type("Table2", (), {"num_symbols": 2, "read": None})(), machine)


def test_a_language_may_be_given_by_name_and_bounds_are_whole_numbers() -> None:
    machine = lw.language("tomita-3")
    assert decide(Table(machine), "tomita-3").is_closed
    for wrong in (3, None):
        with pytest.raises(LengthwiseError, match="a language is"):
            decide(Table(machine), cast(Any, wrong))
    for most in (-1, 1.5, True, "x"):
        with pytest.raises(LengthwiseError, match="max_chunks"):
            decide(Table(machine), machine, max_chunks=cast(Any, most))
