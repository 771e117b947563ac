"""Time is counted at checkpoints."""

from pathlib import Path

from lengthwise.sweeps.folder import JobFolder
from lengthwise.sweeps.stopwatch import Stopwatch


def test_time_is_counted_at_checkpoints(tmp_path: Path) -> None:
    place = JobFolder(tmp_path)
    place.save_clock(7.0, 2)
    times = iter([10.0, 11.5, 11.5, 14.0, 14.0])
    watch = Stopwatch(place, now=lambda: next(times))

    watch.update(1, {"loss": 0.7})
    assert place.clock() == (7.0, 3)
    watch.update(2, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (8.5, 3)
    watch.update(4, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (11.0, 3)
