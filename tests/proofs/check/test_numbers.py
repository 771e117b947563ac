"""Numbers and choices that are brought to other places."""

import numpy as np
import pytest

from lengthwise.errors import CertificateError
from lengthwise.proofs.check.numbers import MOST_NUMBERS, Choices, Numbers, require_few_numbers


def test_bounds_follow_from_each_other() -> None:
    centre = np.zeros((2, 3))
    loose = Numbers.bounded(centre, np.ones((2, 3)))
    assert np.allclose(loose.total, np.sqrt(3))
    tight = Numbers.bounded(centre, np.ones((2, 3)), np.array([0.5, 9.0]))
    assert np.allclose(tight.radius, [[0.5] * 3, [1.0] * 3])
    assert np.allclose(tight.total, [0.5, np.sqrt(3)])


def test_what_is_repeated_is_off_as_often() -> None:
    one = Numbers.bounded(np.zeros((1, 1)), np.ones((1, 1)))
    assert np.allclose(one.spread((2, 4)).total, [2.0, 2.0])


def test_an_infinite_radius_stays_one() -> None:
    lost = Numbers.bounded(np.zeros((1, 2)), np.array([[np.nan, 1.0]]))
    assert lost.radius.tolist()[0][0] == np.inf
    assert lost.total.tolist() == [np.inf]


def test_large_arrays_are_refused() -> None:
    require_few_numbers((10**6, MOST_NUMBERS))
    with pytest.raises(CertificateError, match="small enough"):
        require_few_numbers((1, MOST_NUMBERS + 1))
    with pytest.raises(CertificateError, match="small enough"):
        Numbers.exact(np.zeros((1, 1))).spread((1, 2 * MOST_NUMBERS))


def test_a_choice_that_is_not_sure_is_both() -> None:
    choice = Choices(np.array([[True, False]]), np.array([[True, False]]))
    numbers = choice.as_numbers(2.0**-53)
    assert numbers.centre.tolist() == [[1.0, 0.0]]
    assert (numbers.radius[0, 0], numbers.radius[0, 1]) == (0.0, 1.0)
    assert numbers.total[0] >= 1
    unsure = Choices(np.array([[3]]), np.array([[False]])).as_numbers(2.0**-53)
    assert unsure.radius.tolist() == [[np.inf]]


def test_integers_that_a_type_lacks_are_rounded() -> None:
    values = np.array([[1, 2**24, 2**24 + 1, -(2**40) - 1]])
    found = Choices.exact(values).as_numbers(2.0**-24)
    off = np.abs(values.astype(np.float32).astype(np.float64) - values)
    assert (off <= found.radius).all()
    assert found.radius[0, 0] == 0
    assert off[0, 2] > 0
