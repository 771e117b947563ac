"""Inference from labelled words against plain definitions: sets of words, all small machines."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lengthwise.inference.distinguish import (
    access_words,
    apart,
    characteristic,
    distinguished,
    needed_states,
    witness,
    words_at_transitions,
)
from lengthwise.inference.merging import MergedTooLargeError, merged_automaton
from lengthwise.inference.refining import refined
from lengthwise.inference.sample import Sample, answers_of, joined
from lengthwise.inference.search import best_automaton
from lengthwise.languages.language import Language
from ordinary import few
from strategies import minimal_automaton

Word = tuple[int, ...]

EVERY = [word for n in range(5) for word in itertools.product((0, 1), repeat=n)]
"""All words up to length 4, which tell machines of 3 states apart."""


def sample_of(words: Sequence[Word], classes: Sequence[int], symbols: int = 2) -> Sample:
    return Sample.of_words(words, classes, symbols, 2)


def machine(moves: Sequence[Sequence[int]], classes: Sequence[int]) -> Language:
    return Language(
        alphabet=("0", "1"), transitions=tuple(map(tuple, moves)), classes=tuple(classes)
    )


def small_machines() -> tuple[list[Language], np.ndarray]:
    """All machines of 3 states over 2 symbols, and their answers to `EVERY`."""
    found, answers = [], []
    for moves in itertools.product(range(3), repeat=6):
        table = (moves[:2], moves[2:4], moves[4:])
        states = []
        for word in EVERY:
            state = 0
            for symbol in word:
                state = table[state][symbol]
            states.append(state)
        for classes in itertools.product((0, 1), repeat=3):
            found.append(machine(table, classes))
            answers.append([classes[state] for state in states])
    return found, np.array(answers)


MACHINES, ANSWERS = small_machines()


@cache
def least_states(index: int) -> int:
    return MACHINES[index].minimised().num_states


@st.composite
def samples(draw: st.DrawFn, longest: int = 6) -> Sample:
    """Different words with classes that follow no rule."""
    words = draw(
        st.lists(
            st.lists(st.integers(0, 1), max_size=longest).map(tuple),
            min_size=1,
            max_size=25,
            unique=True,
        )
    )
    return sample_of(words, [draw(st.integers(0, 1)) for _ in words])


def words_of(sample: Sample) -> dict[Word, int]:
    return {sample.word(row): int(sample.classes[row]) for row in range(len(sample))}


@given(samples())
def test_words_come_shortest_first_and_equal_suffixes_have_equal_numbers(sample: Sample) -> None:
    words = [sample.word(row) for row in range(len(sample))]
    assert words == sorted(words, key=lambda word: (len(word), word))
    numbers: dict[Word, set[int]] = {}
    for row, word in enumerate(words):
        for left in range(len(word) + 1):
            suffix = word[len(word) - left :]
            numbers.setdefault(suffix, set()).add(int(sample.suffixes[row, left]))
    assert all(len(each) == 1 for each in numbers.values())
    assert len(set().union(*numbers.values())) == len(numbers)
    assert max(set().union(*numbers.values())) < sample.num_suffixes


@given(samples(), samples())
def test_two_samples_are_joined(one: Sample, other: Sample) -> None:
    rest = [row for row in range(len(other)) if other.word(row) not in words_of(one)]
    part = other.part(np.array(rest, dtype=np.int64))
    assert words_of(joined(one, part)) == {**words_of(one), **words_of(part)}


@given(samples(), st.sampled_from([384.0, 24.0, 1.0]))
def test_merging_fits_all_words_whatever_they_are(sample: Sample, caution: float) -> None:
    found = merged_automaton(sample, caution=caution, max_states=300)
    for word, label in words_of(sample).items():
        assert found.classes[found.run(word)] == label
    assert answers_of(found, sample).tolist() == sample.classes.tolist()


@given(samples())
def test_what_is_inferred_fits_all_words_of_training_and_validation(sample: Sample) -> None:
    mask = np.arange(len(sample)) % 3 == 0
    found = best_automaton(sample.part(~mask), sample.part(mask), max_states=300)
    assert found is not None
    assert answers_of(found, sample).tolist() == sample.classes.tolist()


@settings(max_examples=few(15, 60))
@given(st.integers(0, len(MACHINES) - 1))
def test_complete_words_give_the_smallest_machine_that_fits(index: int) -> None:
    sample = sample_of(EVERY, ANSWERS[index].tolist())
    found = best_automaton(sample, sample.part(np.zeros(0, dtype=np.int64)), max_states=50)
    fits = np.flatnonzero((ANSWERS[index] == ANSWERS).all(axis=1))
    smallest = min((MACHINES[each].minimised() for each in fits), key=lambda one: one.num_states)
    assert found is not None
    assert found.minimised() == smallest


@settings(max_examples=120)
@given(
    st.integers(0, len(MACHINES) - 1),
    st.sets(st.integers(0, len(EVERY) - 1), max_size=12),
    st.sampled_from([None, 0, 1, 2]),
)
def test_words_that_force_a_machine_leave_no_other_one(
    index: int, left_out: set[int], never: int | None
) -> None:
    """Of all machines of as many states that fit, brute force finds no second language.

    Some words are left out, or all that end in one state.
    """
    rows = [
        row
        for row, word in enumerate(EVERY)
        if row not in left_out and (never is None or MACHINES[index].run(word) != never)
    ]
    assume(rows)
    sample = sample_of([EVERY[row] for row in rows], ANSWERS[index, rows].tolist())
    own = MACHINES[index].minimised()
    found = characteristic(own, sample)
    fits = np.flatnonzero((ANSWERS[:, rows] == ANSWERS[index, rows]).all(axis=1))
    sizes = {each: least_states(each) for each in fits.tolist()}
    assert found.needed_states <= min(sizes.values())
    assert needed_states(own, sample) == found.needed_states
    assert len(apart(sample, 50)) <= min(sizes.values())
    if found.is_characteristic:
        assert found.needed_states == own.num_states
        assert all(
            (ANSWERS[each] == ANSWERS[index]).all()
            for each, size in sizes.items()
            if size <= own.num_states
        )


@pytest.mark.parametrize("seed", range(200, 212))
def test_a_characteristic_sample_gives_the_language(seed: int) -> None:
    """The sample has, for each two beginnings that differ, both words that tell them apart."""
    language = minimal_automaton(seed)
    words = access_words(language.minimised())
    own = language.minimised()
    longer = [(*word, symbol) for word in words for symbol in range(own.num_symbols)]
    chosen = {*words, *longer}
    for one, other in itertools.product(words, [*words, *longer]):
        first, second = own.run(one), own.run(other)
        if first != second:
            ending = replace(own, start=first).difference(replace(own, start=second))
            assert ending is not None
            chosen |= {(*one, *ending), (*other, *ending)}
    ordered = sorted(chosen)
    sample = sample_of(ordered, [own.classify(word) for word in ordered], own.num_symbols)
    assert characteristic(own, sample).is_characteristic
    found = best_automaton(sample, sample.part(np.zeros(0, dtype=np.int64)), max_states=50)
    assert found is not None
    assert found.minimised().transitions == own.transitions
    assert found.minimised().classes == own.classes


@given(samples(), st.lists(st.lists(st.integers(0, 1), max_size=4).map(tuple), max_size=6))
def test_beginnings_are_distinguished_by_the_words_that_start_with_them(
    sample: Sample, beginnings: list[Word]
) -> None:
    words = words_of(sample)

    def endings(start: Word) -> dict[Word, int]:
        size = len(start)
        return {word[size:]: label for word, label in words.items() if word[:size] == start}

    matrix = distinguished(sample, beginnings, beginnings)
    for i, one in enumerate(beginnings):
        for j, other in enumerate(beginnings):
            first, second = endings(one), endings(other)
            apart_by = [w for w in first.keys() & second.keys() if first[w] != second[w]]
            assert matrix[i, j] == bool(apart_by)
            rows = witness(sample, one, other)
            assert (rows is not None) == bool(apart_by)
            if rows is not None:
                left, right = (sample.word(row) for row in rows)
                assert left[len(one) :] == right[len(other) :]
                assert words[left] != words[right]


def test_as_many_states_are_needed_as_there_are_classes() -> None:
    """No word begins with the access word of the second state, so nothing else tells them apart."""
    parity = machine([(0, 1), (1, 0)], (0, 1))
    words: list[Word] = [(0, 0, 1), (0, 0, 0)]
    both, same = sample_of(words, (1, 0)), sample_of(words[:1], (1,))
    assert (needed_states(parity, both), characteristic(parity, both).needed_states) == (2, 2)
    assert needed_states(parity, same) == 1


@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_words_are_counted_at_each_transition_that_they_pass(sample: Sample, index: int) -> None:
    language = MACHINES[index]
    counts = np.zeros((3, 2), dtype=int)
    for word in words_of(sample):
        state, passed = 0, set()
        for symbol in word:
            passed.add((state, symbol))
            state = language.transitions[state][symbol]
        for each in passed:
            counts[each] += 1
    assert words_at_transitions(language, sample).tolist() == counts.tolist()


@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_local_search_never_misjudges_more_words(sample: Sample, index: int) -> None:
    before = MACHINES[index]
    wrong = [
        int((answers_of(each, sample) != sample.classes).sum())
        for each in (before, refined(before, sample))
    ]
    assert wrong[1] <= wrong[0]


@settings(max_examples=40)
@given(samples(), st.integers(0, len(MACHINES) - 1))
def test_local_search_ends_where_no_single_transition_helps(sample: Sample, index: int) -> None:
    found = refined(MACHINES[index], sample)
    wrong = int((answers_of(found, sample) != sample.classes).sum())
    for state, symbol in itertools.product(range(found.num_states), range(2)):
        for target in range(found.num_states):
            moves = [list(row) for row in found.transitions]
            moves[state][symbol] = target
            other = machine(moves, found.classes)
            assert (answers_of(other, sample) != sample.classes).sum() >= wrong


def drawn(language: Language, count: int, seed: int, noise: float) -> tuple[Sample, Sample]:
    """Uniform words of up to 20 symbols, a share of whose labels is wrong, in two parts."""
    draw = np.random.default_rng(seed)
    words = {
        tuple(draw.integers(0, language.num_symbols, draw.integers(0, 21)).tolist())
        for _ in range(count)
    }
    ordered = sorted(words)
    labels = [language.classify(word) ^ int(draw.random() < noise) for word in ordered]
    sample = sample_of(ordered, labels, language.num_symbols)
    mask = draw.random(len(sample)) < 0.1
    return sample.part(~mask), sample.part(mask)


@pytest.mark.slow_except("2001-0.0", "2003-0.0")
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("seed", [2_001, 2_003])
def test_the_language_is_found_where_labels_are_wrong(seed: int, noise: float) -> None:
    language = minimal_automaton(seed)
    train, valid = drawn(language, 4_000, seed, noise)
    found = best_automaton(train, valid, noise=noise, max_states=100)
    assert found is not None
    assert found.minimised().transitions == language.minimised().transitions
    assert found.minimised().classes == language.minimised().classes


def test_a_search_past_its_bound_is_refused() -> None:
    words = [(0,) * n for n in range(12)]
    sample = sample_of(words, [int(n == 11) for n in range(12)])
    with pytest.raises(MergedTooLargeError):
        merged_automaton(sample, caution=24.0, max_states=3)
    assert best_automaton(sample, sample.part(np.zeros(0, dtype=np.int64)), max_states=3) is None
