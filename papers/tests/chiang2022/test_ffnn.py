"""Section 3.1: Rumelhart's network, against counting."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from lengthwise_papers.chiang2022.ffnn import FFNN, Rumelhart, check


@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_the_answer_is_the_parity_of_the_ones(word: list[int]) -> None:
    assert bool(Rumelhart(len(word))(torch.tensor([word]))) == (sum(word) % 2 == 1)


def test_every_count_of_ones_is_tested() -> None:
    records = FFNN.measure(FFNN.presets["smoke"], 0, lambda done, steps: None)
    assert {one["length"]: one["words"] for one in records} == {1: 2, 2: 4, 3: 8, 4: 16, 20: 21}
    (holds,) = check(records)
    assert (holds.holds, holds.measured) == (True, "0 of 51 words wrong, to 20 symbols")
    assert not check([{**records[0], "wrong": 1}])[0].holds
