"""Steps of a program with its state snapped: which files hold one, and what is refused."""

from typing import Any

import numpy as np
import pytest

from lengthwise.errors import CertificateError, LengthwiseError
from lengthwise.proofs.check.program_node import ProgramNode

SETTINGS = {
    "vocab_size": 2,
    "num_classes": 2,
    "network": "mine.Flip",
    "program": "start\n%0 = matmul @begin @map\nreturn %0 @begin\nstep\n"
    "%0 = sub 1.0 %symbol\n%1 = mul %0 %state.0\n%2 = sub 1.0 %state.0\n%3 = mul %2 %symbol\n"
    "%4 = add %1 %3\n%5 = matmul %4 @map\nreturn %5 %4",
}
WEIGHTS: dict[str, Any] = {
    "begin": np.zeros((1, 1), dtype=np.float32),
    "map": np.array([[-1.0, 1.0]], dtype=np.float32),
}
WEIGHTS["begin"][0, 0] = -0.5
STATES = np.array([[-0.5], [1.5]])


def test_the_parity_of_a_number_that_turns_over() -> None:
    node = ProgramNode(SETTINGS, WEIGHTS, STATES)
    assert node.start().values.tolist() == [[0, 0]]
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    found = node.step(codes, np.array([0, 1, 0, 1]))
    assert found.values.tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]]
    assert (found.distance > found.radius).all()
    kept = node.classes(codes)
    assert (kept.distance > kept.radius).all()


def test_a_start_that_is_not_the_first_representative_is_refused() -> None:
    with pytest.raises(CertificateError, match="the first representative is the first state"):
        ProgramNode(SETTINGS, WEIGHTS, STATES[::-1].copy()).start()


@pytest.mark.parametrize(
    ("states", "why"),
    [
        (np.zeros((2, 3)), "states of the program"),
        (np.zeros((0, 1)), "states of the program"),
        (np.array([[-0.5], [0.1]]), "numbers of the weights' type"),
    ],
)
def test_representatives_that_are_none(states: Any, why: str) -> None:
    with pytest.raises(CertificateError, match=why):
        ProgramNode(SETTINGS, WEIGHTS, states)


def test_weights_of_two_types_are_refused() -> None:
    with pytest.raises(LengthwiseError, match="float32 or of float64 alone"):
        ProgramNode(SETTINGS, {**WEIGHTS, "map": WEIGHTS["map"].astype(np.float64)}, STATES)
