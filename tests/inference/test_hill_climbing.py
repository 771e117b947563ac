"""Climbing finds automata of few states from words that are all long."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lengthwise.inference import hill_climbing
from lengthwise.inference.hill_climbing import Climb, _counters, _ends
from lengthwise.inference.packed_words import PackedWords
from lengthwise.inference.rungs.counting import symbol_counts
from lengthwise.inference.sample import Sample, answers_of
from lengthwise.inference.searcher import SearchTask, count_wrong
from lengthwise.languages.language import Language
from strategies import minimal_automaton


def number_symbols(language: Language) -> Language:
    return replace(
        language,
        alphabet=tuple(map(str, range(language.num_symbols))),
        class_names=tuple(map(str, range(max(language.classes) + 1))),
    ).minimise()


def long_words(language: Language, count: int, seed: int, noise: float = 0.0) -> Sample:
    """Words of 15 to 30 symbols, as many of each class if there are two, with their classes."""
    draw = np.random.default_rng(seed)
    words: dict[tuple[int, ...], int] = {}
    counts = [0] * (max(language.classes) + 1)
    while len(words) < count:
        word = tuple(draw.integers(0, language.num_symbols, draw.integers(15, 31)).tolist())
        label = language.classify(word)
        if word not in words and counts[label] < -(-count // len(counts)):
            counts[label] += 1
            words[word] = label
    labels = [(label + int(draw.random() < noise)) % len(counts) for label in words.values()]
    return Sample.of_words(list(words), labels, language.num_symbols, len(counts))


def counter(modulus: int, symbols: int, classes: int = 2) -> Language:
    return Language(
        alphabet=tuple(map(str, range(symbols))),
        transitions=tuple(
            ((state + 1) % modulus, *[state] * (symbols - 1)) for state in range(modulus)
        ),
        classes=tuple(min(state, classes - 1) for state in range(modulus)),
        class_names=tuple(map(str, range(classes))),
    )


def find_best(task: SearchTask, attempts: int) -> Language | None:
    """Return the best automaton of some attempts, as a portfolio keeps it."""
    for number in range(attempts):
        made = Climb().attempt(number, task)
        assert made is not None
        if made.language is None:
            continue
        ranks = [
            (count_wrong(each, task.sample), each.num_states)
            for each in (made.language, task.best)
            if each is not None
        ]
        if len(ranks) < 2 or ranks[0] < ranks[1]:
            task = replace(task, best=made.language)
        if ranks[0][0] <= 2 * task.noise * len(task.sample):
            break
    return task.best


@pytest.mark.parametrize(("modulus", "symbols"), list(product((2, 3, 5), (2, 4, 16))))
def test_counting_one_letter_is_found_at_once(modulus: int, symbols: int) -> None:
    language = counter(modulus, symbols)
    task = SearchTask(long_words(language, 500, modulus * symbols))
    assert find_best(task, 1) == number_symbols(language)


def test_counting_with_three_classes_and_wrong_labels_is_found() -> None:
    language = counter(4, 3, classes=3)
    sample = long_words(language, 800, 1, noise=0.04)
    assert find_best(SearchTask(sample, noise=0.04), 1) == number_symbols(language)


def test_labels_at_chance_give_no_counter() -> None:
    draw = np.random.default_rng(7)
    sample = long_words(counter(2, 4), 500, 7)
    shuffled = replace(sample, classes=draw.permutation(sample.classes))
    made = Climb().attempt(0, SearchTask(shuffled))
    assert made is not None
    assert made.language is None


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts that read little."""
    monkeypatch.setattr(hill_climbing, "_WORK", 1_000_000)


@pytest.mark.slow_except("2001", "2003")
@pytest.mark.parametrize("seed", [2_001, 2_003, 2_004, 2_005, 2_006])
def test_random_automata_are_found(seed: int) -> None:
    language = number_symbols(minimal_automaton(seed))
    sample = long_words(language, 1_500, seed)
    found = find_best(SearchTask(sample), 12)
    assert found is not None
    assert found == language


@pytest.mark.usefixtures("_short")
def test_an_attempt_depends_on_its_number_alone() -> None:
    task = SearchTask(long_words(number_symbols(minimal_automaton(2_003)), 300, 1))
    assert Climb().attempt(1, task) == Climb().attempt(1, task)


@pytest.mark.usefixtures("_short")
def test_no_attempt_passes_the_greatest_number_of_states() -> None:
    task = SearchTask(long_words(number_symbols(minimal_automaton(2_003)), 300, 1), max_states=2)
    for number in range(3):
        made = Climb().attempt(number, task)
        assert made is not None
        assert made.language is None or made.language.num_states <= 2


def test_wrong_transitions_of_the_best_automaton_are_corrected() -> None:
    language = counter(7, 3)
    sample = long_words(language, 600, 3)
    moves = [list(row) for row in language.transitions]
    moves[2][0], moves[4][1] = 5, 0
    spoilt = replace(language, transitions=tuple(map(tuple, moves)))
    assert count_wrong(spoilt, sample) > 50
    made = Climb().attempt(2, SearchTask(sample, best=spoilt))
    assert made is not None
    assert made.language == number_symbols(language)
    assert answers_of(made.language, sample).tolist() == sample.classes.tolist()


@pytest.mark.parametrize("modulus", [2, 3, 8])
def test_the_ends_of_counters_are_those_of_reading(modulus: int) -> None:
    draw = np.random.default_rng(modulus)
    words = sorted({tuple(draw.integers(0, 3, draw.integers(0, 12)).tolist()) for _ in range(90)})
    sample = Sample.of_words(words, draw.integers(0, 2, len(words)).tolist(), 3, 2)
    order = draw.permutation(len(sample))[:70]
    packed, numbers = PackedWords.of(sample, order), symbol_counts(sample.part(order))
    moves = _counters(modulus, 3)
    np.testing.assert_array_equal(_ends(moves, numbers, packed), packed.counts(moves))


@pytest.mark.parametrize(("modulus", "symbols"), [(3, 4), (2, 40), (5, 16), (8, 120)])
def test_counters_add_up_weights(modulus: int, symbols: int) -> None:
    moves = _counters(modulus, symbols)
    draw = np.random.default_rng(0)
    word = tuple(draw.integers(0, symbols, 25).tolist())
    sample = Sample.of_words([word], [0], symbols, 1)
    ends = PackedWords.of(sample, np.arange(1)).counts(moves).argmax(axis=1).ravel()
    weights = moves[:, 0]
    assert ends.tolist() == (weights[:, list(word)].sum(axis=1) % modulus).tolist()
    assert len(np.unique(weights, axis=0)) == len(weights)
    for symbol in range(symbols):
        assert (weights == np.eye(symbols, dtype=int)[symbol]).all(axis=1).any()
