"""The network as a guide: what it finds, when it begins, and what it leaves alone."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inference.samples import Readings, balance, end_at_once, machine, number_symbols
from lengthwise.inference import network_guide, portfolio
from lengthwise.inference.network_guide import Guide, _most_states
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import Attempt, AttemptLostError, SearchTask, count_wrong
from lengthwise.inference.soft_automaton import SoftAutomaton

LINE = machine([[0, 1], [0, 2], [1, 3], [3, 0]], [0, 1, 1, 0])
WORDS = balance(LINE, 600, shortest=15, longest=24, seed=0)


def test_an_automaton_is_found_from_long_words() -> None:
    for number in range(4):
        made = Guide().attempt(number, SearchTask(WORDS))
        assert made is not None
        assert made.language is not None
        if not count_wrong(made.language, WORDS):
            break
    assert made is not None
    assert made.language == number_symbols(LINE).minimise()


def test_an_attempt_depends_on_its_number_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_guide, "_STEPS", 20)
    work = []
    for number in (0, 0, 1):
        readings = Readings()
        made = Guide().attempt(number, SearchTask(WORDS, max_states=4, read=readings.read))
        work.append((made, readings.symbols))
    assert work[0] == work[1]
    assert work[0][1] != work[2][1]


def test_training_counts_each_symbol_that_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_guide, "_STEPS", 20)
    monkeypatch.setattr(network_guide, "_correct", lambda words, moves: Attempt(None))
    readings = Readings()
    Guide().attempt(0, SearchTask(WORDS, read=readings.read))
    assert readings.symbols >= 20 * network_guide._BATCH * int(WORDS.lengths.max())


def test_no_search_that_is_explained_waits_for_the_network() -> None:
    assert Guide.late >= max(portfolio._PATIENCE, portfolio._PATIENCE_WITH_NOISE)


def test_no_more_states_are_found_than_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_guide, "_STEPS", 20)
    made = Guide().attempt(0, SearchTask(WORDS, max_states=2))
    assert made is not None
    assert made.language is not None
    assert made.language.num_states <= 2
    assert Guide().attempt(0, SearchTask(WORDS, max_states=1)) is None


def test_few_words_and_very_long_ones_are_left_alone() -> None:
    assert Guide().attempt(0, SearchTask(WORDS.part(np.arange(100)))) is None
    words = np.random.default_rng(0).integers(0, 2, (300, 1_000))
    long = Sample.of_words(words.tolist(), words[:, 0].tolist(), 2, 2)
    assert Guide().attempt(0, SearchTask(long)) is None


def test_no_network_has_fewer_states_than_there_are_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = list[int]()

    class Noted(SoftAutomaton):
        def __init__(self, *, num_states: int, **settings: Any) -> None:
            sizes.append(num_states)
            super().__init__(num_states=num_states, **settings)

    monkeypatch.setattr(network_guide, "_STEPS", 1)
    monkeypatch.setattr(network_guide, "_most_states", lambda sample: 99)
    monkeypatch.setattr(network_guide, "SoftAutomaton", Noted)
    many = replace(WORDS, classes=np.arange(len(WORDS)) % 16, num_classes=16)
    for number in range(3):
        assert Guide().attempt(number, SearchTask(many)) is not None
    assert sizes == [16, 24, 16]
    assert Guide().most_classes == 24


def test_the_time_can_end_within_training() -> None:
    with pytest.raises(AttemptLostError):
        Guide().attempt(0, SearchTask(WORDS, read=end_at_once))


def test_more_words_allow_for_more_states_and_more_symbols_for_fewer() -> None:
    few = _most_states(WORDS.part(np.arange(0, len(WORDS), 2)))
    assert few < _most_states(WORDS)
    wide = Sample.of_words([WORDS.word(row) for row in range(600)], WORDS.classes.tolist(), 16, 2)
    assert _most_states(wide) < few
