"""Time is counted at checkpoints."""

from pathlib import Path

from lengthwise.sweeps.folder import JobFolder, Spent
from lengthwise.sweeps.stopwatch import Stopwatch


def test_time_is_counted_at_checkpoints(tmp_path: Path) -> None:
    place = JobFolder(tmp_path)
    place.save_clock(Spent(7.0, 2, 1.0))
    times, used = iter([10.0, 11.5, 11.5, 14.0, 14.0]), iter([0.0, 1.0, 1.0, 3.0, 3.0])
    watch = Stopwatch(place, now=lambda: next(times), processor=lambda: next(used))

    watch.update(1, {"loss": 0.7})
    assert place.clock() == (7.0, 3, 1.0)
    watch.update(2, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (8.5, 3, 2.0)
    watch.update(4, {"loss": 0.7, "validation_loss": 0.6})
    assert place.clock() == (11.0, 3, 4.0)


def test_processor_time_of_which_a_part_is_unknown_stays_unknown(tmp_path: Path) -> None:
    place = JobFolder(tmp_path)
    (tmp_path / "clock.json").write_text('{"seconds": 7.0, "attempts": 2}')
    Stopwatch(place, now=lambda: 1.0).update(1, {"validation_loss": 0.6})
    assert place.clock() == (7.0, 3, None)
