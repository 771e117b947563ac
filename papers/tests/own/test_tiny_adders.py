"""The published adders, written anew, add; batches agree with single pairs, and types agree."""

import numpy as np
import pytest

from lengthwise_papers.own.tiny_adders import Adder, HandMade, Trained, digits_of, right_sums


def test_right_sums_are_sums() -> None:
    draw = np.random.default_rng(0)
    a, b = (draw.integers(0, 10**10, 50) for _ in "ab")
    digits = right_sums(digits_of(a.tolist()), digits_of(b.tolist()))
    assert (digits @ 10 ** np.arange(11) == a + b).all()


@pytest.mark.parametrize("network", [HandMade, Trained])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_most_sums_are_right_and_pairs_do_not_depend_on_each_other(
    network: type[Adder], kind: type
) -> None:
    draw = np.random.default_rng(1)
    a, b = draw.integers(0, 10, (60, 10)), draw.integers(0, 10, (60, 10))
    a[:3], b[:3] = 9, (np.arange(10) == 0)  # the longest carries
    written = network(kind).add(a, b)
    assert (written == right_sums(a, b)).all(axis=1).mean() > 0.9
    assert (network(kind).add(a[7:8], b[7:8]) == written[7]).all()
    assert network(kind).write(np.concatenate([a, b], axis=1)).dtype == kind


def test_parameters_are_those_of_the_leaderboard() -> None:
    w = HandMade.weights
    fixed = (w.c, w.phase, w.value, *w.gate, w.carry, *w.norm)
    assert len(fixed) == HandMade.parameters
    t = Trained
    arrays = (t.arc, t.query, t.key, t.head_norm, t.gate, t.up, t.norm, t.last_norm)
    assert sum(np.size(array) for array in arrays) == Trained.parameters


def test_the_trained_one_is_wrong_where_the_record_says() -> None:
    a, b = digits_of([957]), digits_of([949])
    for kind in (np.float32, np.float64):
        assert not (Trained(kind).add(a, b) == right_sums(a, b)).all()
        assert (HandMade(kind).add(a, b) == right_sums(a, b)).all()
