"""Exploration of prefixes against all short words, for networks and for tables of integers."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import LengthwiseError, VerificationError
from lengthwise.languages.language import Language
from lengthwise.proofs.check.arrays import Booleans, Integers
from lengthwise.proofs.check.bounded import Decided, largest, signs
from lengthwise.proofs.search import prefixes
from lengthwise.proofs.search.codes import CodeRecurrence, TrackedCodes
from lengthwise.proofs.search.exploration import explore
from strategies import all_words, domained, machines


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


def changed(machine: Language, state: int, symbol: int, to: int, turn: int) -> Language:
    """The automaton with one transition and one class changed."""
    rows = [list(row) for row in machine.transitions]
    rows[state % len(rows)][symbol] = to % len(rows)
    classes = list(machine.classes)
    classes[turn % len(rows)] = (classes[turn % len(rows)] + turn) % 3
    return replace(machine, transitions=tuple(map(tuple, rows)), classes=tuple(classes))


@given(language=domained(), change=st.tuples(*[st.integers(0, 3)] * 4), symbol=st.integers(0, 1))
def test_the_verdict_and_the_shortest_word_are_those_of_all_words(
    language: Language, change: tuple[int, ...], symbol: int
) -> None:
    other = changed(replace(language, domain=None), change[0], symbol, change[1], change[2])
    found = explore(Table(other), language)
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
    assert explore(Table(machine), machine).is_closed


@pytest.mark.parametrize("bound", [1, 30, 998])
def test_past_its_bound_nothing_is_claimed(bound: int) -> None:
    """A counter of a thousand is right on the way, but neither proved nor refuted."""
    length = 1000
    ring = Language(
        alphabet=("a",),
        transitions=tuple(((state + 1) % length,) for state in range(length)),
        classes=tuple(int(state == length - 1) for state in range(length)),
    )
    found = explore(Table(ring), ring, max_chunks=bound)
    assert (found.is_closed, found.wrong, found.checked_length) == (False, None, bound)
    assert f"more than {bound}" in found.reason
    assert explore(Table(ring), ring).is_closed


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
    found = explore(Table(always), ring)
    assert (len(found.wrong or ()), found.checked_length) == (8, 7)
    monkeypatch.setattr(prefixes, "LONGEST_WORD", 5)
    found = explore(Table(always), ring)
    assert (found.wrong, found.checked_length) == (None, 7)
    assert "a word of 8 symbols is wrong" in found.reason


def test_another_number_of_symbols_is_refused_and_so_is_what_is_no_algebra() -> None:
    machine = lw.language("tomita-3")
    with pytest.raises(VerificationError, match="has 3 symbols, but tomita-3 has 2"):
        explore(Table(lw.language("count:a:3", "abc")), machine)
    with pytest.raises(VerificationError, match="Table2 has neither the methods of a Recurrence"):
        explore(type("Table2", (), {"num_symbols": 2, "read": None})(), machine)


class Ends:
    """Bits that say whether the last symbol was b, and how many symbols there were, modulo 4."""

    num_symbols = 2

    def start(self) -> Booleans:
        return np.zeros(3, dtype=np.bool_)

    def step(self, codes: Booleans, symbols: Integers) -> Booleans:
        after = codes.copy()
        after[:, 0] = symbols == 1
        after[:, 1] ^= codes[:, 2]
        after[:, 2] = ~codes[:, 2]
        return after

    def classes(self, codes: Booleans) -> Integers:
        return codes[:, 0].astype(np.int64)


def test_codes_of_a_network_of_ones_own_are_numbered_and_explored() -> None:
    language = lw.language("regex:(a|b)*b", "ab")
    recurrence = CodeRecurrence(Ends())
    found = explore(recurrence, language)
    assert found.is_closed
    met = {tuple(code) for code in recurrence.codes(np.arange(len(recurrence.packed))).tolist()}
    assert len(met) == len(recurrence.packed) == 8  # 000 once, then both last symbols four times
    wrong = explore(CodeRecurrence(Ends()), lw.language("regex:(a|b)*bb", "ab"))
    assert wrong.wrong == (1,)


class Answers:
    """A network of one code, whose methods return what the test says."""

    num_symbols = 2

    def __init__(self, start: Any = None, step: Any = None, classes: Any = None) -> None:
        self._start = np.zeros(2, dtype=np.bool_) if start is None else start
        self._step = step
        self._classes = np.ones(1, dtype=np.int64) if classes is None else classes

    def start(self) -> Any:
        return self._start

    def step(self, codes: Any, symbols: Integers) -> Any:
        return np.zeros((len(codes), 2), dtype=np.bool_) if self._step is None else self._step

    def classes(self, codes: Any) -> Any:
        return self._classes


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"start": np.zeros(2)}, r"start .* bits or whole numbers \[place\].*one of float64 \[2\]"),
        ({"start": [0, 1]}, "start has to return .* returned a list"),
        ({"start": torch.zeros(2)}, "returned a Tensor"),
        ({"start": np.zeros((1, 2), dtype=np.bool_)}, r"one of bool \[1, 2\]"),
        ({"step": np.zeros((2, 2), dtype=np.int64)}, r"step .* of bits \[2, 2\].* int64"),
        ({"step": np.zeros((2, 3), dtype=np.bool_)}, r"one of bool \[2, 3\]"),
        ({"step": np.zeros((1, 2), dtype=np.bool_)}, r"one of bool \[1, 2\]"),
        ({"start": np.zeros(2, dtype=np.int64), "step": np.full((2, 2), 0.3)}, "whole .* float64"),
        ({"start": np.zeros(2, dtype=np.uint64)}, "one of uint64"),
        ({"classes": np.ones(1)}, r"classes .* whole numbers \[1\].* one of float64"),
        ({"classes": np.ones((1, 1), dtype=np.int64)}, r"one of int64 \[1, 1\]"),
        (
            {"start": Decided(np.zeros(1, dtype=np.int64), np.ones(1), np.ones(1))},
            r"Wrap the network in lengthwise\.proofs\.search\.codes\.TrackedCodes",
        ),
    ],
)
def test_what_is_no_code_is_refused_rather_than_rounded(
    answers: dict[str, Any], message: str
) -> None:
    """A number cut to a whole one, or to a bit, would make two codes one, and prove falsely."""
    every = lw.language("regex:(a|b)*", "ab")
    assert explore(CodeRecurrence(Answers()), every).is_closed
    with pytest.raises(VerificationError, match=message):
        explore(CodeRecurrence(Answers(**answers)), every)


class Silent:
    """A network without numbers of symbols and methods."""


class Named(Silent):
    num_symbols = "2"


class Halted(Silent):
    num_symbols = 2

    def start(self) -> Booleans:
        return np.zeros(1, dtype=np.bool_)


@pytest.mark.parametrize("wrap", [CodeRecurrence, TrackedCodes])
@pytest.mark.parametrize(
    ("network", "message"),
    [
        (Silent(), "Silent.num_symbols has to be a whole number from 1 on, but it has none"),
        (Named(), "it is '2'"),
        (Halted(), "Halted has no step and no classes"),
        (None, "is an object with num_symbols, start, step and classes, but got None"),
        (Ends, "but got <class"),
    ],
)
def test_what_a_network_with_codes_lacks_is_named(wrap: Any, network: Any, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        wrap(network)


def test_a_language_may_be_given_by_name_and_bounds_are_whole_numbers() -> None:
    machine = lw.language("tomita-3")
    assert explore(Table(machine), "tomita-3").is_closed
    for wrong in (3, None):
        with pytest.raises(LengthwiseError, match="a language is"):
            explore(Table(machine), cast(Any, wrong))
    for most in (-1, 1.5, True, "x"):
        with pytest.raises(LengthwiseError, match="max_chunks"):
            explore(Table(machine), machine, max_chunks=cast(Any, most))


def test_the_network_within_its_bounds_is_named() -> None:
    flat = Decided(np.zeros((1, 1), dtype=np.bool_), cast(Any, [1.0]), cast(Any, [0.5]))
    inside = CodeRecurrence(TrackedCodes(cast(Any, Answers(start=flat))))
    assert inside.start() == 0
    deep = Decided(np.zeros((1, 2, 2), dtype=np.bool_), np.ones(1), np.zeros(1))
    with pytest.raises(VerificationError, match=r"Answers\.start has to return an array"):
        CodeRecurrence(TrackedCodes(cast(Any, Answers(start=deep)))).start()


def decided(distance: list[float], radius: list[float]) -> Decided:
    return Decided(np.zeros((1, 1), dtype=np.bool_), np.array(distance), np.array(radius))


def test_bounds_that_are_none_are_refused_and_nothing_is_certain_before_it_was_seen() -> None:
    assert not TrackedCodes(cast(Any, Answers())).is_certain
    tracked = TrackedCodes(cast(Any, Answers(start=decided([2.0, 1.0], [0.5, 0.5]))))
    assert tracked.start().shape == (1,)
    assert tracked.is_certain
    for message, found in {
        "a radius is -5": decided([-1.0], [-5.0]),
        "there are 2 distances, 1 radii": decided([1.0, 1.0], [0.0]),
        "it returned a ndarray": np.zeros(1),
    }.items():
        with pytest.raises(VerificationError, match=message):
            TrackedCodes(cast(Any, Answers(start=found))).start()


@pytest.mark.parametrize("kind", [np.complex128, object])
def test_bounds_that_are_not_real_are_refused(kind: Any) -> None:
    """Numpy orders complex numbers by their real parts, so that they passed as certain."""
    numbers, bounds = np.array([[2.0 + 0.0j]]).astype(kind), np.array([[0.5]])
    found = Decided(np.zeros((1, 1), dtype=np.bool_), cast(Any, numbers[0]), bounds[0])
    for refused in (
        lambda: TrackedCodes(cast(Any, Answers(start=found))).start(),
        lambda: signs(cast(Any, numbers), bounds),
        lambda: signs(bounds, cast(Any, numbers)),
        lambda: largest(cast(Any, numbers), bounds),
    ):
        with pytest.raises(VerificationError, match=f"real, but these are {kind.__name__}"):
            refused()
