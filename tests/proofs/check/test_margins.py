"""Margins of a proof: what is stored, and when every decision is certain."""

import math
from dataclasses import dataclass

import pytest

from lengthwise.proofs.check.margins import RoundingMargins


@dataclass
class Seen:
    """What was seen of all numbers of one kind."""

    distance: float
    radius: float
    room: float


SURE = Seen(0.5, 0.1, 0.4)


@pytest.mark.parametrize(
    ("signs", "answers", "is_certain"),
    [
        (SURE, SURE, True),
        (Seen(0.5, 0.5, 0.0), SURE, False),
        (SURE, Seen(0.5, 0.5, 0.0), False),
        (Seen(0.5, math.inf, -math.inf), SURE, False),
        (Seen(math.nan, math.nan, math.nan), SURE, False),
    ],
)
def test_a_proof_is_certain_only_with_room_for_signs_and_answers(
    signs: Seen, answers: Seen, is_certain: bool
) -> None:
    assert RoundingMargins.of(signs, answers).is_certain == is_certain


def test_each_number_is_of_its_own_kind_and_none_if_it_is_not_finite() -> None:
    found = RoundingMargins.of(Seen(1.0, math.inf, -math.inf), Seen(2.0, 3.0, 4.0), math.nan)
    assert (found.sign_distance, found.sign_radius, found.room) == (1.0, None, None)
    assert (found.answer_distance, found.answer_radius) == (2.0, 3.0)
    assert found.measured is None
    assert RoundingMargins.of(SURE, SURE, 0.25).measured == 0.25
