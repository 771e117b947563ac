"""The automaton that a recurrence is, against minimised automata and all short words."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.languages.language import Language
from lengthwise.proofs.search.own_automaton import OUTSIDE, Neighbours, own_automaton
from proofs.search.test_prefixes import Table
from strategies import all_words, machines

ANY = Neighbours.any(2)


@given(machine=machines())
def test_over_all_words_it_is_the_minimal_automaton(machine: Language) -> None:
    found = own_automaton(Table(machine), ANY, max_steps=100)
    minimal = machine.minimise()
    assert found == (minimal.transitions, minimal.classes)


@given(
    machine=machines(),
    follows=st.lists(st.booleans(), min_size=6, max_size=6),
    ends=st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_words_of_given_neighbours_keep_their_classes_and_others_have_none(
    machine: Language, follows: list[bool], ends: list[bool]
) -> None:
    shown = Neighbours(np.array(follows).reshape(3, 2), np.array(ends))
    found = own_automaton(Table(machine), shown, max_steps=1_000)
    assert found is not None
    table, classes = found
    for word in all_words(machine, 6):
        state, last, inside = 0, 2, True
        for symbol in word:
            inside &= follows[2 * last + symbol]
            state, last = table[state][symbol], symbol
        wanted = machine.classify(word) if inside and ends[last] else OUTSIDE
        assert classes[state] == wanted


@given(
    machine=machines(),
    steps=st.integers(0, 12),
)
def test_it_is_given_up_past_the_most_steps(machine: Language, steps: int) -> None:
    reached = {machine.start}
    for _ in range(machine.num_states):
        reached |= {target for state in reached for target in machine.transitions[state]}
    contexts = len({(state, symbol) for state, symbol in product(reached, (0, 1))})
    found = own_automaton(Table(machine), ANY, max_steps=steps)
    assert (found is None) == (contexts > steps)


@given(words=st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=5))
def test_neighbours_are_those_that_words_show(words: list[list[int]]) -> None:
    time = max(map(len, words))
    tokens = np.array([[7] * (time - len(word)) + word for word in words], dtype=np.int64)
    shown = Neighbours.of(
        tokens.reshape(len(words), time), np.array([len(word) for word in words]), 3
    )
    for last, symbol in product(range(4), range(3)):
        expected = any(
            (word[:1] == [symbol])
            if last == 3
            else [last, symbol] in (word[i : i + 2] for i in range(len(word)))
            for word in words
        )
        assert shown.follows[last, symbol] == expected
    for last in range(4):
        assert shown.ends[last] == any((word or [3])[-1] == last for word in words)
