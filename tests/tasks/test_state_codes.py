"""The table of an automaton's steps against walks through words."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import ConfigError
from lengthwise.languages.language import Language
from lengthwise.tasks.state_codes import make_state_codes
from lengthwise.tasks.state_maps import IGNORED
from strategies import machines_with_domain


def steps_of_words(language: Language, longest: int) -> set[tuple[int, int, int]]:
    """State, symbol and next state of the minimal automaton in all words of the domain."""
    machine = language.total().minimise()
    found = set()
    for length in range(longest + 1):
        for word in product(range(language.num_symbols), repeat=length):
            states = [machine.start]
            for symbol in word:
                states.append(machine.transitions[states[-1]][symbol])
            if machine.classes[states[-1]] < language.num_classes:
                found |= set(zip(states, word, states[1:], strict=False))
    return found


@given(language=machines_with_domain(), longest=st.integers(0, 7))
def test_the_steps_are_those_of_all_words_of_the_domain(language: Language, longest: int) -> None:
    machine = language.total().minimise()
    table = make_state_codes(language, longest)
    expected = steps_of_words(language, longest)
    named = sorted({machine.start} | {s for b, _, a in expected for s in (b, a)})
    rows = zip(table.states.tolist(), table.symbols.tolist(), table.results.tolist(), strict=True)
    assert {(named[b], symbol, named[a]) for b, symbol, a in rows} == expected
    assert named[table.start] == machine.start
    classes = [machine.classes[state] for state in named]
    outside = language.num_classes
    assert table.classes.tolist() == [c if c < outside else IGNORED for c in classes]
    assert len(table.codes) == len(named)


@given(language=machines_with_domain())
def test_words_of_all_lengths_have_the_steps_of_long_ones(language: Language) -> None:
    every, long = make_state_codes(language, None), make_state_codes(language, 100)
    for name in ("states", "symbols", "results", "codes", "classes"):
        assert torch.equal(getattr(every, name), getattr(long, name))
    assert every.start == long.start


def test_each_of_few_states_has_a_bit_of_its_own() -> None:
    codes = make_state_codes(lw.language("modular-arithmetic"), None).codes
    alone = codes[:, codes.sum(dim=0) == 1]
    assert (alone.sum(dim=1) == 1).all()
    assert len(codes) == 51


@pytest.mark.parametrize("size", [1, 2, 64, 65, 700, 5_000])
def test_codes_are_distinct_and_of_many_states_have_few_bits(size: int) -> None:
    ring = Language(
        alphabet=("a",),
        transitions=tuple(((state + 1) % size,) for state in range(size)),
        classes=tuple(int(state == 0) for state in range(size)),
    )
    codes = make_state_codes(ring, None).codes
    assert len(torch.unique(codes, dim=0)) == len(codes) == size
    assert codes.shape[1] <= max(133, 5 * size**0.5)
    if size > 1:
        assert len(torch.unique(codes, dim=1).t()) == codes.shape[1]
        assert not (codes.all(dim=0) | ~codes.any(dim=0)).any()


def test_the_class_is_read_off_by_a_linear_map() -> None:
    table = make_state_codes(lw.language("modular-arithmetic"), None)
    for value in table.classes.unique():  # type: ignore[no-untyped-call]
        bits = table.codes[table.classes == value].all(dim=0)
        assert (bits & ~table.codes[table.classes != value].any(dim=0)).any()


def test_an_automaton_past_the_bound_is_refused() -> None:
    size = 50_001
    ring = Language(
        alphabet=("a", "b"),
        transitions=tuple(((state + 1) % size, state) for state in range(size)),
        classes=tuple(int(state == 0) for state in range(size)),
    )
    with pytest.raises(ConfigError, match=r"at most 100,000 transitions, .* has 100,002"):
        make_state_codes(ring, None)
