"""Weights of symbols solve the equations of the words, as trying all of them shows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.rungs.oracles import samples, words_of
from lengthwise.inference.rungs import counting
from lengthwise.inference.rungs.counting import (
    PRIME_POWERS,
    all_weights,
    counter,
    linear_weights,
    null_generators,
    polynomial_weights,
    symbol_counts,
)
from lengthwise.inference.sample import Sample
from lengthwise.inference.searcher import read_freely


@given(samples())
def test_symbols_are_counted(sample: Sample) -> None:
    expected = [[word.count(symbol) for symbol in range(3)] for word in words_of(sample)]
    assert symbol_counts(sample).tolist() == expected


@given(
    st.sampled_from([2, 3, 4, 5, 8, 9]),
    st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), max_size=8),
    st.sampled_from([1, 2, counting._AT_ONCE]),
)
def test_generators_generate_all_solutions(
    modulus: int, rows: list[list[int]], at_once: int
) -> None:
    matrix = np.array(rows, dtype=np.int64).reshape(len(rows), 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_AT_ONCE", at_once)
        generators = null_generators(matrix, modulus)
    every = {
        x for x in itertools.product(range(modulus), repeat=3) if not (matrix @ x % modulus).any()
    }
    made = {
        tuple((np.array(factors) @ generators % modulus).tolist())
        for factors in itertools.product(range(modulus), repeat=len(generators))
    }
    assert made == every


def count(modulus: int, weights: np.ndarray, sums: list[int], seed: int) -> np.ndarray:
    """Numbers of symbols of words that have one of some sums."""
    counts = np.random.default_rng(seed).integers(0, 8, size=(6_000, len(weights)))
    return counts[np.isin(counts @ weights % modulus, sums)]


def same_up_to_a_factor(one: np.ndarray, other: np.ndarray, modulus: int) -> bool:
    return any(
        (one * factor % modulus == other % modulus).all()
        for factor in range(1, modulus)
        if np.gcd(factor, modulus) == 1
    )


@given(st.sampled_from(sorted(PRIME_POWERS)), st.integers(2, 12), st.integers(0, 99))
def test_words_of_one_sum_give_the_weights(modulus: int, symbols: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, modulus, size=symbols)
    weights[seed % symbols] = 1
    found = linear_weights(count(modulus, weights, [seed % modulus], seed), modulus)
    assert len(found) == 1
    assert same_up_to_a_factor(weights, found[0], modulus)
    assert not len(linear_weights(count(modulus, weights, [0, 1], seed), modulus))


@pytest.mark.parametrize(("prime", "degree"), [(5, 2), (7, 2), (7, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_words_of_few_sums_give_the_weights(prime: int, degree: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, prime, size=4)
    weights[seed] = 1
    counts = count(prime, weights, [0, 1, 3][:degree], seed)
    found = polynomial_weights(counts, prime, degree, read_freely)
    assert len(found) == 1
    assert same_up_to_a_factor(weights, found[0], prime)
    more = count(prime, weights, list(range(degree + 1)), seed)
    assert not len(polynomial_weights(more, prime, degree, read_freely))


@given(samples(least=4), st.integers(2, 4))
def test_all_weights_that_decide_are_found(sample: Sample, modulus: int) -> None:
    counts = symbol_counts(sample)
    found = {tuple(each) for each in all_weights(counts, sample.classes, modulus, 2).tolist()}
    for weights in itertools.product(range(modulus), repeat=3):
        sums = counts @ weights % modulus
        decides = all(
            len(set(sample.classes[sums == each].tolist())) <= 1 for each in range(modulus)
        )
        assert (weights in found) == (decides and any(weights))


@given(samples(), st.lists(st.integers(0, 4), min_size=3, max_size=3))
def test_a_counter_has_the_sum_of_a_word(sample: Sample, weights: list[int]) -> None:
    values = counter(np.array(weights), 5).values(sample).tolist()
    assert values == [sum(weights[symbol] for symbol in word) % 5 for word in words_of(sample)]
