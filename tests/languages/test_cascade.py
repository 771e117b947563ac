"""Cascades of resets follow their automata, and a group that is found is one."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.errors import LanguageError
from lengthwise.languages.cascade import (
    MAX_CHAINS,
    MAX_IMAGES,
    Cascade,
    cascade,
    find_group,
    permuting_cascade,
)
from lengthwise.languages.language import Language
from lengthwise.languages.spec import parse
from strategies import recognisers


def is_aperiodic(machine: Language) -> bool:
    """Whether m^k = m^(k + 1) for every element of the monoid, with k the number of states."""
    symbols = [tuple(row[a] for row in machine.transitions) for a in range(machine.num_symbols)]
    seen = {tuple(range(machine.num_states))}
    for element in (queue := list(seen)):
        for symbol in symbols:
            after = tuple(symbol[state] for state in element)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    for element in seen:
        power = element
        for _ in range(machine.num_states):
            power = tuple(element[state] for state in power)
        if tuple(element[state] for state in power) != power:
            return False
    return True


def follow(made: Cascade, word: tuple[int, ...]) -> int:
    """The state after a word, level by level."""
    at = (0,) * len(made.levels)
    for symbol in word:
        at = tuple(level.after(at[n], (symbol, *at[:n])) for n, level in enumerate(made.levels))
        assert all(v < level.size for v, level in zip(at, made.levels, strict=True))
    return made.states[at]


@given(language=recognisers(max_states=5))
def test_there_is_a_cascade_or_a_group(language: Language) -> None:
    machine = language.minimise()
    group = find_group(machine)
    assert (group is None) == is_aperiodic(machine)
    if group is None:
        assert not any(level.turns for level in cascade(machine).levels)
        assert cascade(machine) == permuting_cascade(machine)
        return
    for one, other in zip(group.cycle, (*group.cycle[1:], group.cycle[0]), strict=True):
        assert machine.run(group.word, one) == other
    assert len(set(group.cycle)) == len(group.cycle) > 1
    with pytest.raises(LanguageError, match="is not star-free: after"):
        cascade(machine)


@given(language=recognisers(max_states=6))
def test_every_automaton_has_a_cascade_of_resets_and_permutations(language: Language) -> None:
    machine = language.minimise()
    made = permuting_cascade(machine)
    for level in made.levels:
        for above, turn in level.turns.items():
            assert sorted(turn) == list(range(level.size))
            assert level.resets[above] is None
    for length in range(6):
        for word in product(range(machine.num_symbols), repeat=length):
            assert follow(made, word) == machine.run(word)


@given(seed=st.integers(0, 10**6))
def test_larger_automata_that_only_move_up_have_a_cascade(seed: int) -> None:
    """Their cycles are loops, so they have no group."""
    drawn = [seed * (i + 3) % 1_000_003 for i in range(14)]
    rows = tuple(tuple(q + drawn[2 * q + a] % (7 - q) for a in range(2)) for q in range(7))
    machine = Language(
        alphabet=("a", "b"), transitions=rows, classes=(0, 1, 0, 0, 1, 1, 0)
    ).minimise()
    made = cascade(machine)
    for number in range(40):
        word = tuple((seed >> (number + i)) & 1 for i in range(12))
        assert follow(made, word) == machine.run(word)


@pytest.mark.slow
def test_what_is_too_large_is_refused_with_numbers() -> None:
    with pytest.raises(LanguageError, match=f"14 states have more than {MAX_CHAINS:,} chains"):
        cascade(parse("d-12").minimise())
    size = 12
    shift = tuple(min(q + 1, size - 1) for q in range(size))
    merge = tuple(max(q - (q % 3 == 1), 0) for q in range(size))
    turn = (1, 0, *range(2, size))
    wild = Language(
        alphabet=("a", "b", "c"),
        transitions=tuple(zip(shift, merge, turn, strict=True)),
        classes=tuple(q % 2 for q in range(size)),
    )
    try:
        find_group(wild)
    except LanguageError as error:
        assert f"more than {MAX_IMAGES} images" in str(error)  # noqa: PT017  either is right
