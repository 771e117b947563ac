"""Vectors that are added to the embeddings: the formula of each."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lengthwise.errors import WordError
from lengthwise.layers.encodings import EarlyFirstPosition, FeaturePosition
from lengthwise.layers.position import PositionShape
from position_makers import LONGEST, WIDTH, make, whole


def test_learned_positions_end_where_they_were_told_to() -> None:
    position = make("learned")
    assert position(*whole(LONGEST)).shape == (1, LONGEST, WIDTH)
    with pytest.raises(WordError) as caught:
        position(*whole(LONGEST + 1))
    assert str(caught.value) == (
        "there are positions for at most 12 places, but a word needs 13. Give shorter words, or "
        "train on longer ones."
    )


def test_learned_positions_past_the_end_of_a_short_word_are_no_error() -> None:
    """A row may be longer than the words in it."""
    position = make("learned")
    assert position(torch.arange(20)[None], torch.tensor([[3]])).shape == (1, 20, WIDTH)


def test_learned_vectors_are_those_of_the_places() -> None:
    position = make("learned")
    (vectors,) = position.parameters()
    assert torch.equal(
        position(torch.tensor([[4, 0, 4]]), torch.tensor([[5]])), vectors[[4, 0, 4]][None]
    )


def test_no_positions_are_zeros() -> None:
    assert not make("none")(*whole(9)).any()


@pytest.mark.parametrize("width", [5, 6])
def test_sinusoids(width: int) -> None:
    vectors = make("sinusoidal", width=width).double()(*whole(40))
    for place in range(40):
        for coordinate in range(width):
            angle = place / 10_000 ** (coordinate // 2 * 2 / width)
            wave = math.cos(angle) if coordinate % 2 else math.sin(angle)
            assert vectors[0, place, coordinate].item() == pytest.approx(wave, abs=1e-14)


@pytest.mark.parametrize("count", [1, 2, 7, 10])
def test_fractions_and_parities(count: int) -> None:
    vectors = make("fraction").double()(*whole(count))
    for place in range(count):
        fraction, sign, *rest = vectors[0, place].tolist()
        assert fraction == place / count
        assert sign == (-1) ** place == round(math.cos(place * math.pi))
        assert not any(rest)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_fractions_are_rounded_once(dtype: torch.dtype) -> None:
    """They are compared with k / n, which attention computes in one division."""
    for count in (3, 10, 49, 1000):
        fractions = make("fraction").to(dtype)(*whole(count))[0, :, 0]
        assert torch.equal(fractions, torch.arange(count).to(dtype) / count)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_first_marks_the_symbol_after_cls(count: int) -> None:
    vectors = make("first")(*whole(count))
    assert vectors[0, :, 0].tolist() == [float(place == 1) for place in range(count)]
    assert not vectors[0, :, 1:].any()


def test_features_stand_along_their_directions() -> None:
    position = make("fraction", width=3).double()
    assert isinstance(position, FeaturePosition)
    position.directions.copy_(torch.tensor([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]))
    assert position(*whole(4))[0, 3].tolist() == [0.75, -2.0, -0.75]


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_the_early_encoding_is_the_place_itself(count: int) -> None:
    vectors = make("fraction-early").double()(*whole(count))[0]
    assert vectors[:, 0].tolist() == list(range(count))
    assert torch.equal(vectors[:, 1], make("fraction").double()(*whole(count))[0, :, 1])


@pytest.mark.parametrize("name", ["fraction", "first"])
def test_directions_are_stored(name: str) -> None:
    position, other = make(name), make(name)
    assert isinstance(position, FeaturePosition)
    position.directions.mul_(3.0)
    other.load_state_dict(position.state_dict())
    assert torch.equal(position(*whole(5)), other(*whole(5)))


@pytest.mark.parametrize("width", [1, 3, 4, 9, 20])
def test_one_hot_positions_have_a_coordinate_each_as_far_as_there_are(width: int) -> None:
    position = make("one-hot", width=width)
    vectors = position(*whole(12))[0]
    for place, vector in enumerate(vectors.tolist()):
        hot = [3 + place % (width - 3)] if width > 3 else []
        assert [k for k, value in enumerate(vector) if value == 1] == hot
        assert sum(vector) == len(hot)


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_the_early_mark_of_the_first_symbol_is_a_linear_map_of_three_features(count: int) -> None:
    position = make("first-early").double()
    assert isinstance(position, EarlyFirstPosition)
    place = torch.arange(count)
    features = torch.stack([place == 0, place == 1, place >= 2], dim=1).double()
    expected = F.linear(features, position.vectors.T, position.shared)
    torch.testing.assert_close(position(*whole(count))[0], expected)


def test_the_early_map_is_drawn_as_torch_draws_a_linear_map() -> None:
    position = EarlyFirstPosition(PositionShape(width=20_000, max_positions=5))
    position.draw(torch.Generator().manual_seed(0))
    ours = torch.cat([position.vectors.flatten(), position.shared]).sort().values
    theirs = torch.cat([p.flatten() for p in nn.Linear(3, 20_000).parameters()]).sort().values
    torch.testing.assert_close(ours, theirs, atol=0.02, rtol=0)
