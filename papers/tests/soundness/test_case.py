"""Faults are where they are said to be."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise_papers import soundness
from lengthwise_papers.soundness import KINDS
from lengthwise_papers.soundness.case import Sum, add_in_order


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_seen_where_they_are_planted(kind: str) -> None:
    asked = list(soundness.cases(3, each=1, kinds=[kind]))
    assert [case.kind for case in asked] == [kind]
    for case in asked:
        assert (case.truth == "holds") == (kind == "sound")
        assert soundness.is_confirmed(case), case.known_by


@given(numbers=st.lists(st.floats(-1e9, 1e9, width=32), min_size=1, max_size=6))
def test_sums_are_rounded_at_each_addition(numbers: list[float]) -> None:
    total = torch.zeros((), dtype=torch.float32)
    for number in numbers:
        total = total + torch.tensor(number, dtype=torch.float32)
    assert add_in_order(numbers, "float32") == float(total)
    planted = Sum(
        summands=(1e8, -1e8, 0.25, -0.5), dtype="float32", order=(0, 3, 1, 2), weight=("", 0, 0)
    )
    assert float(planted.exact()) == -0.25
    assert planted.turns
