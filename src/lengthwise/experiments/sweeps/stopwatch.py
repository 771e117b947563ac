"""How long has a run been trained? From checkpoint to checkpoint, over all attempts."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lengthwise.experiments.sweeps.folder import JobFolder


class Stopwatch:
    """Counts this attempt, and adds the time between its checkpoints to what earlier ones took.

    Each of several runs that are trained as one is said to have taken its share of the time.
    """

    def __init__(
        self, places: Sequence[JobFolder], now: Callable[[], float] = time.perf_counter
    ) -> None:
        self._places = places
        self._now = now
        self._last = now()
        clocks = [place.clock() for place in places]
        self._seconds = [seconds for seconds, _ in clocks]
        self._attempts = [attempts + 1 for _, attempts in clocks]
        self._save()

    def update(self, step: int, record: Mapping[str, Any]) -> None:
        """Told of every step, by training."""
        if "validation_loss" not in record:  # then there is no checkpoint either
            return
        elapsed, self._last = self._now() - self._last, self._now()
        self._seconds = [seconds + elapsed / len(self._places) for seconds in self._seconds]
        self._save()

    def _save(self) -> None:
        clocks = zip(self._places, self._seconds, self._attempts, strict=True)
        for place, seconds, attempts in clocks:
            place.save_clock(round(seconds, 3), attempts)
