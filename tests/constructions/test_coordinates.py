"""Named directions: rows read, columns write, and doubled vectors have mean zero."""

import pytest
import torch

from lengthwise.constructions.coordinates import Coordinates, DoubledCoordinates
from lengthwise.errors import ConfigError

NAMES = ("count", "place", "mark")


def test_rows_and_columns_by_name() -> None:
    stream = Coordinates(NAMES)
    assert stream.width == 3
    assert [stream.index(name) for name in NAMES] == [0, 1, 2]
    assert stream.row({"mark": -1.0, "count": 2.0}).tolist() == [2.0, 0.0, -1.0]
    assert stream.column({"place": 3.0}).tolist() == [0.0, 3.0, 0.0]
    assert stream.row({}).tolist() == [0.0, 0.0, 0.0]
    assert stream.row({"mark": 0.1}).dtype == torch.float64


def test_doubled_columns_have_mean_zero_and_are_read_once() -> None:
    stream = DoubledCoordinates(NAMES)
    assert stream.width == 6
    assert stream.column({"count": 1.0, "mark": -2.0}).tolist() == [1, 0, -2, -1, 0, 2]
    assert stream.row({"count": 1.0, "mark": -2.0}).tolist() == [1, 0, -2, 0, 0, 0]


@pytest.mark.parametrize("kind", [Coordinates, DoubledCoordinates])
def test_reading_what_was_written_gives_it_back(kind: type[Coordinates]) -> None:
    stream = kind(NAMES)
    written = stream.column({"count": 2.0, "place": 5.0})
    assert stream.row({"count": 1.0}) @ written == 2.0
    assert stream.row({"count": 1.0, "place": -1.0}) @ written == -3.0
    assert stream.row({"mark": 1.0}) @ written == 0.0


def test_a_misspelt_name_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        Coordinates(NAMES).row({"plcae": 1.0})
    assert str(caught.value) == (
        "unknown coordinate 'plcae'. Did you mean 'place'? Known: count, place, mark."
    )


def test_a_name_stands_for_one_coordinate() -> None:
    with pytest.raises(AssertionError, match="one coordinate"):
        Coordinates(["count", "count"])
