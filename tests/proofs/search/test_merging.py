"""Vectors are merged where they lie close, and nowhere else."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lengthwise as lw
from lengthwise.errors import VerificationError
from lengthwise.proofs.search.merging import NO_ANSWER, merge
from proofs.trained import ENDS_WITH_1, random_model


@given(
    sizes=st.lists(st.integers(1, 5), min_size=2, max_size=6),
    noise=st.sampled_from([0.0, 1e-6, 0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_points_around_centres_are_merged_into_as_many_classes(
    sizes: list[int], noise: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    truth = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    vectors = 10.0 * np.eye(len(sizes), 8)[truth] + noise * random.uniform(-1, 1, (len(truth), 8))
    found = merge(vectors)
    first = [truth.tolist().index(truth[found.chosen[number]]) for number in found.numbers]
    assert found.numbers.tolist() == list(np.unique(first, return_inverse=True)[1])
    assert [truth[found.chosen[n]] for n in found.numbers] == truth.tolist()
    own = vectors[found.chosen[found.numbers]]
    assert np.allclose(found.distances, np.linalg.norm(vectors - own, axis=1))
    others = truth[:, None] != truth
    between = np.linalg.norm(vectors[:, None] - vectors, axis=2)[others].min()
    assert np.isclose(found.gap, between)
    for number, chosen in enumerate(found.chosen):
        members = vectors[found.numbers == number]
        to_mean = np.linalg.norm(members - members.mean(axis=0), axis=1).min()
        assert np.isclose(np.linalg.norm(vectors[chosen] - members.mean(axis=0)), to_mean)


def test_where_all_distances_are_alike_only_equal_vectors_are_merged() -> None:
    vectors = np.concatenate([np.eye(4), np.eye(4)[:2]])
    assert merge(vectors).numbers.tolist() == [0, 1, 2, 3, 0, 1]
    assert merge(vectors[:1]).gap == np.inf
    assert merge(vectors[:0]).numbers.tolist() == []


def test_classes_that_lie_unevenly_are_not_joined() -> None:
    near = np.array([[0.0], [1e-3], [1.0], [1.001]])  # two classes, and a third further off
    assert merge(np.concatenate([near, [[3.5]]])).numbers.tolist() == [0, 0, 1, 1, 2]


def test_different_answers_are_never_merged() -> None:
    line = np.array([[0.0], [1.0], [2.0], [50.0]])
    assert merge(line).numbers.tolist() == [0, 0, 0, 1]
    asked = np.array([0, NO_ANSWER, 1, 1])
    numbers = merge(line, asked).numbers
    assert numbers[0] != numbers[2]


def test_a_class_is_narrower_than_the_gap_around_it() -> None:
    line = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [8.5]])
    assert merge(line).numbers.tolist() == list(range(8))


@pytest.mark.parametrize("strength", ["snapped", "robust"])
@pytest.mark.parametrize("value", [math.nan, 1e30, 1e200])
def test_vectors_that_overflow_are_not_merged(strength: Any, value: float) -> None:
    model = random_model(ENDS_WITH_1, 1, memory="continuous", norm="none").double()
    model.get_parameter("embedding.weight").data.fill_(value)
    made = lw.certify(model, language=ENDS_WITH_1, strength=strength)
    assert made.verdict == "not-closed"
    if value != 1e30:
        assert "vectors of the network overflow" in made.reason


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e160])
def test_distances_that_are_none_are_refused(value: float) -> None:
    vectors = torch.zeros(3, 2).double().numpy()
    vectors[1] = value
    with pytest.raises(VerificationError, match="are undefined"):
        merge(vectors)
