"""Which words tell the states of an automaton apart."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inference.samples import (
    ANSWERS,
    EVERY,
    MACHINES,
    Word,
    machine,
    sample_of,
    samples,
    words_of,
)
from lengthwise.inference import distinguish
from lengthwise.inference.distinguish import (
    access_words,
    characteristic,
    choose_distinguished,
    count_needed_states,
    find_distinguished,
    witness,
    words_at_transitions,
)
from lengthwise.inference.judge import Judge
from lengthwise.inference.portfolio import search_automaton
from lengthwise.inference.sample import Sample
from lengthwise.inference.state_merging import StateMerging
from lengthwise.languages.language import Language
from strategies import minimal_automaton


@cache
def least_states(index: int) -> int:
    return MACHINES[index].minimise().num_states


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
    own = MACHINES[index].minimise()
    found = characteristic(own, sample)
    fits = np.flatnonzero((ANSWERS[:, rows] == ANSWERS[index, rows]).all(axis=1))
    sizes = {each: least_states(each) for each in fits.tolist()}
    assert found.needed_states <= min(sizes.values())
    assert count_needed_states(own, sample) == found.needed_states
    assert len(choose_distinguished(sample, 50)) <= min(sizes.values())
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
    words = access_words(language.minimise())
    own = language.minimise()
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
    judge = Judge(sample, sample.part(np.zeros(0, dtype=np.int64)))
    found = search_automaton(judge, searchers=[StateMerging()]).best
    assert found is not None
    assert found.language.transitions == own.transitions
    assert found.language.classes == own.classes


@given(samples(), st.lists(st.lists(st.integers(0, 1), max_size=4).map(tuple), max_size=6))
def test_beginnings_are_distinguished_by_the_words_that_start_with_them(
    sample: Sample, beginnings: list[Word]
) -> None:
    words = words_of(sample)

    def endings(start: Word) -> dict[Word, int]:
        size = len(start)
        return {word[size:]: label for word, label in words.items() if word[:size] == start}

    matrix = find_distinguished(sample, beginnings, beginnings)
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
    assert (count_needed_states(parity, both), characteristic(parity, both).needed_states) == (2, 2)
    assert count_needed_states(parity, same) == 1


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


@given(truth=st.sampled_from(MACHINES), size=st.integers(1, len(EVERY)), few=st.integers(1, 6))
def test_words_that_are_judged_in_parts_say_the_same(truth: Language, size: int, few: int) -> None:
    language = truth.minimise()
    classes = [language.classify(word) for word in EVERY[:size]]
    sample = sample_of(EVERY[:size], classes)
    whole = characteristic(language, sample)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinguish, "_FEW", few)
        parts = characteristic(language, sample)
    assert parts.needed_states == whole.needed_states
    assert parts.is_characteristic == whole.is_characteristic
    np.testing.assert_array_equal(parts.forced, whole.forced)
