"""Exact search against all automata of up to three states over two symbols."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.samples import ANSWERS, EVERY, MACHINES, Readings, end_at_once, sample_of, samples
from inference.test_portfolio import EVEN, none_of
from lengthwise.inference import exact
from lengthwise.inference.distinguish import count_needed_states
from lengthwise.inference.exact import Exact
from lengthwise.inference.judge import Judge
from lengthwise.inference.portfolio import SearchState, search_automaton
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.searcher import Attempt, AttemptLostError, Searcher, SearchTask
from lengthwise.inference.statement import state_data
from lengthwise.languages.language import Language

pytest.importorskip("pysat", reason="needs python-sat, of the extra exact")

STATES = np.array([each.minimise().num_states for each in MACHINES])
WORDS = {word: place for place, word in enumerate(EVERY)}


def make(task: SearchTask, number: int = 0) -> Attempt:
    attempt = Exact().attempt(number, task)
    assert attempt is not None
    return attempt


def fewest(sample: Sample) -> int:
    """Return the states of the smallest automaton that fits words up to length 4; 4 if it has more
    than 3."""
    rows = [WORDS[sample.word(row)] for row in range(len(sample))]
    fits = (ANSWERS[:, rows] == sample.classes).all(axis=1)
    return int(STATES[fits].min(initial=4))


@settings(max_examples=150)
@given(samples(longest=4), st.sampled_from([1, 3, 40]))
def test_the_automaton_is_one_of_the_smallest_that_fit(sample: Sample, first: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_FIRST", first)
        patch.setattr(exact, "_MORE", 2)
        attempt = make(SearchTask(sample))
    found, least = attempt.language, fewest(sample)
    assert found is not None
    assert (answers_of(found, sample) == sample.classes).all()
    assert found.num_states == attempt.least_states
    assert found.num_states == least if least < 4 else found.num_states >= 4


@settings(max_examples=50)
@given(samples(longest=4), st.integers(1, 3))
def test_none_is_found_of_fewer_states_than_are_needed(sample: Sample, most: int) -> None:
    attempt, least = make(SearchTask(sample, max_states=most)), fewest(sample)
    assert (attempt.language is None) == (least > most)
    assert attempt.least_states == min(least, most + 1)


@given(st.integers(0, len(MACHINES) - 1))
def test_a_best_automaton_is_proved_to_be_smallest(index: int) -> None:
    sample = sample_of(EVERY, ANSWERS[index].tolist())
    best = MACHINES[index].minimise()
    attempt = make(SearchTask(sample, best=best))
    assert (attempt.language, attempt.least_states) == (None, fewest(sample))


def test_words_of_many_classes_and_symbols_have_a_smallest_automaton() -> None:
    draw = np.random.default_rng(0)
    words = sorted({tuple(draw.integers(0, 5, draw.integers(0, 9)).tolist()) for _ in range(200)})
    labels = [(word.count(0) + 2 * word.count(3)) % 4 for word in words]
    sample = Sample.of_words(words, labels, 7, 5)
    found = make(SearchTask(sample)).language
    assert found is not None
    assert found.num_states == 4
    for word in product(range(5), repeat=3):
        assert found.classify(word) == (word.count(0) + 2 * word.count(3)) % 4
    assert [found.transitions[state][5:] for state in range(4)] == [(n, n) for n in range(4)]


def hard() -> Sample:
    """Words of one length with classes that follow no rule."""
    draw = np.random.default_rng(1)
    words = sorted({tuple(draw.integers(0, 2, 12).tolist()) for _ in range(300)})
    return Sample.of_words(words, draw.integers(0, 2, len(words)).tolist(), 2, 2)


def test_an_attempt_ends_where_its_propagations_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_PROPAGATIONS", 200_000)
    first, second = Readings(), Readings()
    for number, readings in enumerate((first, second)):
        assert make(SearchTask(hard(), read=readings.read), number).language is None
    assert first.symbols < second.symbols
    assert make(SearchTask(hard())) == make(SearchTask(hard()))
    assert make(SearchTask(hard(), least_states=30)).least_states == 30


def test_a_formula_that_is_too_large_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_CLAUSES", 100)
    assert make(SearchTask(hard(), read=end_at_once)).language is None


def test_time_ends_an_attempt() -> None:
    with pytest.raises(AttemptLostError):
        Exact().attempt(0, SearchTask(hard(), read=end_at_once))


def test_there_is_no_exact_search_with_noise_or_without_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Exact().attempt(0, SearchTask(hard(), noise=0.01)) is None
    assert Exact().attempt(exact._ATTEMPTS, SearchTask(hard())) is None
    monkeypatch.setattr(exact, "find_spec", lambda name: None)
    assert Exact().attempt(0, SearchTask(hard())) is None


@dataclass
class Says(Searcher):
    """Says one automaton, again and again."""

    name = "says"
    language: Language

    def attempt(self, number: int, task: SearchTask) -> Attempt | None:
        task.read(1_000_000)
        return Attempt(self.language) if number < 100 else None


def test_a_search_ends_with_the_proof_that_no_smaller_automaton_fits() -> None:
    """No three beginnings of these words are distinguished, and yet no two states fit them."""
    words = ["001", "011", "100", "101", "110", "0100", "1001", "1010", "1100"]
    sample = sample_of([tuple(map(int, word)) for word in words], [1, 0, 0, 1, 0, 1, 1, 1, 0])
    found = make(SearchTask(sample)).language
    assert found is not None
    assert (found.num_states, count_needed_states(found, sample), fewest(sample)) == (3, 2, 3)
    judge = Judge(sample, none_of(sample))
    alone = search_automaton(judge, searchers=[Says(found)])
    assert (alone.end, alone.least_states) == ("exhausted", 2)
    both = search_automaton(judge, searchers=[Says(found), Exact()])
    assert (both.end, both.least_states) == ("explained", 3)
    assert both.best is not None
    assert (both.best.searcher, both.attempts["exact"]) == ("says", 1)
    assert both.work["says"] >= Exact.late
    again = SearchState.from_dict(both.to_dict(), judge)
    assert again == both
    few = search_automaton(judge, searchers=[Says(EVEN), Exact()], max_states=2)
    assert (few.end, few.least_states) == ("exhausted", 3)
    assert few.attempts["says"] > 0  # it has attempts left
    assert state_data(found, sample, none_of(sample), sample).needed_states == 2
    said = state_data(found, sample, none_of(sample), sample, least_states=3)
    assert said.needed_states == 3
    assert any("has at least 3 states" in sentence for sentence in said.sentences())
