"""Randomised positions: what is drawn in training, and what is taken in evaluation."""

import pytest
import torch
from torch import Tensor

from lengthwise.errors import WordError
from lengthwise.layers.position import Position
from position_makers import LONGEST, make, whole

RANGE = 30


def number(*, causal: bool = False, training: bool = True) -> Position:
    """The vector of a position is its number."""
    position = make("randomised-learned", width=1, max_positions=RANGE, causal=causal).train(
        training
    )
    with torch.no_grad():
        next(position.parameters()).copy_(torch.arange(float(RANGE))[:, None])
    return position


def positions(position: Position, counts: list[int], seed: int = 0) -> Tensor:
    """What the places of words of several lengths take."""
    generator = torch.Generator().manual_seed(seed)
    place = torch.arange(max(counts)).expand(len(counts), -1)
    return position(place, torch.tensor(counts)[:, None], generator)[..., 0]


def test_positions_are_sorted_and_differ_from_each_other() -> None:
    counts = [1, 2, 10, 29, 30] * 20
    found = positions(number(), counts)
    for row, count in zip(found.tolist(), counts, strict=True):
        taken = row[:count]
        assert taken == sorted(set(taken))
        assert set(taken) <= set(range(RANGE))
    assert found[4].tolist() == list(range(RANGE))


def test_every_set_of_positions_is_as_likely() -> None:
    """Each position is taken n / L of the time, and each pair (n (n-1)) / (L (L-1)) of the time."""
    taken = torch.zeros(20_000, RANGE).scatter(1, positions(number(), [6] * 20_000).long(), 1.0)
    together = taken.T @ taken / len(taken)
    expected = torch.full((RANGE, RANGE), 6 * 5 / (RANGE * (RANGE - 1)))
    expected.fill_diagonal_(6 / RANGE)
    torch.testing.assert_close(together, expected, rtol=0, atol=0.015)


def test_words_have_draws_of_their_own() -> None:
    found = positions(number(), [5] * 50)
    assert len(set(map(tuple, found.tolist()))) > 40


def test_draws_come_from_the_generator() -> None:
    position = number()
    assert torch.equal(positions(position, [5, 9]), positions(position, [5, 9]))
    assert not torch.equal(positions(position, [5, 9]), positions(position, [5, 9], seed=1))


def test_a_decoder_draws_for_the_places_that_it_reads() -> None:
    """It is told that a word has `max_positions` places, which would leave nothing to draw."""
    place, count = torch.arange(5)[None], torch.tensor([[RANGE]])
    position, generator = number(causal=True), torch.Generator().manual_seed(0)
    draws = torch.cat([position(place, count, generator)[..., 0] for _ in range(20)])
    assert len(set(map(tuple, draws.tolist()))) > 15
    assert draws.max() > 2 * RANGE / 3


def test_evaluation_spreads_places_evenly() -> None:
    position = number(training=False)
    assert positions(position, [3]).tolist() == [[0, 10, 20]]
    assert positions(position, [4]).tolist() == [[0, 7, 15, 22]]
    assert positions(position, [30]).tolist() == [list(range(30))]


def test_evaluation_of_a_decoder_takes_the_first() -> None:
    place, count = torch.arange(7)[None], torch.tensor([[RANGE]])
    assert number(causal=True, training=False)(place, count)[0, :, 0].tolist() == list(range(7))


@pytest.mark.parametrize("training", [False, True])
def test_words_that_are_too_long_take_their_own_places(training: bool) -> None:
    position = make("randomised-sinusoidal").double().train(training)
    torch.testing.assert_close(position(*whole(50)), make("sinusoidal").double()(*whole(50)))
    mixed = position(torch.arange(50).expand(2, 50), torch.tensor([[50], [3]]))
    torch.testing.assert_close(mixed[:1], make("sinusoidal").double()(*whole(50)))


def test_a_long_word_does_not_widen_the_range_of_the_others() -> None:
    position = make("randomised-sinusoidal").double().train()
    place, count = torch.arange(50).expand(40, 50), torch.tensor([[50], *[[3]] * 39])
    short = position(place, count, torch.Generator().manual_seed(0))[1:, :3].flatten(0, 1)
    within = make("sinusoidal").double()(*whole(LONGEST))[0]
    assert torch.cdist(short, within).amin(dim=1).max() < 1e-6


@pytest.mark.parametrize("training", [False, True])
def test_words_without_vectors_are_refused(training: bool) -> None:
    with pytest.raises(WordError, match="at most 30 places, but a word needs 31"):
        number(training=training)(*whole(RANGE + 1))


def test_vectors_are_those_of_the_positions() -> None:
    position = make("randomised-sinusoidal", max_positions=20).double()
    plain = make("sinusoidal").double()(torch.tensor([[0, 5, 10, 15]]), torch.tensor([[20]]))
    torch.testing.assert_close(position(*whole(4)), plain)
