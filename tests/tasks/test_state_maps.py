"""State maps of sub-words are those of the automaton, read symbol by symbol."""

import itertools

import pytest
import torch

from lengthwise.languages.language import Language
from lengthwise.languages.spec import language
from lengthwise.tasks.state_maps import IGNORED, StateMaps, probe_states

NAMES = ["parity", "tomita-3", "regex:(ab)*", "modular-arithmetic"]


def read(machine: Language, state: int, word: tuple[int, ...]) -> int:
    for symbol in word:
        state = machine.transitions[state][symbol]
    return state


@pytest.mark.parametrize("name", NAMES)
def test_maps_of_two_levels_are_those_of_the_words(name: str) -> None:
    maps = StateMaps(language(name))
    machine, symbols = maps.machine, range(maps.machine.num_symbols)
    pairs = list(itertools.product(symbols, repeat=2))
    fours = list(itertools.product(range(-1, min(4, len(pairs))), repeat=2))
    levels = maps.of_levels([torch.tensor(pairs), torch.tensor(fours)])
    states = range(machine.num_states)
    assert levels[0].tolist() == [[read(machine, s, word) for s in states] for word in pairs]
    for found, (left, right) in zip(levels[1].tolist(), fours, strict=True):
        word = (() if left < 0 else pairs[left]) + (() if right < 0 else pairs[right])
        assert found == [read(machine, s, word) for s in states]


@pytest.mark.parametrize("name", NAMES)
def test_classes_and_steps_are_asked_where_a_word_of_the_domain_can_pass(name: str) -> None:
    known = language(name)
    maps = StateMaps(known)
    machine = maps.machine
    words = list(itertools.product(range(machine.num_symbols), repeat=3))
    (found,) = maps.of_levels([torch.tensor(words)])
    alive = machine.reaching(lambda label: label < known.num_classes)
    for word, label, steps in zip(
        words, maps.classes(found).tolist(), maps.transitions(found).tolist(), strict=True
    ):
        own = machine.classes[read(machine, machine.start, word)]
        assert label == (own if own < known.num_classes else IGNORED)
        ends = [read(machine, state, word) for state in maps.probes]
        assert steps == [end if end in alive else IGNORED for end in ends]


@pytest.mark.parametrize("name", NAMES)
def test_probes_begin_with_the_start_and_tell_all_maps_apart(name: str) -> None:
    maps = StateMaps(language(name))
    machine, probes = maps.machine, maps.probes
    assert probes == probe_states(machine)
    assert probes[0] == machine.start
    known = [tuple(range(machine.num_states))]
    for each in known:  # all products of symbols
        for symbol in range(machine.num_symbols):
            then = tuple(machine.transitions[state][symbol] for state in each)
            if then not in known:
                known.append(then)
    assert len({tuple(each[state] for state in probes) for each in known}) == len(known)
