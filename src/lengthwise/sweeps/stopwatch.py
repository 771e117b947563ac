"""The time of training of a run: from checkpoint to checkpoint, over all attempts."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from lengthwise.sweeps.folder import JobFolder


class Stopwatch:
    """Adds the time between checkpoints to that of earlier attempts, and counts this attempt."""

    def __init__(self, place: JobFolder, now: Callable[[], float] = time.perf_counter) -> None:
        self._place = place
        self._now = now
        self._last = now()
        self._seconds, attempts = place.clock()
        self._attempts = attempts + 1
        self._save()

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Add the time since the last checkpoint, if this step made one; called at every step."""
        if "validation_loss" not in record:  # then there is no checkpoint either
            return
        elapsed, self._last = self._now() - self._last, self._now()
        self._seconds += elapsed
        self._save()

    def _save(self) -> None:
        self._place.save_clock(round(self._seconds, 3), self._attempts)
