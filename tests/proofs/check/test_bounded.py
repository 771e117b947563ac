"""Networks within bounds of their own."""

from typing import Any, cast

import numpy as np
import pytest

from lengthwise.errors import VerificationError
from lengthwise.proofs.check.bounded import Decided, largest, signs
from lengthwise.proofs.search.code_recurrence import CodeRecurrence, TrackedCodes
from proofs.coded import Answers


def test_the_network_within_its_bounds_is_named() -> None:
    flat = Decided(np.zeros((1, 1), dtype=np.bool_), cast(Any, [1.0]), cast(Any, [0.5]))
    inside = CodeRecurrence(TrackedCodes(cast(Any, Answers(start=flat))))
    assert inside.start() == 0
    deep = Decided(np.zeros((1, 2, 2), dtype=np.bool_), np.ones(1), np.zeros(1))
    with pytest.raises(VerificationError, match=r"Answers\.start has to return an array"):
        CodeRecurrence(TrackedCodes(cast(Any, Answers(start=deep)))).start()


def decide(distance: list[float], radius: list[float]) -> Decided:
    return Decided(np.zeros((1, 1), dtype=np.bool_), np.array(distance), np.array(radius))


def test_bounds_that_are_none_are_refused_and_nothing_is_certain_before_it_was_seen() -> None:
    assert not TrackedCodes(cast(Any, Answers())).is_certain
    tracked = TrackedCodes(cast(Any, Answers(start=decide([2.0, 1.0], [0.5, 0.5]))))
    assert tracked.start().shape == (1,)
    assert tracked.is_certain
    for message, found in {
        "a radius is -5": decide([-1.0], [-5.0]),
        "there are 2 distances, 1 radii": decide([1.0, 1.0], [0.0]),
        "it returned a ndarray": np.zeros(1),
    }.items():
        with pytest.raises(VerificationError, match=message):
            TrackedCodes(cast(Any, Answers(start=found))).start()


@pytest.mark.parametrize("kind", [np.complex128, object])
def test_bounds_that_are_not_real_are_refused(kind: Any) -> None:
    """Numpy orders complex numbers by their real parts, so that they passed as certain."""
    numbers, bounds = np.array([[2.0 + 0.0j]]).astype(kind), np.array([[0.5]])
    found = Decided(np.zeros((1, 1), dtype=np.bool_), cast(Any, numbers[0]), bounds[0])
    for refused in (
        lambda: TrackedCodes(cast(Any, Answers(start=found))).start(),
        lambda: signs(cast(Any, numbers), bounds),
        lambda: signs(bounds, cast(Any, numbers)),
        lambda: largest(cast(Any, numbers), bounds),
    ):
        with pytest.raises(VerificationError, match=f"real, but these are {kind.__name__}"):
            refused()
