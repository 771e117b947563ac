"""The time of training of a run: from checkpoint to checkpoint, over all attempts."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from lengthwise.sweeps.folder import JobFolder


class Stopwatch:
    """Adds the time between checkpoints to that of earlier attempts, and counts this attempt."""

    def __init__(
        self,
        place: JobFolder,
        now: Callable[[], float] = time.perf_counter,
        processor: Callable[[], float] = time.process_time,
    ) -> None:
        self._place = place
        self._now, self._processor = now, processor
        self._last, self._used = now(), processor()
        spent = place.clock()
        self._spent = spent._replace(attempts=spent.attempts + 1)
        place.save_clock(self._spent)

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Add the time since the last checkpoint, if this step made one; called at every step."""
        if "validation_loss" not in record:  # then there is no checkpoint either
            return
        elapsed, self._last = self._now() - self._last, self._now()
        used, self._used = self._processor() - self._used, self._processor()
        self._spent = self._spent._replace(
            seconds=_sum(self._spent.seconds, elapsed),
            processor_seconds=_sum(self._spent.processor_seconds, used),
        )
        self._place.save_clock(self._spent)


def _sum(before: float | None, more: float) -> float | None:
    return None if before is None else round(before + more, 3)
